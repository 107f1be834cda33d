//! `cargo xtask start --postgres`: two native servers on a sample memory in a temporary PostgreSQL.

#[cfg(not(unix))]
pub fn run() -> anyhow::Result<()> {
    anyhow::bail!("cargo xtask start --postgres runs where PostgreSQL has Unix programs: on Linux and macOS");
}

#[cfg(unix)]
pub use unix::run;

#[cfg(unix)]
mod unix {
    use std::path::Path;
    use std::process::Stdio;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    use anyhow::{Context, Result, bail, ensure};
    use limbic_support::{
        free_port,
        http::{Client, Server},
        postgres::Cluster,
    };
    use serde_json::{Value, json};

    use crate::tools::{self, Toolbox, say};
    use crate::{build, project, setup, start};

    /// The name of the memory in the store.
    const MEMORY: &str = "sample";
    /// The encoder of a server is loaded by then.
    const ENCODER_TIME: Duration = Duration::from_secs(120);
    const PAUSE: Duration = Duration::from_millis(200);

    /// Sets up, builds, copies the sample memory into a new PostgreSQL, serves it from there by two servers, and says
    /// how to connect. Ctrl-C ends all of it.
    pub fn run() -> Result<()> {
        let mut tools = build::run()?;
        setup::postgres::ensure(&mut tools)?;
        say("building the native server");
        tools.run("cargo", &["build", "--quiet", "--package", "limbic-cli", "--bin", "limbic"])?;
        let sample = start::sample(&tools, &project::node_main())?;

        // From here on, Ctrl-C must not leave PostgreSQL running.
        let (sender, ended) = channel();
        ctrlc::set_handler(move || _ = sender.send(())).context("signals cannot be caught")?;
        let [password, token] = [random()?, random()?];
        let Some(cluster) = Cluster::start_with(&password)? else {
            bail!("PostgreSQL is not installed: {}", setup::postgres::BY_HAND)
        };
        say(&format!("PostgreSQL runs on port {} in {}", cluster.port(), cluster.folder().display()));
        let address = cluster.address(MEMORY);
        let mut import = tools.command(project::binary("limbic"));
        tools::run(import.args(["pages", "import"]).arg(&sample).env("LIMBIC_DB", &address))?;
        let mut servers = Vec::new();
        for _ in 0..2 {
            servers.push(serve(&tools, &address, &token, &[])?);
        }
        search_at(&servers, &token)?;
        store_at_one(&servers, &token)?;
        println!("{}", settings(&servers, &token, &cluster, &password));

        ended.recv()?;
        say("stopping the servers and PostgreSQL, and removing its folder");
        Ok(())
    }

    fn random() -> Result<String> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).context("the operating system gives no random bytes")?;
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The address holds a password, so it is not an argument, which other users could see.
    fn serve(tools: &Toolbox, address: &str, token: &str, more: &[&str]) -> Result<Server> {
        let mut limbic = tools.command(project::binary("limbic"));
        limbic.arg("serve").args(more).env("LIMBIC_DB", address).stderr(Stdio::null());
        Server::start_with(&mut limbic, free_port()?, token)
    }

    fn clients(servers: &[Server], token: &str) -> Vec<Client> {
        servers.iter().map(|server| Client::with_token(server.port, token)).collect()
    }

    /// Searches at each server.
    fn search_at(servers: &[Server], token: &str) -> Result<()> {
        for client in clients(servers, token) {
            wait_for_encoder(|tool, arguments| client.ask(tool, &arguments))?;
            start::print_answer(&client.ask("search_semantic", &search())?)?;
        }
        Ok(())
    }

    /// Reads at one server what another has stored.
    fn store_at_one(servers: &[Server], token: &str) -> Result<()> {
        let clients = clients(servers, token);
        let (first, last) = (&clients[0], &clients[clients.len() - 1]);
        let stored = first.ask("memory_store", &json!({"content": "This sample is in PostgreSQL"}))?;
        let found = last.ask("memory_get", &json!({"ids": [stored["memory"]["id"]]}))?;
        ensure!(found.to_string().contains("sample is in PostgreSQL"), "the second server answers {found}");
        println!("    what one server stores, the other reads");
        Ok(())
    }

    /// Waits until a server has loaded its encoder. `call` calls a tool of the server.
    ///
    /// # Errors
    /// When a call fails, and when the server still uses keyword search after [`ENCODER_TIME`].
    fn wait_for_encoder(mut call: impl FnMut(&str, Value) -> Result<Value>) -> Result<()> {
        let start = Instant::now();
        // Only reads: searches of other tools are logged, and would appear in the sample's timeline.
        while call("search_reflections", json!({"query": "sample", "limit": 1}))?["mode"] != "hybrid" {
            ensure!(
                start.elapsed() <= ENCODER_TIME,
                "a server has not loaded the model within {} s and uses keyword search only: check that `cargo xtask build` \
                 has prepared the model, and try again when the machine is less busy",
                ENCODER_TIME.as_secs()
            );
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn search() -> Value {
        json!({"query": start::QUESTION, "limit": 1, "explain": true})
    }

    /// What to paste.
    fn settings(servers: &[Server], token: &str, cluster: &Cluster, password: &str) -> String {
        let mut added = String::new();
        for (number, server) in (1..).zip(servers) {
            added += &format!(
                "claude mcp add --transport http limbic-{number} http://127.0.0.1:{}/mcp --header \"Authorization: Bearer \
                 {token}\"\n",
                server.port
            );
        }
        let port = servers.first().map_or(0, |server| server.port);
        let others = json!({"mcpServers": {"limbic": {
            "type": "http",
            "url": format!("http://127.0.0.1:{port}/mcp"),
            "headers": {"Authorization": format!("Bearer {token}")},
        }}});
        let program = shown(&project::binary("limbic"));
        let pids: Vec<String> = servers.iter().map(|server| server.pid().to_string()).collect();
        format!(
            "\nTwo servers share the memory. Each line adds one of them to Claude Code:\n\n{added}\n\
             Settings for other MCP clients:\n\n{others:#}\n\n\
             A third server, over standard input and output:\n\n    LIMBIC_DB='{}' {program} serve\n\n\
             The tables:\n\n    PGPASSWORD={password} psql -h 127.0.0.1 -p {} -U limbic postgres -c 'SELECT memory, \
             version, size_bytes FROM limbic_memories'\n\n\
             Kill either server (processes {}): the other one goes on. Ctrl-C ends all.",
            cluster.address(MEMORY),
            cluster.port(),
            pids.join(" and ")
        )
    }

    fn shown(path: &Path) -> String {
        path.display().to_string()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// That this tool logs no search is shown by the transcript `explorer/timeline`.
        #[test]
        fn waiting_for_the_encoder_calls_only_a_tool_that_logs_no_search() {
            let mut calls = Vec::new();
            wait_for_encoder(|tool, _| {
                calls.push(tool.to_owned());
                Ok(json!({"mode": if calls.len() < 2 { "lexical" } else { "hybrid" }}))
            })
            .expect("the second call is answered with vectors");
            assert_eq!(calls, ["search_reflections", "search_reflections"]);
        }

        #[test]
        fn two_servers_share_the_memory_and_the_settings_lead_to_them() -> Result<()> {
            let [password, token] = [random()?, random()?];
            assert!(password.len() == 32 && password != token);
            let Some(cluster) = Cluster::start_with(&password)? else { return Ok(()) };
            let program = project::binary("limbic");
            ensure!(program.is_file(), "cargo build -p limbic-cli builds {}", program.display());
            let (tools, address) = (Toolbox::new(), cluster.address(MEMORY));
            let serve = || serve(&tools, &address, &token, &["--no-model"]);
            let mut servers = vec![serve()?, serve()?];
            store_at_one(&servers, &token)?;

            let settings = settings(&servers, &token, &cluster, &password);
            for server in &servers {
                assert!(settings.contains(&format!("http://127.0.0.1:{}/mcp", server.port)), "{settings}");
                assert!(settings.contains(&server.pid().to_string()), "{settings}");
            }
            assert_eq!(settings.matches(&token).count(), 3, "{settings}");
            // A password is in variables, since other users can see arguments.
            assert!(settings.contains(&format!("LIMBIC_DB='{address}' ")), "{settings}");
            assert!(!settings.contains("--db"), "{settings}");
            let (_, after) = settings.split_once("clients:\n\n").context("there are settings of others")?;
            let mut values = serde_json::Deserializer::from_str(after).into_iter::<Value>();
            let first = values.next().context("they are JSON")??;
            assert_eq!(first["mcpServers"]["limbic"]["headers"]["Authorization"], format!("Bearer {token}"));
            // The command that shows the tables.
            let (_, psql) = settings.split_once("-c '").context("there is a statement")?;
            let (sql, _) = psql.split_once('\'').context("it ends")?;
            assert!(cluster.sql("postgres", sql)?.starts_with("sample|"), "{sql}");

            // Either one goes on alone.
            drop(servers.remove(0));
            store_at_one(&servers, &token)
        }
    }
}
