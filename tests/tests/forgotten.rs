//! Deleted data leaves no bytes: the database and its journal are read as raw files.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_tests::{
    memory::Native,
    memory_file::{MemoryFile, ask},
};
use limbic_tools::{Caller, CallerKind, Options, SessionId};
use serde_json::{Value, json};

/// A word that no other text contains, so that full-text indexes store it without a shared prefix.
const WORD: &str = "quelxomandril";

/// Length in bytes of the pieces of a vector that are searched for: too long to match by chance.
const PIECE: usize = 64;

/// Counts the occurrences of bytes in the files of a folder.
fn traces(folder: &Path, wanted: &[u8]) -> Result<usize> {
    let mut found = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            found += fs::read(&path)?.windows(wanted.len()).filter(|window| *window == wanted).count();
        }
    }
    Ok(found)
}

/// The bytes of every vector and every run of token bits in the file.
fn encodings(file: &MemoryFile) -> Result<Vec<Vec<u8>>> {
    let sql = "SELECT group_concat(hex(vector), ' ') FROM (
        SELECT vector FROM text_vectors UNION ALL SELECT tokens FROM token_vectors WHERE length(tokens) > 128
        UNION ALL SELECT embedding FROM memory_embeddings UNION ALL SELECT embedding FROM entity_embeddings
        UNION ALL SELECT embedding FROM reflection_embeddings)";
    let hex: String = file.one(sql)?;
    hex.split(' ')
        .map(|blob| {
            let bytes: Result<Vec<u8>, _> = (0..blob.len() / 2)
                .map(|index| u8::from_str_radix(&blob[index * 2..index * 2 + 2], 16))
                .collect();
            bytes.context("hex digits")
        })
        .collect()
}

/// Options that offer every tool.
fn offering(code: bool) -> Options {
    Options { toolsets: vec!["all".into(), "explorer".into()], code, ..Options::default() }
}

/// Runs `before`, then `delete`, and searches the files for what was stored, before and after the database is closed.
fn leaves_no_bytes(
    store: impl Fn(&mut Native) -> Result<Value>,
    delete: impl Fn(&mut Native, &Value) -> Result<()>,
) -> Result<()> {
    let file = MemoryFile::new()?;
    let folder = file.path.parent().context("a file is in a folder")?.to_owned();
    let mut memory = file.open(0, offering(false))?;
    // Further records, so that neither tables nor pages become empty.
    for number in 0..20 {
        let content = format!("Neighbour {number} is a text of its own about topic {}", number * 7);
        ask(&mut memory, "memory_store", &json!({ "content": content, "subject": format!("n{number}") }))?;
        let entity = json!({ "name": format!("Neighbour {number}"), "observations": [content] });
        ask(&mut memory, "create_entities", &json!({ "entities": [entity] }))?;
    }
    memory.drain()?;
    let kept = encodings(&file)?;
    let stored = store(&mut memory)?;
    memory.drain()?;
    ensure!(traces(&folder, WORD.as_bytes())? > 0, "nothing was stored");
    let all = encodings(&file)?;
    let doomed: Vec<_> = all.iter().filter(|bytes| !kept.contains(bytes)).collect();
    ensure!(!doomed.is_empty(), "nothing was encoded");
    delete(&mut memory, &stored)?;
    memory.drain()?;
    let left = encodings(&file)?;
    let deleted: Vec<_> = doomed.iter().filter(|bytes| !left.contains(bytes)).collect();
    ensure!(!deleted.is_empty(), "no encoding was deleted");
    let check = |when: &str| -> Result<()> {
        ensure!(traces(&folder, WORD.as_bytes())? == 0, "{when}: the text is still there");
        for bytes in &deleted {
            for piece in [&bytes[..PIECE], &bytes[bytes.len() - PIECE..]] {
                let found = traces(&folder, piece)?;
                ensure!(found == 0, "{when}: {found} pieces of an encoding of {} bytes", bytes.len());
            }
        }
        Ok(())
    };
    check("open")?;
    drop(memory);
    check("closed")?;
    ensure!(file.one::<String>("PRAGMA integrity_check")? == "ok");
    Ok(())
}

fn memory_with_word(memory: &mut Native, more: &Value) -> Result<Value> {
    let mut arguments = json!({ "content": format!("The {WORD} of the harbour opens at nine"), "subject": WORD,
        "tags": [WORD] });
    for (key, value) in more.as_object().into_iter().flatten() {
        arguments[key] = value.clone();
    }
    ask(memory, "memory_store", &arguments)
}

#[test]
fn a_call_that_is_refused_for_a_secret_leaves_no_text() -> Result<()> {
    let token = format!("ghp{}q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W", '_');
    // Secrets by themselves, and because of what is beside them or stored.
    let about = format!("{WORD}-99-Blue");
    let with_token = format!("{WORD} {token}");
    let file = MemoryFile::new()?;
    let folder = file.path.parent().context("a file is in a folder")?.to_owned();
    let toolsets = ["all", "explorer", "more"].map(str::to_owned).to_vec();
    let mut memory = file.open(0, Options { toolsets, ..Options::default() })?;
    let caller = Caller { kind: CallerKind::Client, client: "agent".to_owned(), ..Caller::default() };
    memory.limbic().introduce(&SessionId::default(), caller);
    for (id, fields) in [
        ("subject", json!({ "subject": "database password" })),
        ("tag", json!({ "tags": ["router", "password"] })),
        ("path", json!({ "path": "/wifi/password" })),
        ("plain", json!({})),
    ] {
        let mut stored = fields;
        stored["id"] = json!(id);
        stored["content"] = json!(format!("See the vault, about {id}"));
        ask(&mut memory, "memory_store", &stored)?;
    }
    ask(
        &mut memory,
        "create_entities",
        &json!({ "entities": [{ "name": "Router", "entityType": "password" }] }),
    )?;
    let observations = |text: &str| json!([{ "entityName": "Router", "contents": [text] }]);
    for (tool, arguments) in [
        ("memory_update", json!({ "id": "subject", "content": about })),
        ("memory_update", json!({ "id": "subject", "summary": about })),
        ("memory_update", json!({ "id": "tag", "content": about })),
        ("memory_update", json!({ "id": "path", "content": about })),
        ("memory_update", json!({ "id": "plain", "content": with_token })),
        ("memory_update", json!({ "id": "plain", "content": "Two", "reason": with_token })),
        ("memory_update", json!({ "id": "plain", "metadata": { "note": with_token } })),
        ("memory_store", json!({ "content": about, "subject": "database password" })),
        ("memory_store", json!({ "memories": [{ "content": "Fine" }, { "content": with_token }] })),
        (
            "more_tools",
            json!({ "name": "memory_update", "arguments": { "id": "subject", "content": about } }),
        ),
        ("add_observations", json!({ "observations": observations(&with_token) })),
        ("add_observations", json!({ "observations": observations(&about) })),
        ("create_entities", json!({ "entities": [{ "name": "Router", "observations": [about] }] })),
        ("memory_forget", json!({ "id": "plain", "reason": with_token })),
        ("review_inbox", json!({ "accept": ["plain"], "reason": with_token })),
        ("create_domain", json!({ "id": "work", "description": with_token })),
    ] {
        let answer = memory.limbic().call(tool, &arguments.to_string(), &[]);
        ensure!(
            answer.is_error && answer.json.contains("secret_refused"),
            "{tool} {arguments}: {}",
            answer.json
        );
        ensure!(!answer.json.contains(WORD), "{}", answer.json);
        memory.limbic().finish()?;
        ensure!(traces(&folder, WORD.as_bytes())? == 0, "{tool} {arguments}: its text is in a file");
    }
    ask(&mut memory, "memory_recall", &json!({ "query": with_token }))?;
    ask(&mut memory, "search_semantic", &json!({ "query": with_token }))?;
    memory.drain()?;
    let log = memory.limbic().audit(None, None, None, 100).json;
    ensure!(!log.contains(WORD), "{log}");
    drop(memory);
    ensure!(traces(&folder, WORD.as_bytes())? == 0, "a text is in a file");
    Ok(())
}

#[test]
fn a_forgotten_memory_leaves_neither_text_nor_vectors() -> Result<()> {
    leaves_no_bytes(
        |memory| {
            let stored = memory_with_word(memory, &json!({}))?;
            // Its earlier text is kept as history, until it is forgotten.
            let content = format!("The {WORD} of the harbour opens at ten");
            let reason = format!("The {WORD} was moved");
            let change = json!({ "id": stored["memory"]["id"], "content": content, "reason": reason });
            ask(memory, "memory_update", &change)?;
            Ok(stored)
        },
        |memory, stored| {
            let id = &stored["memory"]["id"];
            ask(memory, "memory_forget", &json!({ "id": id, "reason": "Asked by the user" }))?;
            // The lines themselves stay, and why it was deleted.
            let lines = memory.limbic().audit(id.as_str(), None, None, 10).json;
            ensure!(lines.contains("Asked by the user") && lines.contains(r#""update""#), "{lines}");
            Ok(())
        },
    )
}

#[test]
fn a_deleted_entity_leaves_neither_text_nor_vectors() -> Result<()> {
    leaves_no_bytes(
        |memory| {
            let entity =
                json!({ "name": format!("The {WORD}"), "observations": [format!("{WORD} is a gate")] });
            ask(memory, "create_entities", &json!({ "entities": [entity] }))?;
            let reflection = json!({ "target_type": "entity", "target_id": 21,
                "content": format!("Much depends on {WORD}") });
            ask(memory, "add_reflection", &reflection)?;
            // The search log names what was found.
            ask(memory, "search_semantic", &json!({ "query": "a gate" }))
        },
        |memory, _| {
            ask(memory, "delete_entities", &json!({ "entityNames": [format!("The {WORD}")] }))?;
            Ok(())
        },
    )
}

#[test]
fn a_deleted_observation_leaves_neither_text_nor_vectors() -> Result<()> {
    let text = format!("The {WORD} is painted green");
    leaves_no_bytes(
        |memory| {
            let added = json!({ "observations": [{ "entityName": "Neighbour 3", "contents": [text] }] });
            ask(memory, "add_observations", &added)
        },
        |memory, _| {
            let gone = json!({ "name": "Neighbour 3", "observations": [text] });
            ask(memory, "delete_observations", &gone)?;
            Ok(())
        },
    )
}

#[test]
fn maintenance_leaves_neither_text_nor_vectors_of_expired_memories() -> Result<()> {
    leaves_no_bytes(
        |memory| memory_with_word(memory, &json!({ "expires_at": "2026-01-01T00:10:00Z" })),
        |memory, _| {
            limbic_tests::memory_file::wait(memory, 700);
            let plan = ask(memory, "memory_maintain", &json!({ "actions": ["expire"] }))?;
            let applied = json!({ "dry_run": false, "plan_id": plan["plan_id"] });
            ask(memory, "memory_maintain", &applied)?;
            Ok(())
        },
    )
}

#[test]
fn a_deleted_domain_leaves_no_name() -> Result<()> {
    leaves_no_bytes(
        |memory| {
            let domain = json!({ "id": "harbour", "name": format!("Harbour {WORD}"), "description": WORD });
            ask(memory, "create_domain", &domain)?;
            memory_with_word(memory, &json!({ "domain": "harbour" }))
        },
        |memory, stored| {
            ask(memory, "memory_forget", &json!({ "id": stored["memory"]["id"] }))?;
            ask(memory, "delete_domain", &json!({ "id": "harbour" }))?;
            Ok(())
        },
    )
}

#[test]
fn compacting_removes_bytes_that_earlier_versions_left() -> Result<()> {
    let file = MemoryFile::new()?;
    let folder = file.path.parent().context("a file is in a folder")?.to_owned();
    let mut memory = file.open(0, Options::default())?;
    ask(&mut memory, "memory_store", &json!({ "content": "Something else" }))?;
    let stored = memory_with_word(&mut memory, &json!({}))?;
    memory.drain()?;
    drop(memory);
    // Deletes it as an earlier version did.
    let number: i64 = file.one("SELECT max(number) FROM memory_numbers")?;
    let id = stored["memory"]["id"].as_str().context("an id")?;
    let old = limbic_tests::memory::connect(&file.path)?;
    old.execute_batch(&format!(
        "PRAGMA journal_mode = PERSIST; PRAGMA secure_delete = OFF; PRAGMA foreign_keys = ON;
         INSERT INTO memory_content_fts (memory_content_fts, rank) VALUES ('secure-delete', 0);
         DELETE FROM MEMORY_TAGS WHERE nodeId = '{id}'; DELETE FROM MEMORY_NODES WHERE id = '{id}';
         DELETE FROM memory_embeddings WHERE rowid = {number};"
    ))?;
    drop(old);
    ensure!(
        traces(&folder, WORD.as_bytes())? > 0,
        "the deletion of earlier versions left nothing: the test would prove nothing"
    );
    let mut memory = file.open(0, Options::default())?;
    let compacted = memory.limbic().compact()?;
    // VACUUM rewrites all tables, which may take one more page if little was deleted.
    ensure!(compacted.bytes_after <= compacted.bytes_before + 4_096, "{compacted:?}");
    ensure!(traces(&folder, WORD.as_bytes())? == 0, "the text is still there");
    let found = ask(&mut memory, "memory_recall", &json!({ "query": "Something else" }))?;
    ensure!(found["memories"].as_array().is_some_and(|list| list.len() == 1), "{found}");
    Ok(())
}

#[test]
fn a_memory_rejected_in_the_inbox_leaves_neither_text_nor_vectors() -> Result<()> {
    leaves_no_bytes(
        |memory| {
            let caller = Caller { kind: CallerKind::Client, client: "a".to_owned(), ..Caller::default() };
            memory.limbic().introduce(&SessionId::default(), caller);
            memory_with_word(memory, &json!({ "tier": "l0" }))
        },
        |memory, stored| {
            let rejected = ask(memory, "review_inbox", &json!({ "reject": [stored["memory"]["id"]] }))?;
            ensure!(rejected["deleted"].as_array().is_some_and(|ids| ids.len() == 1), "{rejected}");
            Ok(())
        },
    )
}

#[test]
fn a_memory_whose_state_before_an_import_is_kept_leaves_neither_text_nor_vectors() -> Result<()> {
    leaves_no_bytes(
        |memory| {
            let caller = Caller { kind: CallerKind::Cli, ..Caller::default() };
            memory.limbic().introduce(&SessionId::default(), caller);
            let stored = memory_with_word(memory, &json!({ "id": "gate", "summary": WORD, "source": WORD }))?;
            let changed = json!({ "record": "memory", "id": "gate", "domain": "general",
                "content": format!("{WORD} again"), "created_at": "2026-01-01T12:00:00.000Z" });
            let head = json!({ "record": "export", "format": "limbic", "version": 1 });
            let end = json!({ "record": "end", "records": 1 });
            let mut file = [head, changed, end].map(|line| line.to_string()).join("\n").into_bytes();
            let arguments = json!({ "source_path": "/notes.limbic.jsonl" }).to_string();
            let answer =
                memory.limbic().call_with_file("migrate", &arguments, &[], &mut file, &mut |_, _| {});
            ensure!(!answer.is_error, "{}", answer.json);
            let found = ask(memory, "memory_get", &json!({ "ids": ["gate"] }))?;
            ensure!(found["memories"][0]["unconfirmed"] == true, "{found}");
            Ok(stored)
        },
        |memory, _| {
            ask(memory, "memory_forget", &json!({ "id": "gate" }))?;
            Ok(())
        },
    )
}

#[test]
fn a_split_entity_leaves_neither_text_nor_vectors_when_its_parts_are_deleted() -> Result<()> {
    let name = format!("The {WORD}");
    let observations: Vec<String> = (0..6).map(|number| format!("{WORD} has the gate {number}")).collect();
    leaves_no_bytes(
        |memory| {
            let entity = json!({ "name": name, "observations": observations });
            ask(memory, "create_entities", &json!({ "entities": [entity] }))
        },
        |memory, _| {
            let part = format!("Half of {WORD}");
            let split = json!({ "name": part, "entity_type": "Generic", "observations": &observations[..3] });
            ask(memory, "execute_entity_split", &json!({ "entity_name": name, "approved_splits": [split] }))?;
            memory.drain()?;
            ask(memory, "delete_entities", &json!({ "entityNames": [name, part] }))?;
            Ok(())
        },
    )
}

/// A project of 150 files and one with the word, which are indexed in a database beside it.
struct IndexedProject {
    file: MemoryFile,
    memory: Native,
}

impl IndexedProject {
    fn new() -> Result<Self> {
        let file = MemoryFile::new()?;
        let mut project = Self { memory: file.open(0, offering(true))?, file };
        let folder = project.folder()?;
        fs::create_dir(&folder)?;
        project.memory.limbic().set_code_files(Box::new(DiskFiles::below_root(&folder)));
        for number in 0..150 {
            let text = format!("fn function_{number}() {{\n    call_{number}(argument_{number});\n}}\n");
            fs::write(project.folder()?.join(format!("file_{number}.rs")), text)?;
        }
        let text = format!("/// Opens {WORD}.\nfn gate() {{\n    open(\"{WORD}\");\n}}\n\nfn other() {{}}\n");
        fs::write(project.folder()?.join("gate.rs"), text)?;
        project.index()?;
        ensure!(project.traces()? > 0, "nothing was stored");
        Ok(project)
    }

    fn folder(&self) -> Result<std::path::PathBuf> {
        Ok(self.file.path.parent().context("a file is in a folder")?.join("project"))
    }

    fn index(&mut self) -> Result<()> {
        let folder = self.folder()?;
        let status = ask(&mut self.memory, "index_project", &json!({ "path": folder, "wait": true }))?;
        ensure!(status["status"] == "completed", "{status}");
        self.memory.drain()?;
        Ok(())
    }

    /// Counts the occurrences of the word in the database and its journal.
    fn traces(&self) -> Result<usize> {
        traces(self.file.path.parent().context("a file is in a folder")?, WORD.as_bytes())
    }
}

#[test]
fn changed_and_deleted_code_leaves_no_words() -> Result<()> {
    let mut project = IndexedProject::new()?;
    fs::write(project.folder()?.join("gate.rs"), "fn gate() {}\n\nfn other() {}\n")?;
    project.index()?;
    ensure!(project.traces()? == 0, "a file without the word");
    let mut project = IndexedProject::new()?;
    fs::remove_file(project.folder()?.join("gate.rs"))?;
    project.index()?;
    ensure!(project.traces()? == 0, "a deleted file");
    Ok(())
}

#[test]
fn a_deleted_project_leaves_no_words() -> Result<()> {
    for has_other in [false, true] {
        let mut project = IndexedProject::new()?;
        if has_other {
            let other = project.folder()?.join("other");
            fs::create_dir(&other)?;
            fs::write(other.join("a.rs"), "fn beside() {}\n")?;
            ask(&mut project.memory, "index_project", &json!({ "path": other, "wait": true }))?;
        }
        ask(&mut project.memory, "delete_project", &json!({ "project_id": "project" }))?;
        ensure!(project.traces()? == 0, "another project: {has_other}");
        let found = ask(&mut project.memory, "search_code", &json!({ "query": "beside", "mode": "words" }))?;
        ensure!(
            found["results"].as_array().is_some_and(|list| list.len() == usize::from(has_other)),
            "{found}"
        );
    }
    Ok(())
}

#[test]
fn compacting_removes_words_of_code_that_earlier_versions_left() -> Result<()> {
    let project = IndexedProject::new()?;
    let IndexedProject { file, memory } = project;
    drop(memory);
    let folder = file.path.parent().context("a file is in a folder")?;
    let old = limbic_tests::memory::connect(&file.path)?;
    old.execute_batch(
        "PRAGMA journal_mode = PERSIST; PRAGMA secure_delete = ON;
         DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM code_chunks WHERE file_path = 'gate.rs');
         DELETE FROM code_chunks WHERE file_path = 'gate.rs';
         DELETE FROM code_symbols WHERE file = (SELECT id FROM code_files WHERE path = 'gate.rs');
         UPDATE code_files SET outline = NULL WHERE path = 'gate.rs';",
    )?;
    drop(old);
    ensure!(traces(folder, WORD.as_bytes())? > 0, "FTS5 left no words: the test would prove nothing");
    let mut memory = file.open(0, offering(true))?;
    memory.limbic().compact()?;
    ensure!(traces(folder, WORD.as_bytes())? == 0, "the words are still there");
    let found = ask(&mut memory, "search_code", &json!({ "query": "argument_7", "mode": "words" }))?;
    ensure!(found["results"].as_array().is_some_and(|list| !list.is_empty()), "{found}");
    Ok(())
}
