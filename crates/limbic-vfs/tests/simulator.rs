//! SplitMix64 transactions on a simulated machine, with a fault at every call in turn. In every case the
//! database is intact afterwards and contains exactly the acknowledged writes; a transaction whose commit was
//! interrupted may have taken effect or not, but never in part.
//!
//! `LIMBIC_SIM_SEED` runs another seed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, time::Duration};

use limbic_protocol::SplitMix64;
use limbic_vfs::simulator::{Fault, Machine, Process};
use rusqlite::{Connection, OpenFlags, params};

type Rows = BTreeMap<i64, (i64, i64)>;

/// The rows that the database must have, and the alternatives after an interrupted commit.
struct Model {
    certain: Rows,
    possible: Option<Rows>,
}

struct World {
    machine: Machine,
    vfs: String,
    mode: &'static str,
    random: SplitMix64,
    model: Model,
}

impl World {
    fn new(seed: u64, vfs: &str, mode: &'static str) -> World {
        let model = Model { certain: Rows::new(), possible: None };
        World {
            machine: Machine::new(seed),
            vfs: vfs.to_owned(),
            mode,
            random: SplitMix64::new(!seed),
            model,
        }
    }

    fn connect(&self, process: Process) -> rusqlite::Result<Connection> {
        let secret = self.vfs.ends_with("encrypted").then(|| limbic_vfs::Key::new([7; 32]).into());
        let access = limbic_vfs::Access { secret, ..limbic_vfs::Access::default() };
        let connection = limbic_vfs::connect("/m.db", OpenFlags::default(), process, access)?;
        connection.busy_timeout(Duration::from_secs(20))?;
        connection.execute_batch(&format!(
            "PRAGMA journal_mode={}; PRAGMA synchronous=FULL; PRAGMA cache_size=5; PRAGMA temp_store=MEMORY;
            CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, fill INTEGER, size INTEGER, data BLOB);",
            self.mode
        ))?;
        Ok(connection)
    }

    /// Runs a transaction, and records its outcome in the model.
    fn transact(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut after = self.model.certain.clone();
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for _ in 0..=self.random.below(6) {
            let id = i64::try_from(self.random.below(30)).unwrap();
            if self.random.one_in(4) {
                connection.execute("DELETE FROM t WHERE id = ?1", [id])?;
                after.remove(&id);
                continue;
            }
            let fill = i64::try_from(self.random.below(200)).unwrap();
            let size = i64::try_from(self.random.below(9_000)).unwrap();
            connection.execute(
                "INSERT OR REPLACE INTO t VALUES (?1, ?2, ?3, replace(hex(zeroblob(?3)), '00', char(?2 + 48)))",
                params![id, fill, size],
            )?;
            after.insert(id, (fill, size));
        }
        if self.random.one_in(5) {
            return connection.execute_batch("ROLLBACK");
        }
        self.model.possible = Some(after.clone());
        connection.execute_batch("COMMIT")?;
        self.model = Model { certain: after, possible: None };
        Ok(())
    }

    /// Runs recovering processes that have faults of their own.
    fn recover_in_vain(&mut self) {
        for _ in 0..=self.random.below(3) {
            let process = self.machine.process();
            let fault = if self.random.one_in(2) { Fault::Kill } else { Fault::PowerFailure };
            self.machine.plan(self.random.below(60), fault);
            let connection = self.connect(process.clone());
            self.machine.kill(&process);
            drop(connection);
            self.machine.mend();
        }
    }

    fn check(&mut self, connection: &Connection, story: &str) {
        let answer = connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0));
        assert_eq!(answer.as_deref(), Ok("ok"), "{story}");
        let sql =
            "SELECT id, fill, size FROM t WHERE data = replace(hex(zeroblob(size)), '00', char(fill + 48))";
        let found = connection.prepare(sql).and_then(|mut statement| {
            let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
            rows.collect::<rusqlite::Result<Rows>>()
        });
        let found = found.unwrap_or_else(|error| panic!("{story}: {error}"));
        let possible = self.model.possible.take();
        assert!(
            found == self.model.certain || Some(&found) == possible.as_ref(),
            "{story}: found {found:?}, acknowledged {:?}, possible {possible:?}",
            self.model.certain
        );
        self.model.certain = found;
    }
}

fn seed() -> u64 {
    std::env::var("LIMBIC_SIM_SEED").map_or(1, |seed| seed.parse().expect("LIMBIC_SIM_SEED is a number"))
}

/// Runs transactions with a fault at each call in turn, until no call remains.
fn faults_at_every_call(vfs: &str, mode: &'static str, fault: Fault) {
    let mut at = 0;
    loop {
        let story = format!("seed {}, {mode}, {fault:?} at call {at}", seed());
        let mut world = World::new(seed().wrapping_mul(1_000_003) + at, vfs, mode);
        if vfs.ends_with("no-links") {
            world.machine.without_links();
        }
        let first = world.machine.process();
        let connection = world.connect(first.clone()).unwrap();
        world.transact(&connection).unwrap();
        world.machine.plan(at, fault);
        for _ in 0..4 {
            if world.transact(&connection).is_err() {
                break;
            }
        }
        let done = !world.machine.mend();
        match fault {
            Fault::Error | Fault::LostSync | Fault::LostAnswer | Fault::DiskFull => {
                // A commit that fails in a running process must never become visible.
                world.model.possible = None;
                // The same connection continues, as a server's does.
                if !connection.is_autocommit() {
                    let _ = connection.execute_batch("ROLLBACK");
                }
                world.check(&connection, &story);
                world.transact(&connection).unwrap_or_else(|error| panic!("{story}: {error}"));
                world.check(&connection, &story);
                drop(connection);
            }
            Fault::Kill | Fault::PowerFailure => {
                // Remaining state of a dead process in this one must have no effect.
                world.machine.kill(&first);
                drop(connection);
            }
        }
        if world.random.one_in(2) {
            world.recover_in_vain();
        }
        let process = world.machine.process();
        let connection = world.connect(process).unwrap_or_else(|error| panic!("{story}: {error}"));
        world.check(&connection, &story);
        world.transact(&connection).unwrap_or_else(|error| panic!("{story}: {error}"));
        world.check(&connection, &story);
        if done {
            assert!(at > 40, "only {at} calls had faults");
            return;
        }
        at += 1;
    }
}

#[test]
fn acknowledged_writes_survive_a_failed_call() {
    faults_at_every_call("sim-error", "PERSIST", Fault::Error);
}

#[test]
fn acknowledged_writes_survive_a_failed_sync() {
    faults_at_every_call("sim-lost-sync", "PERSIST", Fault::LostSync);
}

/// Work continues after a sync that failed and lost its writes, until the power fails: later acknowledged writes are
/// kept, and rejected ones are not.
#[test]
fn acknowledged_writes_survive_a_failed_sync_before_a_power_failure() {
    let mut struck = 0;
    for (seed, at) in (seed()..seed() + 8).flat_map(|seed| (0..200).map(move |at| (seed, at))) {
        let story = format!("seed {seed}, the sync fails at call {at}");
        let mut world = World::new(seed.wrapping_mul(7_000_003) + at, "sim-lost-later", "PERSIST");
        let first = world.machine.process();
        let connection = world.connect(first.clone()).unwrap();
        world.transact(&connection).unwrap();
        world.machine.plan(at, Fault::LostSync);
        for _ in 0..4 {
            if world.transact(&connection).is_err() {
                break;
            }
        }
        struck += u32::from(world.machine.mend());
        if !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        world.model.possible = None;
        world.check(&connection, &story);
        for _ in 0..world.random.below(3) {
            world.transact(&connection).unwrap_or_else(|error| panic!("{story}: {error}"));
        }
        world.machine.plan(world.random.below(60), Fault::PowerFailure);
        for _ in 0..4 {
            if world.transact(&connection).is_err() {
                break;
            }
        }
        world.machine.kill(&first);
        drop(connection);
        world.machine.mend();
        let connection =
            world.connect(world.machine.process()).unwrap_or_else(|error| panic!("{story}: {error}"));
        world.check(&connection, &story);
    }
    assert!(struck > 160, "only {struck} syncs failed");
}

#[test]
fn acknowledged_writes_survive_a_call_that_fails_after_its_effect() {
    faults_at_every_call("sim-lost-answer", "PERSIST", Fault::LostAnswer);
    faults_at_every_call("sim-lost-answer-no-links", "PERSIST", Fault::LostAnswer);
}

#[test]
fn acknowledged_writes_survive_a_full_disk() {
    faults_at_every_call("sim-full", "PERSIST", Fault::DiskFull);
}

#[test]
fn acknowledged_writes_survive_a_kill() {
    faults_at_every_call("sim-kill", "PERSIST", Fault::Kill);
}

#[test]
fn acknowledged_writes_survive_a_kill_without_hard_links() {
    faults_at_every_call("sim-no-links", "PERSIST", Fault::Kill);
}

#[test]
fn acknowledged_writes_survive_a_power_failure() {
    for round in 0..3 {
        faults_at_every_call(&format!("sim-power-{round}"), "PERSIST", Fault::PowerFailure);
    }
}

#[test]
fn acknowledged_writes_survive_a_power_failure_in_other_journal_modes() {
    faults_at_every_call("sim-power-delete", "DELETE", Fault::PowerFailure);
    faults_at_every_call("sim-power-truncate", "TRUNCATE", Fault::PowerFailure);
}

#[test]
fn acknowledged_writes_of_an_encrypted_database_survive_faults() {
    faults_at_every_call("sim-power-encrypted", "PERSIST", Fault::PowerFailure);
    faults_at_every_call("sim-lost-sync-encrypted", "PERSIST", Fault::LostSync);
}

/// Checks the simulator itself: without syncs, a power failure must lose a write.
#[test]
fn a_missing_sync_would_be_noticed() {
    let lost = (0..60_u64).any(|at| {
        let world = World::new(at, "sim-careless", "PERSIST");
        let connection = world.connect(world.machine.process()).unwrap();
        connection.execute_batch("PRAGMA synchronous=OFF; INSERT INTO t(id) VALUES (1)").unwrap();
        world.machine.plan(0, Fault::PowerFailure);
        let _ = connection.execute_batch("BEGIN IMMEDIATE");
        drop(connection);
        world.machine.mend();
        let count = world.connect(world.machine.process()).and_then(|connection| {
            connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0))
        });
        count != Ok(1)
    });
    assert!(lost);
}
