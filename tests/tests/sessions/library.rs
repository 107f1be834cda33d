//! The library: tools as methods in this process, beside other programs on the same file.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use limbic_memory::location::Location;
use limbic_memory::session::Session;
use limbic_memory::settings::{ModelChoice, Settings};
use limbic_memory::{Failure, METHODS, Memory, Options, TOOLS};
use limbic_tests::stdio::limbic_binary;
use serde_json::{Value, json};

/// The example of the library's documentation.
#[path = "../../../crates/limbic-memory/example.rs"]
mod example;

fn options() -> Options {
    Options::new().test_encoder()
}

fn store(memory: &Memory, text: &str) -> Result<(), Failure> {
    memory.memory_store::<Value>(json!({ "content": text })).map(drop)
}

/// Returns the texts that a recall finds.
fn recalled(memory: &Memory, query: &str) -> Result<Vec<String>, Failure> {
    let found: Value = memory.memory_recall(json!({ "query": query }))?;
    let texts = found["memories"].as_array().into_iter().flatten();
    Ok(texts.filter_map(|memory| memory["content"].as_str().map(str::to_owned)).collect())
}

/// The failure of a call that must fail.
fn failure<T>(result: Result<T, Failure>) -> Result<Failure> {
    result.err().context("it must fail")
}

#[test]
fn every_tool_is_a_method() {
    let tools: Vec<&str> = TOOLS.iter().map(|tool| tool.name).filter(|&name| name != "more_tools").collect();
    assert_eq!(METHODS, tools);
}

#[test]
fn the_documented_example_finds_what_it_stored() -> Result<()> {
    let folder = tempfile::tempdir()?;
    ensure!(example::ask_about_deploys(&folder.path().join("memory.db"))? == ["Deploys run on Tuesdays"]);
    Ok(())
}

#[test]
fn memories_of_one_handle_are_found_by_others_and_later_ones() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let memory = options().open(&path)?;
    store(&memory, "Deploys run on Tuesdays")?;
    ensure!(memory.drain()? == 0, "texts still wait");
    let other = options().open(&path)?;
    ensure!(recalled(&other, "when do deploys run?")? == ["Deploys run on Tuesdays"]);
    store(&other, "The office is in Porto")?;
    ensure!(recalled(&memory, "where is the office?")?.contains(&"The office is in Porto".to_owned()));
    memory.close()?;
    other.close()?;
    let again = options().read_only(true).open(&path)?;
    ensure!(recalled(&again, "when do deploys run?")?.contains(&"Deploys run on Tuesdays".to_owned()));
    let refused = failure(store(&again, "Refused"))?;
    ensure!(refused.code == "read_only", "{refused:?}");
    ensure!(refused.hint.is_some_and(|hint| hint.contains("Options::read_only")), "{}", refused.message);
    Ok(again.close()?)
}

#[test]
fn another_process_writes_between_the_calls() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let memory = options().open(&path)?;
    for number in 0..3 {
        store(&memory, &format!("The library wrote number {number}"))?;
        stored_by_command(&path, &format!("The command wrote number {number}"))?;
    }
    let listed: Value = memory.memory_list(json!({}))?;
    ensure!(listed["memories"].as_array().is_some_and(|found| found.len() == 6), "{listed}");
    memory.close()?;
    let locks = folder.path().join("memory.db-locks");
    ensure!(!locks.exists(), "a closed memory leaves its locks");
    Ok(())
}

/// Stores a text with the native command, in a process of its own.
fn stored_by_command(path: &Path, text: &str) -> Result<()> {
    let arguments = json!({ "content": text }).to_string();
    let mut command = Command::new(limbic_binary()?);
    command.args(["call", "memory_store", &arguments, "--test-encoder", "--db"]).arg(path);
    let output = command.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

#[test]
fn calls_of_several_threads_are_all_stored() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let memory = options().open(folder.path().join("memory.db"))?;
    let names: Vec<String> = (0..8).map(|number| format!("entity {number}")).collect();
    std::thread::scope(|scope| {
        let calls = names.iter().map(|name| {
            let memory = &memory;
            scope.spawn(move || memory.create_entities::<Value>(json!({ "entities": [{ "name": name }] })))
        });
        let calls: Vec<_> = calls.collect();
        calls.into_iter().try_for_each(|call| call.join().expect("it does not panic").map(drop))
    })?;
    let opened: Value = memory.open_nodes(json!({ "names": names }))?;
    ensure!(opened["entities"].as_array().is_some_and(|found| found.len() == names.len()), "{opened}");
    Ok(())
}

#[test]
fn a_memory_of_one_user_reaches_neither_others_nor_the_graph() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let (ada, bo) = (options().user("ada").open(&path)?, options().user("bo").open(&path)?);
    store(&ada, "Ada likes tea")?;
    store(&bo, "Bo likes coffee")?;
    ensure!(recalled(&ada, "who likes what?")? == ["Ada likes tea"]);
    ensure!(recalled(&bo, "who likes what?")? == ["Bo likes coffee"]);
    failure(ada.read_graph::<Value>(json!({})))?;
    Ok(())
}

#[test]
fn wrong_arguments_and_answers_are_failures_with_a_code() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let memory = options().open(folder.path().join("memory.db"))?;
    let wrong = failure(memory.memory_get::<Value>(json!({ "ids": [] })))?;
    ensure!(wrong.code == "invalid_argument" && wrong.message.contains("ids"), "{wrong:?}");
    let unknown = failure(memory.call::<Value>("memory_stor", json!({})))?;
    ensure!(unknown.hint.is_some_and(|hint| hint.contains("memory_store")), "{}", unknown.message);
    let unfit = failure(memory.list_domains::<u32>(json!({})))?;
    ensure!(unfit.code == "unexpected_answer", "{unfit:?}");
    Ok(())
}

#[test]
fn files_that_cannot_be_opened_stay_unchanged() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let foreign = folder.path().join("foreign.db");
    std::fs::write(&foreign, "This is no database at all, and it must stay as it is")?;
    let refused = failure(options().open(&foreign))?;
    ensure!(refused.code == "not_a_database", "{refused:?}");
    ensure!(std::fs::read_to_string(&foreign)?.starts_with("This is no database"), "it was changed");
    let in_memory = failure(options().open(":memory:"))?;
    ensure!(in_memory.message.contains("the path needs a file"), "{in_memory:?}");
    let missing = folder.path().join("missing.db");
    failure(options().read_only(true).open(&missing))?;
    failure(options().redact("names").open(&missing))?;
    ensure!(!missing.exists(), "a database was created");
    Ok(())
}

#[test]
fn a_model_that_cannot_be_used_is_reported() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let missing = failure(Options::new().model(folder.path().join("none")).open(&path))?;
    ensure!(missing.code == "model_not_found" && missing.message.contains("none"), "{missing:?}");
    ensure!(!path.exists(), "a database was created");
    // The folder exists, and has no model in it, or a part of one.
    let empty = failure(Options::new().model(folder.path()).open(&path))?;
    ensure!(empty.code == "model_not_found" && empty.message.contains("model.onnx"), "{empty:?}");
    std::fs::write(folder.path().join("model.onnx"), "This is no model")?;
    let incomplete = failure(Options::new().model(folder.path()).open(&path))?;
    ensure!(
        incomplete.code == "model_not_found" && incomplete.message.contains("tokenizer.json"),
        "{incomplete:?}"
    );
    std::fs::write(folder.path().join("tokenizer.json"), "{}")?;
    let damaged = failure(Options::new().model(folder.path()).open(&path))?;
    ensure!(damaged.code == "model_unusable" && !damaged.message.contains("keyword search"), "{damaged:?}");
    ensure!(damaged.hint.is_some_and(|hint| hint.contains("Options::model")), "{}", damaged.message);
    ensure!(!path.exists(), "a database was created");
    Ok(())
}

#[test]
fn dimensions_need_a_model_that_the_program_names_and_a_multiple_of_8() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    for (options, says) in [
        (Options::new().model(folder.path()).model_dimensions(12), "multiple of 8"),
        (Options::new().model(folder.path()).model_dimensions(0), "multiple of 8"),
        (Options::new().model_dimensions(64), "Options::model"),
        (Options::new().without_model().model_dimensions(64), "Options::model"),
    ] {
        let refused = failure(options.open(&path))?;
        ensure!(refused.code == "invalid_argument" && refused.message.contains(says), "{refused:?}");
    }
    ensure!(!path.exists(), "a database was created");
    Ok(())
}

/// A plain memory is opened in the same process between the writes of two encrypted ones, which have keys of their own.
#[test]
fn memories_with_different_keys_are_open_at_the_same_time() -> Result<()> {
    const TEXT: &str = "a convention that nobody else may read";
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let keyed = |number: u8| options().key(format!("{number:02x}").repeat(32));
    let first = keyed(1).open(at("first.db"))?;
    let second = options().passphrase("five words that are random").open(at("second.db"))?;
    store(&first, TEXT)?;
    let plain = options().open(at("plain.db"))?;
    store(&plain, "Everybody may read this")?;
    for memory in [&first, &second] {
        store(memory, &format!("{TEXT} at all"))?;
        ensure!(memory.drain()? == 0, "texts still wait");
    }
    for name in ["first.db", "first.db-journal", "second.db", "second.db-journal"] {
        let bytes = std::fs::read(at(name))?;
        ensure!(!bytes.windows(TEXT.len()).any(|piece| piece == TEXT.as_bytes()), "{name} is plain");
    }
    for memory in [first, second, plain] {
        memory.close()?;
    }
    let without = failure(options().open(at("first.db")))?;
    ensure!(without.code == "encrypted_database", "{without:?}");
    ensure!(without.hint.is_some_and(|hint| hint.contains("Options::key") && !hint.contains("--")));
    ensure!(failure(keyed(2).open(at("first.db")))?.code == "wrong_key");
    ensure!(failure(keyed(1).open(at("plain.db")))?.code == "not_encrypted");
    ensure!(failure(options().key("12").open(at("first.db")))?.code == "invalid_argument");
    ensure!(failure(options().passphrase("short").open(at("new.db")))?.code == "invalid_argument");
    ensure!(!at("new.db").exists(), "a database was created");
    ensure!(!format!("{:?}", keyed(1)).contains("0101"), "a key is shown");
    let again = keyed(1).open(at("first.db"))?;
    ensure!(recalled(&again, "which convention may nobody read?")?.contains(&TEXT.to_owned()));
    let again = options().passphrase("five words that are random").open(at("second.db"))?;
    ensure!(recalled(&again, "which convention may nobody read?")?.len() == 1);
    Ok(())
}

/// As the answer to a batch of an encoder that has ended: vectors of no encoder would make those of the others void.
#[test]
fn a_session_without_an_encoder_keeps_the_vectors() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let memory = options().open(&path)?;
    store(&memory, "Deploys run on Tuesdays")?;
    ensure!(memory.drain()? == 0, "texts still wait");
    memory.close()?;
    let settings = Settings {
        db: Location::parse(&path, "the path")?,
        accepts_shared_disk: false,
        secret: None,
        tools: limbic_tools::Options::default(),
        code_root: folder.path().to_owned(),
        model: ModelChoice::None,
        drains_queue: false,
    };
    let mut session = Session::new(&settings, |_| ());
    ensure!(session.store(&[])? == 0, "vectors are void");
    Ok(session.close()?)
}

#[test]
fn without_a_model_texts_wait_for_one() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let memory = Options::new().without_model().open(&path)?;
    store(&memory, "Deploys run on Tuesdays")?;
    ensure!(memory.drain()? == 1, "it waits");
    memory.close()?;
    ensure!(options().open(&path)?.drain()? == 0, "texts still wait");
    Ok(())
}
