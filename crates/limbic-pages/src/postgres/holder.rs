//! Which session holds the lock of writers, for the log of a server that has waited for it in vain.

use std::time::Duration;

use tokio_postgres::SimpleQueryMessage;

use super::PostgresStore;
use crate::troubles::Step;

/// A shorter wait says nothing about the writer before it.
const MIN_WAIT: Duration = Duration::from_secs(1);

impl PostgresStore {
    /// Records the session that has held the lock for the whole wait, if it still does. It may be that of a machine
    /// that has stopped, which a person can end.
    pub(super) fn note_holder(&mut self, wait: Duration) {
        if wait < MIN_WAIT {
            return;
        }
        // The row of the memory names the transaction that has locked it, if that was not below a savepoint.
        let sql = format!(
            "SELECT session.pid, session.application_name, host(session.client_addr), \
             round(extract(epoch FROM now() - session.xact_start)) \
             FROM limbic_memories AS held JOIN pg_locks AS lock ON lock.locktype = 'transactionid' AND lock.granted \
             AND lock.transactionid = held.xmax JOIN pg_stat_activity AS session ON session.pid = lock.pid \
             WHERE held.memory = {}",
            self.name()
        );
        let Some(connection) = &mut self.connection else { return };
        let Ok(answer) = connection.client.simple_query(&sql) else { return };
        let row = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let Some((row, process)) = row.and_then(|row| Some((row, row.get(0)?))) else { return };
        let name = row.get(1).filter(|name| !name.is_empty()).unwrap_or("a program");
        // PostgreSQL hides these from other roles.
        let place = row.get(2).map(|address| format!(" at {address}")).unwrap_or_default();
        let time = row.get(3).map(|seconds| format!(" for {seconds} seconds")).unwrap_or_default();
        self.address.troubles.begin(
            Step::Queue,
            format!(
                "writes to {} wait for another one: the session {process} of {name}{place} holds the lock{time}. If it does \
                 not end, run SELECT pg_terminate_backend({process})",
                self.address
            ),
        );
    }
}
