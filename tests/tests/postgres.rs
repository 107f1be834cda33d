//! Memories in PostgreSQL: the native server's transcripts, concurrent writers, and failures.
#![cfg(unix)]

mod addresses;
mod backups;
mod commands;
mod distribution;
mod full_disk;
mod inbox;
mod outages;
mod over_http;
mod poolers;
mod removal;
mod repeated_calls;
mod roles;
mod start;
mod stated_errors;
mod tls;
mod troubles;
mod writers;

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_pages::{Address, PageStore, PagesHost, postgres::PostgresStore};
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
};
use limbic_tests::{
    BackEnd, START_MILLIS,
    memory_file::ask,
    stdio::{self, Server},
    transcript,
};
use serde_json::{Value, json};
use tempfile::tempdir;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Runs `limbic`; `command` is split at spaces.
fn limbic(command: &str, address: &str, more: &[&str]) -> Result<Output> {
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(command.split(' ')).args(more).args(["--db", address]);
    Ok(limbic.env("HOME", "/nonexistent").output()?)
}

/// The standard error of a failed command. Asserts that it does not contain the password.
fn failure(output: &Output) -> Result<String> {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(!output.status.success(), "it succeeded: {text}");
    ensure!(!text.contains(PASSWORD), "the password is shown: {text}");
    Ok(text)
}

fn store(server: &mut Server, content: &str) -> Result<Value> {
    ask(server, "memory_store", &json!({ "content": content }))
}

fn contents(server: &mut Server) -> Result<String> {
    Ok(server.call("memory_list", r#"{"limit":100}"#)?.1)
}

/// A connection of SQLite to a memory, without the core.
fn connect(address: &str) -> Result<Connection> {
    let address = Address::parse(address, &|_| None)?;
    let path = address.to_string();
    let host = PagesHost::new(&path, move || {
        PostgresStore::open(&address, false).map(|store| Box::new(store) as Box<dyn PageStore>)
    });
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    Ok(limbic_vfs::connect(&path, flags, host, limbic_vfs::Access::default())?)
}

#[test]
fn transcripts_are_answered_as_on_a_file() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    for (number, case) in transcript::all()?.iter().enumerate() {
        let address = PathBuf::from(cluster.address(&format!("transcript-{number}")));
        let mut server = Server::native_for(&address, case)?;
        let answers = transcript::run(case, &mut server)?;
        server.stop()?;
        let expected = transcript::expected(case)?;
        ensure!(expected == answers, "{}: {}", case.display(), transcript::difference(&expected, &answers));
    }
    Ok(())
}

#[test]
fn servers_see_each_other_s_writes_at_once() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = cluster.address("shared");
    let mut first = Server::native_of_several(Path::new(&address))?;
    let mut second = Server::native_of_several(Path::new(&address))?;
    for number in 0..10 {
        store(&mut first, &format!("The first server wrote line {number}"))?;
        ensure!(contents(&mut second)?.contains(&format!("first server wrote line {number}")));
        store(&mut second, &format!("The second server wrote line {number}"))?;
        ensure!(contents(&mut first)?.contains(&format!("second server wrote line {number}")));
    }
    let mut other = Server::native_of_several(Path::new(&cluster.address("another")))?;
    ensure!(!contents(&mut other)?.contains("wrote line"), "memories of another name are separate");
    Ok(())
}

#[test]
fn a_memory_moves_between_a_file_and_the_store() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let folder = tempdir()?;
    let (file, copy) = (folder.path().join("memory.db"), folder.path().join("copy.db"));
    let mut server = Server::native_of_several(&file)?;
    store(&mut server, "Deploys run on Tuesdays")?;
    server.stop()?;
    let address = cluster.address("moved");
    let path = file.to_str().context("a path is text")?;
    let imported = limbic("pages import", &address, &[path])?;
    ensure!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    let again = failure(&limbic("pages import", &address, &[path])?)?;
    ensure!(again.contains("not empty") && again.contains("?memory="), "{again}");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "Reviews need two people")?;
    server.stop()?;
    let copy_path = copy.to_str().context("a path is text")?;
    let exported = limbic("pages export", &address, &[copy_path])?;
    ensure!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    let taken = failure(&limbic("pages export", &address, &[copy_path])?)?;
    ensure!(taken.contains("--force"), "{taken}");
    let connection = Connection::open(&copy)?;
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(check == "ok", "{check}");
    drop(connection);
    let mut server = Server::native_of_several(&copy)?;
    let found = contents(&mut server)?;
    ensure!(found.contains("Tuesdays") && found.contains("two people"), "{found}");
    let missing = failure(&limbic("pages export", &cluster.address("no-such"), &[copy_path, "--force"])?)?;
    ensure!(missing.contains("there is no memory at") && missing.contains("no-such"), "{missing}");
    Ok(())
}

#[test]
fn the_other_commands_work_on_a_store_or_report_that_they_cannot() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = cluster.address("commands");
    let arguments = r#"{"content":"Backups run at night"}"#;
    ensure!(limbic("call memory_store --no-model", &address, &[arguments])?.status.success());
    let exported = limbic("export --out -", &address, &[])?;
    ensure!(String::from_utf8_lossy(&exported.stdout).contains("Backups run at night"));
    let compacted = limbic("compact", &address, &[])?;
    ensure!(compacted.status.success(), "{}", String::from_utf8_lossy(&compacted.stderr));
    let listed = limbic("call memory_list --read-only --no-model", &address, &["{}"])?;
    ensure!(String::from_utf8_lossy(&listed.stdout).contains("Backups run at night"));
    let checked = limbic("check", &address, &[])?;
    let summary = String::from_utf8_lossy(&checked.stderr).into_owned();
    ensure!(checked.status.success() && summary.contains("no damage found in "), "{summary}");
    let locks = failure(&limbic("unlock", &address, &[])?)?;
    ensure!(locks.contains("has no lock files"), "{locks}");
    Ok(())
}

/// Creates a database with a memory.
fn prepared(cluster: &Cluster, database: &str) -> Result<String> {
    cluster.sql("postgres", &format!("CREATE DATABASE {database}"))?;
    let address = cluster.address_of("limbic", PASSWORD, database, "team");
    let made = limbic("call memory_store --no-model", &address, &[r#"{"content":"It was here before"}"#])?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Ok(address)
}

#[test]
fn a_store_of_a_newer_format_is_unchanged() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "newer_format")?;
    cluster.sql("newer_format", "UPDATE limbic_store SET format = 2")?;
    let before = cluster.sql("newer_format", "SELECT version FROM limbic_memories")?;
    let refused =
        limbic("call memory_store --no-model", &address, &[r#"{"content":"It must not be stored"}"#])?;
    let text =
        String::from_utf8_lossy(&refused.stdout).into_owned() + &String::from_utf8_lossy(&refused.stderr);
    ensure!(
        !refused.status.success() && text.contains("format 2") && text.contains("newest limbic"),
        "{text}"
    );
    ensure!(before == cluster.sql("newer_format", "SELECT version FROM limbic_memories")?);
    Ok(())
}

#[test]
fn an_older_program_leaves_a_newer_schema_unchanged() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = cluster.address("newer-schema");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "Schemas grow")?;
    server.stop()?;
    connect(&address)?.execute_batch("PRAGMA user_version = 999")?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    let (is_error, answer) = server.call("memory_list", "{}")?;
    ensure!(is_error && answer.contains("newer_version") && answer.contains("999"), "{answer}");
    let version: i64 = connect(&address)?.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    ensure!(version == 999);
    Ok(())
}

#[test]
fn a_missing_privilege_is_named_in_the_error() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    prepared(&cluster, "rights")?;
    cluster.sql("rights", &format!("CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'"))?;
    cluster.sql("rights", "GRANT SELECT ON limbic_store, limbic_memories, limbic_pages TO reader")?;
    let address = cluster.address_of("reader", PASSWORD, "rights", "team");
    let call = |how: &str| limbic(how, &address, &["{}"]);
    let told = call("call memory_list --no-model")?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned() + &failure(&told)?;
    ensure!(text.contains("role reader may not write") && text.contains("UPDATE"), "{text}");
    let read = call("call memory_list --no-model --read-only")?;
    ensure!(String::from_utf8_lossy(&read.stdout).contains("It was here before"));
    // A role without the right to create, in a database without the tables.
    cluster.sql("postgres", "CREATE DATABASE empty")?;
    cluster.sql("empty", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")?;
    let address = cluster.address_of("reader", PASSWORD, "empty", "team");
    let told = limbic("call memory_list --no-model", &address, &["{}"])?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned() + &failure(&told)?;
    ensure!(text.contains("CREATE on the schema"), "{text}");
    Ok(())
}

#[test]
fn wrong_addresses_are_explained_without_the_password() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let wrong = cluster.address_of("limbic", "another-secret", "postgres", "team");
    for (address, says) in [
        (wrong.as_str(), "password authentication failed"),
        (&cluster.address_of("limbic", PASSWORD, "nowhere", "team"), "does not exist"),
        (&cluster.address("no/name"), "memory must be 1 to 63 letters"),
        (&cluster.address("team password=another-secret"), "memory must be 1 to 63 letters"),
        (&(cluster.address("x") + "&sslmode=maybe"), "sslmode must be"),
        (&(cluster.address("x") + "&sslmode=require"), "does not support TLS): have it offer TLS"),
        (&cluster.address(&"x".repeat(64)), "memory must be at most 63 characters long, but got 64"),
        (&(cluster.address("x") + "&memory=y"), "the address has memory more than once"),
        (&(cluster.address("x") + "&service=none"), "no service file defines the service"),
        (&(cluster.address("x") + "&sslmode=verify-full&sslrootcert=/nonexistent"), "cannot be read"),
        ("postgres://limbic:a@b@127.0.0.1/postgres", "%40"),
        ("postgres://limbic:12/a@b@127.0.0.1/postgres", "%2F"),
        ("postgres://limbic:12?another-secret@127.0.0.1/postgres?memory=x", "%3F"),
        ("POSTGRES://limbic:another-secret@127.0.0.1/postgres", "begins with postgres://"),
        ("host=127.0.0.1 password=another-secret", "begins with postgres://"),
        (&cluster.address("x").replace(&format!(":{PASSWORD}"), ""), "set PGPASSWORD"),
    ] {
        let told = limbic("call memory_list --no-model", address, &["{}"])?;
        let text = String::from_utf8_lossy(&told.stdout).into_owned() + &failure(&told)?;
        ensure!(text.contains(says), "{says:?} is not in {text}");
        ensure!(!text.contains("another-secret") && !text.contains("a@b"), "{text}");
    }
    Ok(())
}

#[test]
fn the_password_file_must_be_private() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let folder = tempdir()?;
    let file = folder.path().join("passwords");
    std::fs::write(&file, format!("127.0.0.1:*:postgres:limbic:{PASSWORD}\n"))?;
    let address = cluster.address("passfile").replace(&format!(":{PASSWORD}"), "");
    let call = || -> Result<Output> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        limbic.args(["call", "memory_list", "--no-model", "--db", &address]).env("PGPASSFILE", &file);
        Ok(limbic.output()?)
    };
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644))?;
    ensure!(failure(&call()?)?.contains("chmod 600"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))?;
    let answered = call()?;
    ensure!(answered.status.success(), "{}", String::from_utf8_lossy(&answered.stderr));
    Ok(())
}

#[test]
fn each_server_of_an_address_has_its_own_line_of_the_password_file() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (folder, away) = (tempdir()?, free_port()?);
    let file = folder.path().join("passwords");
    let lines = format!("127.0.0.1:{away}:*:*:wrong\n127.0.0.1:{}:*:*:{PASSWORD}\n", cluster.port());
    std::fs::write(&file, lines)?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))?;
    let hosts = format!("127.0.0.1:{away},127.0.0.1:{}", cluster.port());
    let address = format!("postgres://limbic@{hosts}/postgres?memory=passfile");
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(["call", "memory_list", "--no-model", "--db", &address]).env("PGPASSFILE", &file);
    let answered = limbic.output()?;
    ensure!(answered.status.success(), "{}", String::from_utf8_lossy(&answered.stderr));
    Ok(())
}

#[test]
fn a_server_reconnects_after_a_restart_of_postgresql() -> Result<()> {
    let Some(cluster) = Cluster::start()? else { return Ok(()) };
    let address = cluster.address("away") + "&connect_timeout=1";
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    let token = String::from_utf8(limbic("token create ada", &address, &[])?.stdout)?;
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(["serve", "--no-model", "--db", &address]);
    let over_http = http::Server::start(&mut limbic, free_port()?)?;
    let ping = || http::Client::with_token(over_http.port, token.trim()).post(PING);
    ensure!(ping()?.status == 200);
    cluster.crash()?;
    let response = ping()?;
    ensure!(response.status == 503 && response.body.contains("tokens_unavailable"), "{response:?}");
    let (is_error, answer) = server.call("memory_store", r#"{"content":"It is stored while it is away"}"#)?;
    ensure!(is_error && answer.contains("does not answer") && !answer.contains(PASSWORD), "{answer}");
    cluster.resume()?;
    let found = contents(&mut server)?;
    ensure!(found.contains("stored before") && !found.contains("while it is away"), "{found}");
    ensure!(ping()?.status == 200, "the token is accepted again");
    store(&mut server, "It is stored afterwards")?;
    ensure!(contents(&mut server)?.contains("stored afterwards"));
    // A connection that an administrator ended is replaced without an error.
    cluster.sql(
        "postgres",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'limbic'",
    )?;
    store(&mut server, "It is stored on a new connection")?;
    ensure!(!cluster.log()?.contains("It is stored"), "the server's log holds contents");
    server.stop()
}

#[test]
fn servers_whose_clocks_differ_by_an_hour_see_and_change_the_same_memories() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = PathBuf::from(cluster.address("clocks"));
    let hour_millis = 3_600_000;
    let mut servers =
        [-hour_millis, hour_millis].into_iter().map(|by| Server::native_at(&address, START_MILLIS + by));
    let (mut slow, mut fast) =
        (servers.next().context("there are two")??, servers.next().context("there are two")??);
    let from_ahead = store(&mut fast, "Written by the server whose clock is ahead")?;
    let id = from_ahead["memory"]["id"].clone();
    ensure!(contents(&mut slow)?.contains("whose clock is ahead"));
    store(&mut slow, "Written by the server whose clock is behind")?;
    ensure!(contents(&mut fast)?.contains("whose clock is behind"));
    let change = json!({ "id": id, "content": "Changed by the server whose clock is behind" });
    let (is_error, answer) = slow.call("memory_update", &change.to_string())?;
    ensure!(!is_error, "{answer}");
    ensure!(contents(&mut fast)?.contains("Changed by the server"));
    // Either server drains the embedding queue, whose tasks are leased for ten seconds.
    let (is_error, answer) = slow.call("memory_recall", r#"{"query":"whose clock"}"#)?;
    ensure!(!is_error && answer.contains("Changed by the server"), "{answer}");
    slow.stop()?;
    fast.stop()
}

#[test]
fn servers_that_create_the_same_memory_at_once_share_it() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql("postgres", "CREATE DATABASE created_at_once")?;
    let address = cluster.address_of("limbic", PASSWORD, "created_at_once", "team");
    let made: Vec<_> = (0..6)
        .map(|number| {
            let address = address.clone();
            thread::spawn(move || {
                let content = json!({ "content": format!("Server {number} was there") }).to_string();
                limbic("call memory_store --no-model", &address, &[&content])
            })
        })
        .collect();
    for one in made {
        let one = one.join().map_err(|_| anyhow::anyhow!("a client panicked"))??;
        ensure!(one.status.success(), "{}", String::from_utf8_lossy(&one.stdout));
    }
    ensure!(cluster.sql("created_at_once", "SELECT count(*) FROM limbic_memories")? == "1");
    let listed = limbic("call memory_list --no-model", &address, &["{}"])?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for number in 0..6 {
        ensure!(listed.contains(&format!("Server {number} was there")), "{listed}");
    }
    Ok(())
}

#[test]
fn connections_are_set_by_libpq_s_variables_and_service_files() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let folder = tempdir()?;
    let file = folder.path().join("services");
    let port = cluster.port();
    std::fs::write(
        &file,
        format!("[team]\nhost=127.0.0.1\nport={port}\nuser=limbic\ndbname=postgres\npassword={PASSWORD}\n"),
    )?;
    let call = |address: &str, variables: &[(&str, &str)]| -> Result<Output> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        limbic.args(["call", "memory_list", "--no-model", "--db", address]);
        Ok(limbic.envs(variables.iter().copied()).output()?)
    };
    let services = file.to_str().context("a path is text")?;
    let address = format!("postgres://limbic@127.0.0.1:{port}/postgres?memory=variables");
    for (address, variables) in [
        ("postgres:///?memory=variables&service=team", vec![("PGSERVICEFILE", services)]),
        ("postgres:///?memory=variables", vec![("PGSERVICEFILE", services), ("PGSERVICE", "team")]),
        (&address, vec![("PGPASSWORD", PASSWORD)]),
    ] {
        let called = call(address, &variables)?;
        let text = String::from_utf8_lossy(&called.stdout);
        ensure!(called.status.success(), "{address}: {text}");
    }
    let wrong = call(&address, &[("PGPASSWORD", "another-secret")])?;
    let text = String::from_utf8_lossy(&wrong.stdout).into_owned() + &failure(&wrong)?;
    ensure!(text.contains("password authentication failed") && !text.contains("another-secret"), "{text}");
    Ok(())
}

#[test]
fn a_commit_whose_answer_was_lost_is_acknowledged_once_the_standby_has_it() -> Result<()> {
    let Some(primary) = Cluster::start()? else { return Ok(()) };
    let standby = primary.standby()?;
    let address = primary.address_with(&standby, "confirmed");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    primary.wait_for_standby()?;
    // From here on, commits wait for the standby: only the primary has them on disk.
    standby.crash()?;
    let writer = thread::spawn(move || -> Result<(bool, String)> {
        server.call("memory_store", r#"{"content":"Its answer was lost"}"#)
    });
    let waiting = || -> Result<bool> {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        Ok(primary.sql("postgres", sql)? != "0")
    };
    eventually("a commit waits for the standby", waiting)?;
    primary.crash()?;
    primary.resume()?;
    // The commit is visible after the restart. It must not be acknowledged: the standby may be promoted at any time.
    eventually("the server confirms the commit", || Ok(writer.is_finished() || waiting()?))?;
    ensure!(!writer.is_finished(), "the commit was acknowledged while only the primary had it");
    standby.resume()?;
    let (is_error, answer) = writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
    ensure!(!is_error, "{answer}");
    primary.crash()?;
    standby.promote()?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    ensure!(contents(&mut server)?.contains("Its answer was lost"));
    server.stop()
}

/// Waits until a condition holds, for at most 30 seconds.
fn eventually(what: &str, is_so: impl Fn() -> Result<bool>) -> Result<()> {
    let start = Instant::now();
    while !is_so()? {
        ensure!(start.elapsed() < Duration::from_secs(30), "it did not happen in time: {what}");
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[test]
fn the_node_server_reports_that_it_cannot_open_a_store() -> Result<()> {
    let address = format!("postgres://limbic:{PASSWORD}@db.example/team");
    // A hook logs the error and does not fail the client.
    for (command, code) in [
        (&[][..], 2),
        (&["export", "--out", "-"], 2),
        (&["audit"], 2),
        (&["inbox"], 2),
        (&["check"], 2),
        (&["compact"], 2),
        (&["token", "list"], 2),
        (&["key", "rotate"], 2),
        (&["unlock"], 2),
        (&["hook", "session-start"], 0),
    ] {
        let mut node = Command::new("node");
        let node = node.arg(stdio::node_main()?).args(command).args(["--db", &address]).stdin(Stdio::null());
        let output = node.output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(code), "{command:?}: {}: {text}", output.status);
        ensure!(text.contains("native server alone opens"), "{command:?}: {text}");
        ensure!(text.contains("run limbic serve") && !text.contains(PASSWORD), "{command:?}: {text}");
    }
    Ok(())
}
