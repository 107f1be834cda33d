//! Named tokens of the native server over HTTP: what they reach, how they end, and that the Node server has the same
//! ones.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use limbic_support::{free_port, http::Client};
use limbic_tests::stdio::{limbic_binary, node_main};
use limbic_tests::transcript::ensure_same;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::{code, header, pass, quotas::locked, serve};

const PING: &str = r#"{"jsonrpc":"2.0","id":"a-7","method":"ping"}"#;

/// Runs `limbic token`.
fn token(database: &Path, arguments: &[&str]) -> Result<Output> {
    let mut limbic = Command::new(limbic_binary()?);
    Ok(limbic.arg("token").args(arguments).arg("--db").arg(database).output()?)
}

/// Runs `limbic-memory token`.
fn token_of_node(database: &Path, arguments: &[&str]) -> Result<Output> {
    let mut node = Command::new("node");
    Ok(node.arg(node_main()?).arg("token").args(arguments).arg("--db").arg(database).output()?)
}

/// The text that a command printed.
fn printed(output: Output) -> Result<String> {
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn created(database: &Path, arguments: &[&str]) -> Result<String> {
    let text = printed(token(database, &[&["create"], arguments].concat())?)?;
    ensure!(text.starts_with("limbic_") && text.len() == 50, "{text}");
    Ok(text)
}

fn names(client: &Client) -> Result<Vec<String>> {
    let listed = client.request("tools/list", &json!({}))?;
    let tools = listed["tools"].as_array().context("a list")?;
    Ok(tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect())
}

/// The code of a call that is refused.
fn refused(client: &Client, tool: &str, arguments: Value) -> Result<String> {
    let (is_error, answer) = client.call(tool, &arguments)?;
    ensure!(is_error, "{tool}: {answer}");
    Ok(answer["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_token_reaches_what_it_allows() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let server = serve(&database, &[])?;
    let with =
        |arguments: &[&str]| created(&database, arguments).map(|text| Client::with_token(server.port, &text));
    let everyone = Client::new(server.port);
    let reader = with(&["reader", "--toolsets", "memory", "--read-only"])?;
    let (ada, ben) = (with(&["ada", "--user", "ada"])?, with(&["ben", "--user", "ben"])?);
    ben.ask("memory_store", &json!({"id": "ben-1", "content": "The zebra sleeps", "tags": ["zebra"]}))?;
    ada.ask("memory_store", &json!({"id": "ada-1", "content": "The boat sleeps"}))?;
    everyone.ask("create_entities", &json!({"entities": [{"name": "Zebra", "entityType": "animal"}]}))?;
    // In turn, so that what one may reach does not rub off on another.
    for _ in 0..2 {
        for (tool, arguments, told) in [
            ("memory_list", json!({"user_id": "ben"}), "forbidden"),
            ("memory_forget", json!({"id": "ben-1"}), "memory_not_found"),
            ("search_nodes", json!({"query": "Zebra"}), "forbidden"),
            ("query_sql", json!({"sql": "SELECT 1"}), "unknown_tool"),
        ] {
            ensure!(refused(&ada, tool, arguments)? == told, "{tool} is not refused with {told}");
            everyone.ask("memory_list", &json!({}))?;
        }
        ensure!(ada.ask("memory_list", &json!({"domain": "*"}))?["total"] == 1);
        ensure!(everyone.ask("memory_list", &json!({"domain": "*"}))?["total"] == 2);
        ensure!(refused(&reader, "memory_store", json!({"content": "x"}))? == "read_only");
        ensure!(refused(&reader, "read_graph", json!({}))? == "unknown_tool");
        ensure!(reader.ask("memory_recall", &json!({"query": "who sleeps?"}))?["memories"].is_array());
    }
    let listed = names(&reader)?;
    ensure!(
        listed.iter().any(|name| name == "memory_recall")
            && !listed.iter().any(|name| name == "memory_store")
    );
    let listed = names(&ada)?;
    ensure!(
        listed.iter().any(|name| name == "memory_store") && !listed.iter().any(|name| name == "read_graph")
    );
    ensure!(names(&everyone)?.iter().any(|name| name == "read_graph"));
    // The lists depend on the token, so that they are not cached for others.
    for (client, scope) in [(&reader, "private"), (&ada, "private"), (&everyone, "public")] {
        ensure!(client.request_alone("tools/list", &json!({}))?["cacheScope"] == scope, "{scope}");
    }
    ensure_same(&ada.request("resources/list", &json!({}))?["resources"], &json!([]), "")?;
    let resource = json!({"uri": "memory://knowledge-graph"});
    ensure!(ada.request("resources/read", &resource).is_err());
    ensure!(everyone.request("resources/read", &resource).is_ok());
    ensure!(reader.request("resources/read", &resource).is_err());
    let prompt = json!({"name": "recall-context", "arguments": {"domain": "*"}});
    let prompt = ada.request("prompts/get", &prompt)?.to_string();
    ensure!(prompt.contains("boat") && !prompt.to_lowercase().contains("zebra"), "{prompt}");
    let nowhere = json!({"name": "recall-context", "arguments": {"domain": "nowhere"}});
    let refused = format!("{:?}", everyone.request("prompts/get", &nowhere));
    ensure!(refused.contains("-32602"), "{refused}");
    let listed = printed(token(&database, &["list"])?)?;
    ensure!(listed.lines().count() == 3, "{listed}");
    for line in listed.lines() {
        let token: Value = serde_json::from_str(line)?;
        ensure!(token["last_used"].is_string() && token.get("sha256").is_none(), "{line}");
    }
    Ok(())
}

#[test]
fn a_server_of_one_user_refuses_the_tokens_of_others() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let server = serve(&database, &["--user", "ada"])?;
    let post =
        |arguments: &[&str]| Client::with_token(server.port, &created(&database, arguments)?).post(PING);
    ensure!(code(&post(&["ben", "--user", "ben"])?) == "403 forbidden");
    ensure!(post(&["ada", "--user", "ada"])?.status == 200);
    let anyone = Client::with_token(server.port, &created(&database, &["anyone"])?);
    anyone.ask("memory_store", &json!({"content": "The boat sleeps"}))?;
    ensure!(anyone.ask("memory_list", &json!({}))?["memories"][0]["user_id"] == "ada");
    Ok(())
}

#[test]
fn no_client_selects_a_domain_or_applies_a_plan_of_another_one() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let server = serve(&database, &["--toolsets", "memory,domain"])?;
    let second = serve(&database, &["--toolsets", "memory,domain"])?;
    let connect = |token: &str, name: &str| -> Result<Client> {
        let mut client = Client::with_token(server.port, token);
        client.initialize(name)?;
        Ok(client)
    };
    let (ada_token, bob_token) = (created(&database, &["ada"])?, created(&database, &["bob"])?);
    let (ada, bob) = (connect(&ada_token, "Ada's editor")?, connect(&bob_token, "Bob's editor")?);
    ada.ask("create_domain", &json!({"id": "work"}))?;
    // Another server may answer the next request, which would not know the domain.
    let (is_error, told) = ada.call("select_domain", &json!({"id": "work"}))?;
    ensure!(is_error && told.to_string().contains("keeps no session for this client"), "{told}");
    for client in [&ada, &bob] {
        let stored = client.ask("memory_store", &json!({"content": "Deploys run on Tuesdays"}))?;
        ensure!(stored["memory"]["domain"] == "general", "{stored}");
    }
    let plan = ada.ask("memory_maintain", &json!({"origin": "client:Ada's editor"}))?;
    let apply = json!({"dry_run": false, "plan_id": plan["plan_id"]});
    let without_session = Client::with_token(server.port, &ada_token);
    for other in [&bob, &connect(&ada_token, "Ada's editor")?, &without_session, &ada.at(second.port)] {
        let (is_error, told) = other.call("memory_maintain", &apply)?;
        ensure!(is_error && told.to_string().contains("plan of this session"), "{told}");
    }
    let applied = ada.ask("memory_maintain", &apply)?;
    ensure!(applied["applied"] == true, "{applied}");
    Ok(())
}

#[test]
fn a_session_ends_with_its_token_and_belongs_to_it() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let server = serve(&database, &[])?;
    let begin = |arguments: &[&str]| -> Result<Client> {
        let mut client = Client::with_token(server.port, &created(&database, arguments)?);
        client.initialize("test")?;
        Ok(client)
    };
    let revoked = begin(&["revoked"])?;
    let (expired, kept) = (begin(&["expired", "--expires", "1d"])?, begin(&["kept"])?);
    for client in [&revoked, &expired, &kept] {
        ensure!(client.post(PING)?.status == 200);
    }
    ensure!(token(&database, &["revoke", "revoked"])?.status.success());
    ensure!(token(&database, &["revoke", "revoked"])?.status.code() == Some(1));
    let tokens = folder.path().join("memory.db-tokens");
    let change = |name: &str, field: &str, value: Value| -> Result<()> {
        let path = tokens.join(format!("{name}.json"));
        let mut stored: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        stored[field] = value;
        Ok(fs::write(&path, stored.to_string())?)
    };
    change("expired", "expires", json!("2020-01-01T00:00:00Z"))?;
    for client in [&revoked, &expired] {
        let response = client.post(PING)?;
        ensure!(code(&response) == "401 unauthorized", "{response:?}");
        ensure!(response.head.contains("www-authenticate: bearer"), "{}", response.head);
    }
    ensure!(kept.post(PING)?.status == 200);
    // A token of the same name is another one, and so is any other token.
    for arguments in [["revoked"], ["another"]] {
        let mut other = Client::with_token(server.port, &created(&database, &arguments)?);
        other.session = kept.session.clone();
        let response = other.post(PING)?;
        ensure!(code(&response) == "404 session_not_found", "{response:?}");
        ensure!(response.body.contains(r#""id":"a-7""#), "the id is echoed: {}", response.body);
    }
    let mut own = Client::new(server.port);
    own.session = kept.session.clone();
    ensure!(code(&own.post(PING)?) == "404 session_not_found");
    change("kept", "user", json!("ada"))?;
    ensure!(
        code(&kept.post(PING)?) == "404 session_not_found",
        "a session does not keep the rights of before"
    );
    for expires in [json!("soon"), json!(null), json!(2999)] {
        change("kept", "expires", expires)?;
        ensure!(
            code(&kept.post(PING)?) == "401 unauthorized",
            "an expiry that is not a date permits nothing"
        );
    }
    Ok(())
}

/// A server of Node over HTTP, which ends when this is dropped.
struct NodeServer(Child);

impl Drop for NodeServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn both_programs_have_the_same_tokens() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let rights = ["--toolsets", "memory", "--read-only", "--user", "ada", "--expires", "2099-01-31"];
    let native = created(&database, &[&["native"][..], &rights].concat())?;
    let node = printed(token_of_node(&database, &[&["create", "node"][..], &rights].concat())?)?;
    let listed = printed(token(&database, &["list"])?)?;
    ensure!(listed == printed(token_of_node(&database, &["list"])?)?, "{listed}");
    let read = |name: &str| -> Result<Value> {
        let path = folder.path().join("memory.db-tokens").join(name);
        let mut stored: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
        for field in ["sha256", "created"] {
            ensure!(stored[field].take().is_string(), "{field}");
        }
        Ok(stored)
    };
    ensure!(read("native.json")? == read("node.json")?);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| -> Result<u32> {
            Ok(fs::metadata(folder.path().join("memory.db-tokens").join(name))?.permissions().mode() & 0o777)
        };
        ensure!((mode("")?, mode("native.json")?) == (0o700, 0o600));
    }
    let server = serve(&database, &[])?;
    let port = free_port()?;
    let mut start = Command::new("node");
    start.arg(node_main()?).args(["--no-model", "--http", &port.to_string(), "--db"]).arg(&database);
    let started = NodeServer(start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
    let post = |port: u16, text: &str| Client::with_token(port, text).post(PING);
    let start = Instant::now();
    while post(port, &node).is_err() {
        ensure!(start.elapsed() < Duration::from_secs(60), "the Node server does not answer");
        thread::sleep(Duration::from_millis(20));
    }
    for text in [&native, &node] {
        // The Node server wants a session first, of those that it lets in.
        for (port, status) in [(server.port, 200), (port, 400)] {
            let response = post(port, text)?;
            ensure!(response.status == status, "{response:?}");
        }
    }
    ensure!(token_of_node(&database, &["revoke", "native"])?.status.success());
    ensure!(token(&database, &["revoke", "node"])?.status.success());
    for text in [&native, &node] {
        for port in [server.port, port] {
            ensure!(code(&post(port, text)?) == "401 unauthorized");
        }
    }
    drop(started);
    Ok(())
}

#[test]
fn arguments_of_token_that_cannot_be_meant_are_refused() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    for (arguments, told) in [
        (&["create"][..], "NAME"),
        (&["create", "../up"], "lower case letters"),
        (&["create", "a", "--expires", "2020-01-01"], "a future date"),
        (&["create", "a", "--expires", "soon"], "--expires must be"),
        (&["create", "a", "--toolsets", "grph"], "--toolsets must be one of"),
        (&["create", "a", "--user", "ada", "--toolsets", "graph"], "others have no tools for one user"),
        (&["create", "a", "--user", "ada", "--explorer"], "--explorer and --user cannot be combined"),
        (&["create", "a", "--user", ""], "--user must be a name"),
        (&["revoke", "a", "--user", "ada"], "--user"),
        (&["forget", "a"], "forget"),
    ] {
        let output = token(&database, arguments)?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(2) && text.contains(told), "{arguments:?}: {text}");
    }
    ensure!(!folder.path().join("memory.db-tokens").exists());
    created(&database, &["laptop"])?;
    let again = token(&database, &["create", "laptop"])?;
    ensure!(String::from_utf8_lossy(&again.stderr).contains("there is a token \"laptop\" already"));
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_random_token_is_in_a_file_for_the_owner_which_ends_with_the_server() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempdir()?;
    let (log, port) = (folder.path().join("log"), free_port()?);
    let mut limbic = Command::new(limbic_binary()?);
    limbic.args(["serve", "--no-model", "--http", &port.to_string(), "--db"]);
    limbic.arg(folder.path().join("memory.db")).stdin(Stdio::null()).stderr(fs::File::create(&log)?);
    let mut child = limbic.spawn()?;
    let path = folder.path().join("memory.db-tokens").join(format!("server-{port}.txt"));
    let told = loop {
        let log = fs::read_to_string(&log)?;
        if log.contains("MCP over HTTP") {
            break log;
        }
        ensure!(child.try_wait()?.is_none(), "the server ended: {log}");
        thread::sleep(Duration::from_millis(10));
    };
    let text = fs::read_to_string(&path)?;
    let token = text.split("Bearer ").nth(1).and_then(|rest| rest.split('"').next()).context("a token")?;
    ensure!(token.len() == 43 && !told.contains(token) && told.contains(path.to_str().context("a text")?));
    ensure!(fs::metadata(&path)?.permissions().mode() & 0o777 == 0o600);
    ensure!(Client::with_token(port, token).post(PING)?.status == 200);
    ensure!(Command::new("kill").arg(child.id().to_string()).status()?.success());
    child.wait()?;
    ensure!(!path.exists());
    Ok(())
}

#[test]
fn memories_imported_after_the_end_of_their_session_are_unconfirmed() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let import_dir = folder.path().to_str().context("it is a text")?;
    let server = serve(&database, &["--toolsets", "memory,advanced", "--import-dir", import_dir])?;
    let clients = ["one", "two"].map(|name| {
        let mut client = Client::new(server.port);
        client.initialize(name).map(|_| client)
    });
    let [one, two] = clients;
    let (one, two) = (one?, two?);
    // An import of several steps, and one that waits for it.
    let import = |ids: &[&str]| -> Result<Value> {
        let path = folder.path().join(format!("{}.limbic.jsonl", ids[0]));
        let record = |id: &&str| {
            json!({"record": "memory", "id": id, "domain": "general", "content": format!("Push {id}"),
                "category": "convention", "created_at": "2026-01-01T00:00:00.000Z"})
        };
        let mut records = vec![json!({"record": "export", "format": "limbic", "version": 1})];
        records.extend(ids.iter().map(record));
        records.push(json!({"record": "end", "records": ids.len()}));
        fs::write(&path, records.iter().map(|record| format!("{record}\n")).collect::<String>())?;
        Ok(json!({"name": "migrate", "arguments": {"source_path": path}}))
    };
    let long = [vec!["one"; 4_000], vec!["late"]].concat();
    one.call("memory_store", &json!({"content": "It was stored before"}))?;
    // The imports and the ends of their sessions arrive before the first step of the first one ends.
    let lock = locked(&database)?;
    let waiting = [(&one, &long[..]), (&two, &["two"])].map(|(client, ids)| -> Result<_> {
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": import(ids)?}).to_string();
        let client = client.clone();
        let answer = thread::spawn(move || client.post(&body));
        // Before anything else of the client.
        thread::sleep(Duration::from_millis(100));
        Ok(answer)
    });
    for client in [&one, &two] {
        let mut headers = pass();
        headers.push(header("Mcp-Session-Id", client.session.as_deref().context("there is a session")?));
        ensure!(client.send("DELETE", "/mcp", &headers, "")?.status == 204);
    }
    drop(lock);
    for answer in waiting {
        let answer = answer?.join().map_err(|_| anyhow::anyhow!("the client panicked"))??;
        ensure!(answer.status == 200 && answer.body.contains("memories_imported"), "{answer:?}");
    }
    let (_, found) = Client::new(server.port).call("memory_get", &json!({"ids": ["one", "late", "two"]}))?;
    let unconfirmed: Vec<bool> =
        (0..3).map(|index| found["memories"][index]["unconfirmed"] == true).collect();
    ensure!(unconfirmed == [true; 3], "{found}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn clients_over_http_import_only_from_the_folder_that_is_allowed() -> Result<()> {
    use std::os::unix::fs::symlink;

    let folder = tempdir()?;
    let (inside, outside) = (folder.path().join("in"), folder.path().join("in-other"));
    let line = r#"{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}"#;
    for place in [&inside, &outside] {
        fs::create_dir(place)?;
        fs::write(place.join("ada.jsonl"), format!("{line}\n"))?;
        fs::write(place.join("text.txt"), "no memory")?;
    }
    symlink(&outside, inside.join("link"))?;
    symlink(outside.join("ada.jsonl"), inside.join("ada-link.jsonl"))?;
    let paths = [
        outside.join("ada.jsonl"),
        outside.join("missing.jsonl"),
        inside.join("missing.jsonl"),
        inside.join("text.txt"),
        inside.join("link/ada.jsonl"),
        inside.join("ada-link.jsonl"),
        inside.join("../in-other/ada.jsonl"),
        "/etc/passwd".into(),
        outside.clone(),
    ];
    let import_dir = ["--import-dir", inside.to_str().context("it is a text")?];
    for (number, options) in [&[][..], &import_dir].into_iter().enumerate() {
        let database = folder.path().join(format!("{number}.db"));
        let server = serve(&database, &[&["--toolsets", "graph,advanced"], options].concat())?;
        let client = Client::new(server.port);
        let mut answers = Vec::new();
        for path in &paths {
            let path = path.to_str().context("it is a text")?;
            let (is_error, answer) = client.call("migrate", &json!({"source_path": path}))?;
            ensure!(is_error, "{path}: {answer}");
            answers.push(answer.to_string().replace(path, "PATH"));
        }
        answers.dedup();
        ensure!(answers.len() == 1 && answers[0].contains("--import-dir"), "{answers:#?}");
        let own = json!({"source_path": inside.join("ada.jsonl")});
        ensure!(client.call("migrate", &own)?.0 == options.is_empty());
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn clients_over_http_do_not_learn_which_folders_exist() -> Result<()> {
    use std::os::unix::fs::symlink;

    let folder = tempdir()?;
    let root = folder.path().join("code");
    for place in ["code/shop", "code-other", "private"] {
        fs::create_dir_all(folder.path().join(place))?;
        fs::write(folder.path().join(place).join("a.py"), "a = 1\n")?;
    }
    symlink(folder.path().join("private"), root.join("link"))?;
    let root_text = root.to_str().context("it is a text")?;
    let server = serve(&folder.path().join("memory.db"), &["--toolsets", "code", "--code-root", root_text])?;
    let client = Client::new(server.port);
    let mut answers = Vec::new();
    for path in [
        folder.path().join("private"),
        folder.path().join("missing"),
        folder.path().join("code-other"),
        root.join("missing"),
        root.join("shop/a.py"),
        root.join("link"),
        root.join("../private"),
        "/etc/passwd".into(),
        "~".into(),
    ] {
        let (is_error, answer) = client.call("index_project", &json!({ "path": path }))?;
        ensure!(is_error, "{}: {answer}", path.display());
        answers.push(answer.to_string());
    }
    answers.dedup();
    ensure!(answers.len() == 1 && answers[0].contains("--code-root"), "{answers:#?}");
    ensure!(!answers[0].contains(root_text), "{answers:#?}");
    let (is_error, answer) =
        client.call("index_project", &json!({ "path": root.join("shop"), "wait": true }))?;
    ensure!(!is_error && answer["files_indexed"] == 1, "{answer}");
    Ok(())
}
