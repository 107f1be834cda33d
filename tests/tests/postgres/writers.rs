//! Many writers at once.

use std::{
    path::Path,
    sync::{Arc, Barrier},
    thread,
    time::Duration,
};

use anyhow::{Result, anyhow, ensure};
use limbic_support::postgres::{Cluster, PASSWORD};
use limbic_tests::{BackEnd, stdio::Server};

use super::{connect, contents, store};

#[test]
fn concurrent_writers_all_succeed() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    write_at_once(&cluster.address("writers"), 200, None)
}

#[test]
fn concurrent_writers_that_announce_their_write_all_succeed() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    write_at_once(&cluster.address("announced"), 200, Some(Duration::from_secs(60)))
}

#[test]
fn writers_of_a_role_with_another_isolation_level_all_succeed() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    for level in ["repeatable read", "serializable"] {
        let role = format!("isolated_{}", level.replace(' ', "_"));
        cluster.sql("postgres", &format!("CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'"))?;
        cluster
            .sql("postgres", &format!("ALTER ROLE {role} SET default_transaction_isolation = '{level}'"))?;
        cluster.sql("postgres", &format!("CREATE DATABASE {role} OWNER {role}"))?;
        write_at_once(&cluster.address_of(&role, PASSWORD, &role, "team"), 30, None)?;
    }
    Ok(())
}

#[test]
fn a_write_waits_once_for_a_writer_that_does_not_end() -> Result<()> {
    let Some(cluster) = Cluster::start()? else { return Ok(()) };
    let address = cluster.address("held");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    let holder = connect(&address)?;
    holder.execute_batch("BEGIN IMMEDIATE")?;
    let before = cluster.log()?.len();
    let (is_error, answer) = server.call("memory_store", r#"{"content":"It is not stored"}"#)?;
    ensure!(is_error && answer.contains("database_busy"), "{answer}");
    let log = cluster.log()?.split_off(before);
    ensure!(log.matches("due to lock timeout").count() == 1, "{log}");
    // What SQLite repeats does not wait.
    ensure!(!log.contains("could not obtain lock"), "{log}");
    ensure!(contents(&mut server)?.contains("stored before"));
    holder.execute_batch("ROLLBACK")?;
    store(&mut server, "It is stored afterwards")?;
    server.stop()
}

/// Has this many connections write at once, and checks that all have. With `announced`, they wait in the store's queue
/// for this time, as the core's writes do.
fn write_at_once(address: &str, writers: u32, announced: Option<Duration>) -> Result<()> {
    connect(address)?.execute_batch("PRAGMA page_size = 4096; CREATE TABLE t (x)")?;
    let all_ready = Arc::new(Barrier::new(usize::try_from(writers)?));
    let started: Vec<_> = (0..writers)
        .map(|writer| {
            let (address, all_ready) = (address.to_owned(), all_ready.clone());
            thread::spawn(move || -> Result<()> {
                let connected = connect(&address);
                all_ready.wait();
                let connection = connected?;
                connection.busy_timeout(Duration::from_secs(10))?;
                connection.execute_batch("PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL")?;
                limbic_vfs::expect_write(announced);
                connection.execute_batch("BEGIN IMMEDIATE")?;
                connection.execute("INSERT INTO t VALUES (?1)", [writer])?;
                Ok(connection.execute_batch("COMMIT")?)
            })
        })
        .collect();
    for writer in started {
        writer.join().map_err(|_| anyhow!("a writer panicked"))??;
    }
    let connection = connect(address)?;
    let counted: u32 = connection.query_row("SELECT count(DISTINCT x) FROM t", [], |row| row.get(0))?;
    ensure!(counted == writers, "{counted} of {writers} were stored");
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(check == "ok", "{check}");
    Ok(())
}
