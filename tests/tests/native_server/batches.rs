//! Batches of protocol 2025-03-26 on standard input and output, which both servers answer alike.

use anyhow::{Context, Result, ensure};
use limbic_tests::stdio::Program;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::{Raw, SLOW, initialize};

const PROGRAMS: [Program; 2] = [Program::Native, Program::Node];
/// The version with batches.
const VERSION: &str = "2025-03-26";
const INVALID_REQUEST: i64 = -32600;
const NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

fn batch(messages: &[&str]) -> String {
    format!("[{}]", messages.join(","))
}

/// A server whose client has asked for a version.
fn begun(program: Program, version: &str, options: &[&str]) -> Result<(tempfile::TempDir, Raw)> {
    let folder = tempdir()?;
    let mut server = Raw::of(program, &folder.path().join("memory.db"), |command| {
        command.args(options);
    })?;
    server.send(&initialize(version))?;
    ensure!(server.answer()?["result"]["protocolVersion"] == version);
    Ok((folder, server))
}

/// The id of each response of a list with the code of its error, in no particular order.
fn outcomes(line: &Value) -> Result<Vec<String>> {
    let responses = line.as_array().with_context(|| format!("it is no list: {line}"))?;
    let outcome = |response: &Value| json!([response["id"], response["error"]["code"]]).to_string();
    let mut outcomes: Vec<String> = responses.iter().map(outcome).collect();
    outcomes.sort_unstable();
    Ok(outcomes)
}

#[test]
fn a_batch_is_refused_before_the_initialisation_and_in_other_versions() -> Result<()> {
    for program in PROGRAMS {
        let folder = tempdir()?;
        let early = Raw::of(program, &folder.path().join("memory.db"), |_| {})?;
        let mut servers = vec![("none", folder, early)];
        for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
            let (folder, server) = begun(program, version, &[])?;
            servers.push((version, folder, server));
        }
        for (version, _folder, mut server) in servers {
            server.send(&batch(&[&ping("1"), &ping("2")]))?;
            server.send(&ping("3"))?;
            let (refused, next) = (server.next()?, server.next()?);
            let error = &refused["error"];
            ensure!(refused["id"].is_null() && error["code"] == INVALID_REQUEST, "{program:?} {refused}");
            let told = "This version of the protocol has no batches: send each message by itself";
            ensure!(error["message"] == told, "{program:?} {version}: {refused}");
            ensure!(next["id"] == 3, "{program:?} {version}: {next}");
        }
    }
    Ok(())
}

#[test]
fn a_batch_has_one_line_of_responses() -> Result<()> {
    for program in PROGRAMS {
        let (_folder, mut server) = begun(program, VERSION, &[])?;
        let again = initialize(VERSION).replace("\"id\":0", "\"id\":\"again\"");
        let messages: [&str; 10] = [
            &ping("1"),
            &call("\"call\"", "memory_list", "{}"),
            NOTIFICATION,
            "7",
            "[]",
            &again,
            &ping("1e0"),
            r#"{"jsonrpc":"2.0","id":"x","method":"no/such"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        ];
        server.send(&batch(&messages))?;
        let line = server.next()?;
        let mut expected = [
            "[1,null]",
            "[\"call\",null]",
            "[null,-32600]",
            "[null,-32600]",
            "[\"again\",-32600]",
            "[1.0,null]",
            "[\"x\",-32601]",
            "[null,-32600]",
        ];
        expected.sort_unstable();
        ensure!(outcomes(&line)? == expected, "{program:?}: {line}");
        // The session is still that of the first initialisation, and single messages are answered by themselves.
        server.send(&ping("5"))?;
        let answer = server.next()?;
        ensure!(answer["id"] == 5 && answer["result"].is_object(), "{program:?}: {answer}");
    }
    Ok(())
}

#[test]
fn a_batch_has_a_size_and_one_of_notifications_has_no_response() -> Result<()> {
    for program in PROGRAMS {
        let (_folder, mut server) = begun(program, VERSION, &[])?;
        let pings = |count: u32| -> String {
            let pings: Vec<String> = (0..count).map(|id| ping(&id.to_string())).collect();
            format!("[{}]", pings.join(","))
        };
        for (line, told) in [
            ("[]".to_owned(), "A batch must contain a message"),
            (pings(101), "A batch has at most 100 messages: send several"),
        ] {
            server.send(&line)?;
            let refused = server.next()?;
            let error = &refused["error"];
            ensure!(refused["id"].is_null() && error["code"] == INVALID_REQUEST, "{program:?}: {refused}");
            ensure!(error["message"] == told, "{program:?}: {refused}");
        }
        server.send(&batch(&[NOTIFICATION, NOTIFICATION]))?;
        server.send(&pings(100))?;
        let line = server.next()?;
        ensure!(line.as_array().is_some_and(|list| list.len() == 100), "{program:?}: {line}");
    }
    Ok(())
}

#[test]
fn a_cancelled_request_of_a_batch_has_no_response() -> Result<()> {
    for program in PROGRAMS {
        let (_folder, mut server) = begun(program, VERSION, &["--toolsets", "memory,explorer"])?;
        let messages = [&ping("1"), &call("2", "query_sql", SLOW), &call("3", "memory_list", "{}")];
        server.send(&batch(&messages.map(String::as_str)))?;
        server.cancel(2)?;
        let line = server.next()?;
        ensure!(outcomes(&line)? == ["[1,null]", "[3,null]"], "{program:?}: {line}");
        // A batch of which all requests are cancelled has no line.
        server.send(&batch(&[&call("4", "query_sql", SLOW)]))?;
        server.cancel(4)?;
        server.send(&call("5", "memory_list", "{}"))?;
        let answer = server.next()?;
        ensure!(answer["id"] == 5, "{program:?}: {answer}");
    }
    Ok(())
}

#[test]
fn a_batch_is_answered_if_the_input_ends_behind_it() -> Result<()> {
    for program in PROGRAMS {
        let (_folder, mut server) = begun(program, VERSION, &[])?;
        let stored = call("1", "memory_store", r#"{"content": "Deploys run on Tuesdays"}"#);
        server.send(&batch(&[&stored, &call("2", "memory_list", "{}")]))?;
        server.end_input();
        let line = server.next()?;
        ensure!(outcomes(&line)? == ["[1,null]", "[2,null]"], "{program:?}: {line}");
        let listed = line.as_array().and_then(|list| list.iter().find(|response| response["id"] == 2));
        let listed = listed.context("the list is answered")?;
        ensure!(listed["result"]["structuredContent"]["total"] == 1, "{program:?}: {line}");
    }
    Ok(())
}
