//! Two server processes that index one project at once do the work once.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Result, ensure};
use limbic_tests::{
    BackEnd,
    stdio::{Program, Server},
};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Several steps: each stores 200 files at most.
const FILES: usize = 1500;

/// A file is read when it is handed to another thread, and when its facts are stored.
const MAX_READS: usize = 2;

/// Writes a project whose files changed long ago: those that have just changed are read once more.
fn make(project: &Path) -> Result<()> {
    fs::create_dir_all(project)?;
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for number in 0..FILES {
        let path = project.join(format!("f{number}.py"));
        fs::write(&path, format!("from f0 import f0\n\ndef f{number}():\n    return f0()\n"))?;
        fs::File::options().append(true).open(&path)?.set_modified(long_ago)?;
    }
    Ok(())
}

/// What the index answers about the project.
fn answers(server: &mut Server) -> Result<Vec<(bool, String)>> {
    let calls = [
        ("search_symbols", json!({ "query": "f149" })),
        ("search_code", json!({ "query": "f1499", "mode": "words" })),
        ("symbol_graph", json!({ "symbol_id": "shop:f0.py#f0", "action": "callers", "limit": 1000 })),
        ("explore_code", json!({ "project_id": "shop", "limit": 10_000 })),
    ];
    calls.iter().map(|(tool, arguments)| server.call(tool, &arguments.to_string())).collect()
}

/// Counts how often files of a folder are opened.
#[cfg(target_os = "linux")]
mod opened {
    use std::collections::BTreeMap;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use anyhow::{Result, bail, ensure};
    use rustix::{
        fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
        io::Errno,
    };

    pub struct Opened(OwnedFd);

    impl Opened {
        pub fn of(folder: &Path) -> Result<Self> {
            let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            inotify::add_watch(&inotify, folder, WatchFlags::OPEN)?;
            Ok(Self(inotify))
        }

        /// The numbers so far, by name.
        pub fn counts(self) -> Result<BTreeMap<String, usize>> {
            let mut counts = BTreeMap::new();
            let mut buffer = [MaybeUninit::uninit(); 8192];
            let mut reader = Reader::new(&self.0, &mut buffer);
            loop {
                match reader.next() {
                    Ok(event) => {
                        ensure!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW), "events were lost");
                        if let Some(name) = event.file_name() {
                            *counts.entry(name.to_string_lossy().into_owned()).or_default() += 1;
                        }
                    }
                    Err(Errno::AGAIN) => return Ok(counts),
                    Err(error) => bail!(error),
                }
            }
        }
    }
}

#[test]
fn two_servers_that_index_a_project_at_once_share_the_work() -> Result<()> {
    for program in [Program::Native, Program::Node] {
        let folder = tempdir()?;
        let root = folder.path().canonicalize()?.join("projects");
        let project = root.join("shop");
        make(&project)?;
        #[cfg(target_os = "linux")]
        let opened = opened::Opened::of(&project)?;
        let start = |database: &Path| Server::one_of_several_below(program, database, &root);
        let database = folder.path().join("one.db");
        let mut servers = [start(&database)?, start(&database)?];
        let call = json!({ "name": "index_project", "arguments": { "path": "shop", "wait": true } });
        let asked: Vec<u64> = servers
            .iter_mut()
            .map(|server| server.ask("tools/call", &call.to_string()))
            .collect::<Result<_>>()?;
        for (server, id) in servers.iter_mut().zip(asked) {
            let answer = loop {
                let message = server.next_message()?;
                if message["id"] == id {
                    break message["result"]["structuredContent"].clone();
                }
            };
            let indexed: Option<usize> =
                answer["files_indexed"].as_u64().and_then(|count| count.try_into().ok());
            ensure!(answer["status"] == "completed" && indexed == Some(FILES), "{program:?}: {answer}");
        }
        #[cfg(target_os = "linux")]
        {
            let counts = opened.counts()?;
            ensure!(counts.len() == FILES, "{program:?}: {} files were read", counts.len());
            let more: Vec<_> = counts.iter().filter(|(_, count)| **count > MAX_READS).take(5).collect();
            ensure!(more.is_empty(), "{program:?} read files more than {MAX_READS} times: {more:?}");
        }
        let mut fresh = start(&folder.path().join("fresh.db"))?;
        let (is_error, answer) = fresh.call("index_project", &call["arguments"].to_string())?;
        ensure!(!is_error && serde_json::from_str::<Value>(&answer)?["status"] == "completed", "{answer}");
        let expected = answers(&mut fresh)?;
        for server in &mut servers {
            let found = answers(server)?;
            ensure!(found == expected, "{program:?}: {found:?}\nfresh: {expected:?}");
        }
        fresh.stop()?;
        servers.into_iter().try_for_each(Server::stop)?;
    }
    Ok(())
}
