//! The room that PostgreSQL takes for the pages of a memory: earlier contents of pages remain until VACUUM.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use limbic_support::postgres::Cluster;
use serde_json::{Value, json};

/// The size of the table of pages with its indexes and contents, the length of the memories, the dead rows of pages,
/// and the runs of autovacuum, each in a line. Contents are rows of another table, which are dead when the row of their
/// page is.
const SQL: &str = "SELECT concat_ws(E'\\n', pg_total_relation_size('limbic_pages'), \
    (SELECT sum(size_bytes) FROM limbic_memories), n_dead_tup, autovacuum_count) \
    FROM pg_stat_user_tables WHERE relname = 'limbic_pages'";

/// The number of other connections to the database.
const CONNECTIONS: &str = "SELECT count(*) FROM pg_stat_activity \
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
const MAX_WAIT: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);

/// The disk space of a database's pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Room {
    table_megabytes: f64,
    pages_megabytes: f64,
    dead_rows: u64,
    autovacuum_runs: u64,
}

impl Room {
    /// The room that a database takes after its servers have ended: PostgreSQL counts dead rows when a connection ends.
    pub fn of(cluster: &Cluster, database: &str) -> Result<Self> {
        let start = Instant::now();
        while cluster.sql(database, CONNECTIONS)? != "0" {
            ensure!(start.elapsed() < MAX_WAIT, "a server of {database} is still connected");
            thread::sleep(PAUSE);
        }
        let answer = cluster.sql(database, SQL)?;
        Self::parse(&answer).with_context(|| format!("the sizes of tables are not understood: {answer}"))
    }

    /// Removes dead rows, then measures.
    pub fn vacuumed(cluster: &Cluster, database: &str) -> Result<Self> {
        cluster.sql(database, "VACUUM limbic_pages")?;
        Self::of(cluster, database)
    }

    fn parse(answer: &str) -> Option<Self> {
        let mut numbers = answer.lines().map(|line| line.trim().parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        let room = Self {
            table_megabytes: next()? as f64 / 1e6,
            pages_megabytes: next()? as f64 / 1e6,
            dead_rows: next()?,
            autovacuum_runs: next()?,
        };
        Some(room)
    }

    /// One line for people.
    pub fn shown(&self) -> String {
        let Self { table_megabytes, pages_megabytes, dead_rows, .. } = self;
        format!("{table_megabytes:.0} MB for {pages_megabytes:.0} MB of pages, {dead_rows} dead rows")
    }

    /// How often autovacuum has run.
    pub fn autovacuum_runs(&self) -> u64 {
        self.autovacuum_runs
    }

    /// For `target/bench.json`.
    pub fn numbers(&self) -> Value {
        json!({
            "table_megabytes": self.table_megabytes,
            "pages_megabytes": self.pages_megabytes,
            "dead_rows": self.dead_rows,
            "autovacuum_runs": self.autovacuum_runs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_read_from_postgres_and_shown() {
        let room = Room::parse("71500000\n59000000\n480\n2\n").expect("four numbers are enough");
        assert_eq!(room.shown(), "72 MB for 59 MB of pages, 480 dead rows");
        assert_eq!(room.autovacuum_runs(), 2);
        assert_eq!(Room::parse("71500000\n\n480\n2"), None);
        assert_eq!(Room::parse("71500000"), None);
    }
}
