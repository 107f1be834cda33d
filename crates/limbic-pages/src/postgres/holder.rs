//! Which session holds the lock of writers, for the log of a server that has waited for it in vain.

use std::time::Duration;

use tokio_postgres::SimpleQueryMessage;

use super::PostgresStore;
use crate::troubles::Step;

/// A shorter wait says nothing about the writer before it.
const MIN_WAIT: Duration = Duration::from_secs(1);

impl PostgresStore {
    /// Records the session that holds the lock and has sent nothing for the whole wait, if there is one. It may be that
    /// of a machine that has stopped, which a person can end.
    pub(super) fn note_holder(&mut self, wait: Duration) {
        if wait < MIN_WAIT {
            return;
        }
        // The row of the memory names the transaction that has locked it, if that was not below a savepoint. PostgreSQL
        // shows the state of a session to members of its role only. The query must not wait for a lock of the table.
        let sql = format!(
            "BEGIN; SET LOCAL lock_timeout = '500ms'; \
             SELECT session.pid, session.application_name, host(session.client_addr), \
             to_char(session.state_change AT TIME ZONE 'UTC', 'HH24:MI:SS') \
             FROM limbic_memories AS held JOIN pg_locks AS lock ON lock.locktype = 'transactionid' AND lock.granted \
             AND lock.transactionid = held.xmax JOIN pg_stat_activity AS session ON session.pid = lock.pid \
             WHERE held.memory = {} AND session.state = 'idle in transaction' \
             AND clock_timestamp() - session.state_change >= interval '{} ms'; ROLLBACK",
            self.name(),
            wait.as_millis()
        );
        let Some(connection) = &mut self.connection else { return };
        let Ok(answer) = connection.client.simple_query(&sql) else {
            connection.client.roll_back();
            return;
        };
        let row = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let Some((row, process)) = row.and_then(|row| Some((row, row.get(0)?))) else { return };
        let name = row.get(1).filter(|name| !name.is_empty()).unwrap_or("a program");
        // PostgreSQL hides these from other roles.
        let place = row.get(2).map(|address| format!(" at {address}")).unwrap_or_default();
        // Not its age, which would make each line another one.
        let since = row.get(3).map(|time| format!(" since {time} UTC")).unwrap_or_default();
        self.address.troubles.begin(
            Step::Queue,
            format!(
                "writes to {} wait for another one: the session {process} of {name}{place} holds the lock and has sent \
                 nothing{since}. If it does not end, run SELECT pg_terminate_backend({process})",
                self.address
            ),
        );
    }
}
