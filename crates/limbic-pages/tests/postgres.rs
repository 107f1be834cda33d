//! A PostgreSQL server that loses commits, which is recognised however many others were made since.
#![cfg(unix)]

use std::{thread, time::Duration};

use anyhow::{Context, Result, anyhow, ensure};
use limbic_pages::{
    Address, Head, Locked, PAGE_BYTES, PageStore, PagesHost, StoreError, postgres::PostgresStore,
};
use limbic_support::{postgres::Cluster, proxy::Proxy};
use limbic_vfs::{Access, HostError, take_last_failure};
use rusqlite::{Connection, OpenFlags};

/// Connects to a memory, as the core does.
fn connect(address: &str) -> Result<Connection> {
    let address = Address::parse(address, &|_| None)?;
    let path = address.to_string();
    let host = PagesHost::new(&path, move || {
        PostgresStore::open(&address, false).map(|store| Box::new(store) as Box<dyn PageStore>)
    });
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = limbic_vfs::connect(&path, flags, host, Access::default())?;
    connection.execute_batch(
        "PRAGMA page_size = 4096; PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL; \
         CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY)",
    )?;
    Ok(connection)
}

#[test]
fn the_token_of_every_commit_is_kept() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = Address::parse(&cluster.address("kept-tokens"), &|_| None)?;
    let mut store = PostgresStore::open(&address, false)?;
    let mut made = Vec::new();
    for number in 0..200_u8 {
        ensure!(matches!(store.lock(Duration::ZERO, None)?, Locked::Yes(_)));
        let head = store.commit(&[(0, &[number; PAGE_BYTES])], 4096)?;
        made.push((head.version, head.token(head.version)));
    }
    store.head(None)?;
    for (version, token) in made {
        ensure!(token.is_some() && (version > 192 || store.token(version)? == token), "version {version}");
    }
    ensure!(store.token(0)?.is_none());
    ensure!(store.changed_since(1)? == [0], "rows of tokens are not pages");
    store.end();
    // A program that knows nothing of the rows.
    cluster.sql("postgres", "DELETE FROM limbic_pages WHERE memory = 'kept-tokens' AND page = -2")?;
    store.head(None)?;
    ensure!(store.token(64)?.is_some() && store.token(65)?.is_none() && store.token(128)?.is_none());
    Ok(())
}

#[test]
fn a_restored_backup_is_recognised_after_any_number_of_commits() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = cluster.address("restored");
    let connection = connect(&address)?;
    let insert = |connection: &Connection, id: u32| connection.execute("INSERT INTO t VALUES (?1)", [id]);
    let ids = |connection: &Connection| -> rusqlite::Result<Vec<u32>> {
        connection.prepare("SELECT id FROM t")?.query_map([], |row| row.get(0))?.collect()
    };
    insert(&connection, 1)?;
    let tables = ["limbic_memories", "limbic_pages"];
    for table in tables {
        let save = format!("CREATE TABLE saved_{table} AS SELECT * FROM {table} WHERE memory = 'restored'");
        cluster.sql("postgres", &save)?;
    }
    insert(&connection, 2)?;
    for table in tables {
        let restore = format!(
            "BEGIN; DELETE FROM {table} WHERE memory = 'restored'; INSERT INTO {table} SELECT * FROM saved_{table}; COMMIT"
        );
        cluster.sql("postgres", &restore)?;
    }
    let other = connect(&address)?;
    for id in 3..150 {
        insert(&other, id)?;
    }
    let _ = take_last_failure();
    ensure!(ids(&connection).is_err());
    ensure!(take_last_failure().context("it was noted")?.error == HostError::Moved);
    let found = ids(&connect(&address)?)?;
    ensure!(!found.contains(&2) && found.len() == 148, "{found:?}");
    Ok(())
}

#[test]
fn a_read_that_a_standby_ends_says_so_and_may_be_repeated() -> Result<()> {
    let Some(primary) = Cluster::start()? else { return Ok(()) };
    let address = primary.address("conflict");
    let writer = connect(&address)?;
    writer.execute("INSERT INTO t VALUES (1)", [])?;
    let standby = primary.standby()?;
    for setting in ["max_standby_streaming_delay = 0", "hot_standby_feedback = off"] {
        standby.sql("postgres", &format!("ALTER SYSTEM SET {setting}"))?;
    }
    standby.sql("postgres", "SELECT pg_reload_conf()")?;
    let reader = standby.address("conflict");
    let address = Address::parse(&reader, &|_| None)?;
    // The standby applies that rows are removed which an open snapshot sees.
    let remove = |id: u32| -> Result<()> {
        writer.execute("INSERT INTO t VALUES (?1)", [id])?;
        primary.sql("postgres", "VACUUM limbic_pages, limbic_memories")?;
        let written = primary.sql("postgres", "SELECT pg_current_wal_lsn()")?;
        let is_applied = format!("SELECT pg_last_wal_replay_lsn() >= '{written}'");
        while standby.sql("postgres", &is_applied)? != "t" {
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    };
    let mut store = PostgresStore::open(&address, true)?;
    let before = store.head(None)?;
    remove(2)?;
    match store.read(&[0]) {
        Err(StoreError::Cancelled(said)) => ensure!(said.contains("hot_standby_feedback"), "{said}"),
        other => anyhow::bail!("{other:?}"),
    }
    let after = store.head(None)?;
    ensure!(after.version > before.version && store.read(&[0])?.len() == 1);
    Ok(())
}

#[test]
fn a_commit_whose_answer_was_lost_is_found_after_many_others() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let direct = cluster.address("lost-answer");
    let behind = direct.replace(&format!(":{}/", cluster.port()), &format!(":{}/", proxy.port()));
    // Others commit meanwhile.
    let address = Address::parse(&(behind + "&answer_timeout=10"), &|_| None)?;
    let commit = |store: &mut PostgresStore| -> Result<Head> {
        let locked = store.lock(Duration::from_secs(10), None)?;
        ensure!(matches!(locked, Locked::Yes(_)), "{locked:?}");
        Ok(store.commit(&[(0, &[1; PAGE_BYTES])], 4096)?)
    };
    let mut store = PostgresStore::open(&address, false)?;
    let before = commit(&mut store)?.version;
    proxy.silence_after("; COMMIT");
    let unanswered = thread::spawn(move || commit(&mut store));
    let mut other = PostgresStore::open(&Address::parse(&direct, &|_| None)?, false)?;
    loop {
        let version = other.head(None)?.version;
        other.end();
        if version > before {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    for _ in 0..100 {
        commit(&mut other)?;
    }
    let head = unanswered.join().map_err(|_| anyhow!("the thread panicked"))??;
    ensure!(head.version == before + 1);
    Ok(())
}
