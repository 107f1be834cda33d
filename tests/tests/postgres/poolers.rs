//! PgBouncer between servers and PostgreSQL.

use std::path::Path;

use anyhow::{Result, ensure};
use limbic_support::{pgbouncer::PgBouncer, postgres::Cluster};
use limbic_tests::stdio::Server;

use super::{contents, failure, limbic, store};

/// The address of a memory through a pooler.
fn through(pooler: &PgBouncer, cluster: &Cluster, memory: &str) -> String {
    let direct = cluster.address(memory);
    direct.replace(&format!(":{}/", cluster.port()), &format!(":{}/", pooler.port())) + "&sslmode=disable"
}

/// A cluster that asks its owner for no password.
fn cluster() -> Result<Option<Cluster>> {
    let Some(cluster) = Cluster::start()? else { return Ok(None) };
    cluster.add_rules("host all limbic all trust")?;
    Ok(Some(cluster))
}

#[test]
fn the_first_client_of_a_pooler_that_shares_sessions_is_refused() -> Result<()> {
    let Some(cluster) = cluster()? else { return Ok(()) };
    for settings in [
        "pool_mode = transaction",
        "pool_mode = transaction\ndefault_pool_size = 1",
        "pool_mode = transaction\nserver_round_robin = 1",
        "pool_mode = statement",
    ] {
        let Some(pooler) = PgBouncer::start(&cluster, settings)? else { return Ok(()) };
        let address = through(&pooler, &cluster, "shared");
        for option in ["--private-log", "--read-only"] {
            let output = limbic("call memory_list {} --no-model", &address, &[option])?;
            let refused = failure(&output)? + &String::from_utf8_lossy(&output.stdout);
            ensure!(
                refused.contains("leads to a pooler") && refused.contains("pool_mode=session"),
                "{settings}, {option}: {refused}"
            );
        }
        for command in ["check", "token create laptop", "token list"] {
            let refused = failure(&limbic(command, &address, &[])?)?;
            ensure!(refused.contains("leads to a pooler"), "{settings}, {command}: {refused}");
        }
    }
    let tables = cluster.sql("postgres", "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'limbic%'")?;
    ensure!(tables == "0", "nothing is created through it");
    Ok(())
}

#[test]
fn a_pooler_that_gives_each_connection_a_session_is_used_also_when_none_is_left() -> Result<()> {
    let Some(cluster) = cluster()? else { return Ok(()) };
    for (memory, settings) in
        [("session", "pool_mode = session"), ("last-session", "pool_mode = session\ndefault_pool_size = 1")]
    {
        let Some(pooler) = PgBouncer::start(&cluster, settings)? else { return Ok(()) };
        let mut server = Server::native_of_several(Path::new(&through(&pooler, &cluster, memory)))?;
        store(&mut server, "It came through a pooler")?;
        ensure!(contents(&mut server)?.contains("through a pooler"), "{settings}");
        server.stop()?;
    }
    Ok(())
}

#[test]
fn a_pool_without_a_session_for_a_server_is_named_with_what_to_raise() -> Result<()> {
    let Some(cluster) = cluster()? else { return Ok(()) };
    for wait in ["query_wait_timeout = 2", "query_wait_timeout = 120"] {
        let settings = format!("pool_mode = session\ndefault_pool_size = 1\n{wait}");
        let Some(pooler) = PgBouncer::start(&cluster, &settings)? else { return Ok(()) };
        let address = through(&pooler, &cluster, "small-pool") + "&connect_timeout=5";
        let mut server = Server::native_of_several(Path::new(&address))?;
        store(&mut server, "It came through a pooler")?;
        let second = limbic("call memory_list --no-model", &address, &["{}"])?;
        let refused = failure(&second)? + &String::from_utf8_lossy(&second.stdout);
        ensure!(
            refused.contains("default_pool_size") && !refused.contains("leads to a pooler"),
            "{wait}: {refused}"
        );
        server.stop()?;
    }
    Ok(())
}

#[test]
fn a_setting_that_a_pooler_refuses_is_named_with_what_to_do() -> Result<()> {
    let Some(cluster) = cluster()? else { return Ok(()) };
    let Some(pooler) = PgBouncer::start(&cluster, "pool_mode = session")? else { return Ok(()) };
    let address = through(&pooler, &cluster, "options") + "&options=-c%20geqo%3Doff";
    let output = limbic("call memory_list --no-model", &address, &["{}"])?;
    let refused = failure(&output)? + &String::from_utf8_lossy(&output.stdout);
    ensure!(
        refused.contains("ignore_startup_parameters") && !refused.contains("does not answer"),
        "{refused}"
    );
    Ok(())
}
