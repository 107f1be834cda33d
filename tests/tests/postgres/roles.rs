//! The rights that a role needs, and the tables that its servers set up.

use std::{path::Path, thread, time::Duration};

use anyhow::{Result, ensure};
use limbic_support::postgres::{Cluster, PASSWORD};
use limbic_tests::stdio::Server;

use super::{connect, limbic, outages::wait_for, store};

#[test]
fn a_role_without_superuser_creates_the_tables_with_their_vacuum_settings() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql("postgres", "CREATE DATABASE created_by_role")?;
    cluster.sql("postgres", &format!("CREATE ROLE creator LOGIN PASSWORD '{PASSWORD}'"))?;
    cluster.sql(
        "created_by_role",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON SCHEMA public TO creator",
    )?;
    let address = cluster.address_of("creator", PASSWORD, "created_by_role", "team");
    let stored =
        limbic("call memory_store --no-model", &address, &[r#"{"content":"It was stored by a role"}"#])?;
    ensure!(stored.status.success(), "{}", String::from_utf8_lossy(&stored.stdout));
    let token = limbic("token create ada", &address, &[])?;
    ensure!(token.status.success(), "{}", String::from_utf8_lossy(&token.stderr));
    let owners = "SELECT string_agg(DISTINCT tableowner, ',') FROM pg_tables WHERE tablename LIKE 'limbic%'";
    ensure!(cluster.sql("created_by_role", owners)? == "creator");
    let options = |table: &str| {
        let sql = format!(
            "SELECT array_to_string(main.reloptions || toast.reloptions, ',') FROM pg_class AS main \
             LEFT JOIN pg_class AS toast ON toast.oid = main.reltoastrelid WHERE main.relname = '{table}'"
        );
        cluster.sql("created_by_role", &sql)
    };
    for (table, settings) in [
        ("limbic_memories", &["autovacuum_vacuum_threshold=200", "autovacuum_vacuum_cost_delay=0"][..]),
        (
            "limbic_pages",
            &[
                "autovacuum_vacuum_scale_factor=0.01",
                "autovacuum_vacuum_threshold=500",
                "autovacuum_vacuum_threshold=1500",
            ],
        ),
    ] {
        let found = options(table)?;
        for setting in settings {
            ensure!(
                found.split(',').any(|option| option == *setting),
                "{table}: {setting} is not in {found}"
            );
        }
    }
    Ok(())
}

#[test]
fn limits_of_a_role_for_its_sessions_do_not_end_transactions() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql("postgres", "CREATE DATABASE limited")?;
    cluster.sql("postgres", &format!("CREATE ROLE limited LOGIN PASSWORD '{PASSWORD}'"))?;
    cluster.sql("limited", "GRANT CREATE ON SCHEMA public TO limited")?;
    for setting in ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"] {
        cluster.sql("postgres", &format!("ALTER ROLE limited SET {setting} = 1"))?;
    }
    let address = cluster.address_of("limited", PASSWORD, "limited", "team");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored by a limited role")?;
    server.stop()?;
    let connection = connect(&address)?;
    connection.execute_batch("BEGIN")?;
    let version = || connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    let before = version()?;
    thread::sleep(Duration::from_millis(200));
    let state: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(state == "ok" && version()? == before, "{state}");
    Ok(())
}

#[test]
fn a_role_without_a_connection_left_is_told_what_to_raise() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql("postgres", &format!("CREATE ROLE single LOGIN CONNECTION LIMIT 1 PASSWORD '{PASSWORD}'"))?;
    cluster.sql("postgres", "CREATE DATABASE single OWNER single")?;
    let address = cluster.address_of("single", PASSWORD, "single", "team") + "&connect_timeout=1";
    let holder = connect(&address)?;
    holder.execute_batch("BEGIN; SELECT 1 FROM sqlite_schema")?;
    let refused = super::failure(&limbic("pages list", &address, &[])?)?;
    ensure!(refused.contains("too many connections") && refused.contains("CONNECTION LIMIT"), "{refused}");
    drop(holder);
    wait_for("it is free again", || Ok(limbic("pages list", &address, &[])?.status.success()))
}

#[test]
fn commits_stay_durable_when_the_default_is_changed() -> Result<()> {
    let Some(cluster) = Cluster::start()? else { return Ok(()) };
    let address = cluster.address("durable");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    for statement in [
        "CREATE TABLE commits (setting text)",
        "GRANT INSERT ON commits TO PUBLIC",
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN new; END $$",
        "CREATE TRIGGER note BEFORE UPDATE ON limbic_memories FOR EACH ROW EXECUTE FUNCTION note()",
        "ALTER SYSTEM SET synchronous_commit = off",
        "SELECT pg_reload_conf()",
    ] {
        cluster.sql("postgres", statement)?;
    }
    wait_for("new sessions have the new default", || {
        Ok(cluster.sql("postgres", "SHOW synchronous_commit")? == "off")
    })?;
    store(&mut server, "It was stored after the change")?;
    server.stop()?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored by a new session")?;
    server.stop()?;
    let settings = cluster.sql("postgres", "SELECT DISTINCT setting FROM commits")?;
    ensure!(settings == "on", "{settings}");
    Ok(())
}
