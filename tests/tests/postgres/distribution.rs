//! Whether a database can be distributed by memory, over several servers or by Citus, which is not installed here:
//! every key begins with the memory, nothing refers across it, and no statement reads or writes the rows of another
//! one.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_support::postgres::Cluster;
use limbic_tests::stdio::Server;
use tempfile::tempdir;

use super::{contents, limbic, outages::wait_for, store};

/// The tables whose rows belong to memories. `limbic_store` has the format of the tables, and is the same everywhere.
const TABLES: [&str; 3] = ["limbic_memories", "limbic_pages", "limbic_tokens"];

/// An address in a database of its own, with the tables and one memory.
fn prepared(cluster: &Cluster, database: &str) -> Result<String> {
    cluster.sql("postgres", &format!("CREATE DATABASE {database}"))?;
    let address = cluster.address("alpha").replace("/postgres?", &format!("/{database}?"));
    let token = limbic("token create ada", &address, &[])?;
    ensure!(token.status.success(), "{}", String::from_utf8_lossy(&token.stderr));
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored in alpha")?;
    server.stop()?;
    Ok(address)
}

#[test]
fn every_key_begins_with_the_memory_and_nothing_refers_across_it() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    prepared(&cluster, "catalogue")?;
    let sql = |sql: &str| cluster.sql("catalogue", sql);
    let tables = sql("SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class \
         WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace")?;
    ensure!(tables == "limbic_memories,limbic_pages,limbic_store,limbic_tokens", "{tables}");
    // Each index, unique or not, with its first column.
    let indices =
        sql("SELECT string_agg(concat_ws(' ', i.indrelid::regclass, i.indisprimary, a.attname), ',' \
             ORDER BY i.indexrelid::regclass::text) FROM pg_index AS i \
         JOIN pg_class AS t ON t.oid = i.indrelid AND t.relnamespace = 'public'::regnamespace \
         LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]")?;
    ensure!(indices.split(',').all(|index| index.ends_with(" memory")), "{indices}");
    for table in TABLES {
        ensure!(indices.contains(&format!("{table} t memory")), "{table} has no primary key: {indices}");
    }
    // Foreign keys, exclusion constraints, triggers, and sequences, whose numbers all servers would share.
    let others = "SELECT (SELECT count(*) FROM pg_constraint WHERE contype IN ('f', 'x')
            AND connamespace = 'public'::regnamespace)
        + (SELECT count(*) FROM pg_trigger) + (SELECT count(*) FROM pg_class WHERE relkind = 'S')";
    ensure!(sql(others)? == "0");
    Ok(())
}

/// SQL that divides a table into the rows of alpha and those of all other memories, as a distributed database would.
fn division(table: &str, key: &str) -> String {
    format!(
        "ALTER TABLE {table} RENAME TO undivided;
         CREATE TABLE {table} (LIKE undivided INCLUDING DEFAULTS, PRIMARY KEY ({key})) PARTITION BY LIST (memory);
         CREATE TABLE {table}_alpha PARTITION OF {table} FOR VALUES IN ('alpha');
         CREATE TABLE {table}_others PARTITION OF {table} DEFAULT;
         INSERT INTO {table} SELECT * FROM undivided;
         DROP TABLE undivided;"
    )
}

#[test]
fn no_statement_visits_the_rows_of_another_memory() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "divided")?;
    let other = address.replace("memory=alpha", "memory=beta");
    let sql = |sql: &str| cluster.sql("divided", sql);
    for (table, key) in TABLES.iter().zip(["memory", "memory, page", "memory, name"]) {
        sql(&division(table, key))?;
    }
    sql(
        "CREATE UNIQUE INDEX ON limbic_tokens (memory, sha256); CREATE INDEX ON limbic_pages (memory, version)",
    )?;
    let mut server = Server::native_of_several(Path::new(&other))?;
    store(&mut server, "It was stored in beta")?;
    server.stop()?;
    ensure!(limbic("token create bob", &other, &[])?.status.success());
    let visits = |part: &str| -> Result<i64> {
        // A backend reports what it did when it ends.
        let backends =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'divided' AND pid <> pg_backend_pid()
            AND backend_type = 'client backend'";
        wait_for("all backends have ended", || Ok(sql(backends)? == "0"))?;
        let visits = sql(&format!(
            "SELECT sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del) \
             FROM pg_stat_user_tables WHERE relname LIKE 'limbic%{part}'"
        ))?;
        visits.parse().with_context(|| visits)
    };
    let (alpha, others) = (visits("_alpha")?, visits("_others")?);
    let folder = tempdir()?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored in alpha as well")?;
    let found = contents(&mut server)?;
    ensure!(found.contains("in alpha as well") && !found.contains("beta"), "{found}");
    server.stop()?;
    let file = folder.path().join("alpha.db");
    let file = file.to_str().context("a path is text")?;
    for (command, more) in [
        ("pages export", &[file][..]),
        ("token list", &[]),
        ("token revoke ada", &[]),
        ("compact", &[]),
        ("check", &[]),
    ] {
        let done = limbic(command, &address, more)?;
        ensure!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    }
    ensure!(visits("_alpha")? > alpha, "the statistics do not show what was done");
    ensure!(visits("_others")? == others, "rows of other memories were visited");
    Ok(())
}
