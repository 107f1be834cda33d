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
            servers.push(serve(&tools, &address, &token)?);
        }
        try_out(&servers, &token)?;
        print_settings(&servers, &token, &cluster, &password);

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
    fn serve(tools: &Toolbox, address: &str, token: &str) -> Result<Server> {
        let mut limbic = tools.command(project::binary("limbic"));
        limbic.arg("serve").env("LIMBIC_DB", address).stderr(Stdio::null());
        Server::start_with(&mut limbic, free_port()?, token)
    }

    /// Searches at both servers, and reads at one what the other has stored.
    fn try_out(servers: &[Server], token: &str) -> Result<()> {
        let clients: Vec<Client> =
            servers.iter().map(|server| Client::with_token(server.port, token)).collect();
        for client in &clients {
            wait_for_encoder(|tool, arguments| client.ask(tool, &arguments))?;
            start::print_answer(&client.ask("search_semantic", &search())?)?;
        }
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

    fn print_settings(servers: &[Server], token: &str, cluster: &Cluster, password: &str) {
        println!();
        println!("Two servers share the memory. Each line adds one of them to Claude Code:");
        println!();
        for (number, server) in (1..).zip(servers) {
            println!(
                "claude mcp add --transport http limbic-{number} http://127.0.0.1:{}/mcp --header \"Authorization: Bearer \
                 {token}\"",
                server.port
            );
        }
        let port = servers.first().map_or(0, |server| server.port);
        let settings = json!({"mcpServers": {"limbic": {
            "type": "http",
            "url": format!("http://127.0.0.1:{port}/mcp"),
            "headers": {"Authorization": format!("Bearer {token}")},
        }}});
        println!();
        println!("Settings for other MCP clients:");
        println!();
        println!("{settings:#}");
        println!();
        println!("A third server, over standard input and output:");
        println!();
        println!("    {} serve --db \"{}\"", shown(&project::binary("limbic")), cluster.address(MEMORY));
        println!();
        println!("The tables:");
        println!();
        println!(
            "    PGPASSWORD={password} psql -h 127.0.0.1 -p {} -U limbic postgres -c 'SELECT memory, version, size_bytes \
             FROM limbic_memories'",
            cluster.port()
        );
        println!();
        let pids: Vec<String> = servers.iter().map(|server| server.pid().to_string()).collect();
        println!(
            "Kill either server (processes {}): the other one goes on. Ctrl-C ends all.",
            pids.join(" and ")
        );
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
    }
}
