//! Calls of a server that only reads, whose transactions PostgreSQL ends: a standby does so to apply what its primary
//! has removed.

use std::process::Command;

use anyhow::{Result, ensure};
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
};
use limbic_tests::stdio;
use serde_json::json;

use super::prepared;

/// More than are repeated within one transaction, and fewer than a call repeats.
const CONFLICTS: u32 = 10;

#[test]
fn a_call_of_a_server_that_only_reads_is_repeated_as_a_whole() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let owner = prepared(&cluster, "conflicts")?;
    // Statements that read pages fail as on a standby, until the sequence has passed a number.
    for sql in [
        format!("CREATE ROLE reading LOGIN PASSWORD '{PASSWORD}'"),
        "GRANT SELECT, INSERT, UPDATE, DELETE ON limbic_store, limbic_memories, limbic_pages TO reading"
            .to_owned(),
        "CREATE SEQUENCE attempts; CREATE TABLE conflicts (until bigint); INSERT INTO conflicts VALUES (0)"
            .to_owned(),
        "CREATE FUNCTION is_shown() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER VOLATILE AS $$ BEGIN \
         IF nextval('attempts') <= (SELECT until FROM conflicts) THEN \
         RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001'; \
         END IF; RETURN true; END $$"
            .to_owned(),
        "ALTER TABLE limbic_pages ENABLE ROW LEVEL SECURITY".to_owned(),
        "CREATE POLICY shown ON limbic_pages TO reading USING (is_shown()) WITH CHECK (true)".to_owned(),
    ] {
        cluster.sql("conflicts", &sql)?;
    }
    let address = cluster.address_of("reading", PASSWORD, "conflicts", "team");
    let start = |more: &[&str]| -> Result<http::Server> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        http::Server::start(limbic.args(["serve", "--no-model", "--db", &address]).args(more), free_port()?)
    };
    let written = http::Server::start(
        Command::new(stdio::limbic_binary()?).args(["serve", "--no-model", "--db", &owner]),
        free_port()?,
    )?;
    let writer = http::Client::new(written.port);
    for (options, repeats) in [(&["--read-only"][..], true), (&[], false)] {
        let server = start(options)?;
        let client = http::Client::new(server.port);
        ensure!(!client.call("memory_list", &json!({}))?.0);
        let content = format!("It is read with {options:?}");
        ensure!(!writer.call("memory_store", &json!({ "content": content }))?.0);
        let fails = format!("UPDATE conflicts SET until = {CONFLICTS} + (SELECT last_value FROM attempts)");
        cluster.sql("conflicts", &fails)?;
        let (is_error, answer) = client.call("memory_list", &json!({}))?;
        let answer = answer.to_string();
        if repeats {
            ensure!(!is_error && answer.contains("It is read with"), "{answer}");
        } else {
            ensure!(is_error && answer.contains("conflict with recovery"), "{answer}");
        }
        cluster.sql("conflicts", "UPDATE conflicts SET until = 0")?;
    }
    Ok(())
}
