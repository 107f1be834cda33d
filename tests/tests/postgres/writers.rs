//! Many writers at once.

use std::{
    sync::{Arc, Barrier},
    thread,
    time::Duration,
};

use anyhow::{Result, anyhow, ensure};
use limbic_support::postgres::{Cluster, PASSWORD};

use super::connect;

#[test]
fn concurrent_writers_all_succeed() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    write_at_once(&cluster.address("writers"), 200)
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
        write_at_once(&cluster.address_of(&role, PASSWORD, &role, "team"), 30)?;
    }
    Ok(())
}

/// Has this many connections write at once, and checks that all have.
fn write_at_once(address: &str, writers: u32) -> Result<()> {
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
