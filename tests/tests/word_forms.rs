//! Search by words in other scripts, with accents and identifiers: single letters, names between letters without
//! spaces, vowel signs, composed letters and usual widths, plain spellings, parts of identifiers.

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    memory::{Native, connect},
    memory_file::{MemoryFile, ask, ask_by_words},
};
use limbic_tools::Options;
use serde_json::{Value, json};

/// Texts, each with a question that finds it.
const FOUND: [(&str, &str); 33] = [
    ("黒猫が好き", "猫"),
    ("倉庫の鍵は受付", "鍵 場所"),
    ("책을 샀다", "책"),
    ("我喜欢喝茶", "茶"),
    ("佐々木さんは東京にいる", "佐々木"),
    ("我们使用PostgreSQL数据库", "postgresql"),
    ("GitHub을 쓴다", "github"),
    ("MySQL listens on 3306", "MySQLのポートは？"),
    ("দাল রান্না", "দাল"),
    ("लड़के खेल रहे हैं", "लड़कों"),
    ("क्या हुआ", "क्या"),
    ("தமிழ் மொழி", "தமிழ்"),
    ("قرأت كِتَاب", "كتاب"),
    ("المدرسة قريبة", "المَدرسة"),
    ("Frau Schröder leitet das Amt", "Schro\u{308}der"),
    ("\u{1112}\u{116c}\u{110b}\u{1174} 시간", "회의"),
    ("か\u{3099}くせいのへや", "がくせい"),
    ("番号８０８０を開く", "8080"),
    ("ＨＴＴＰＳを使う", "https"),
    ("ｶﾞｲﾄﾞを読む", "ガイド"),
    ("The NAS runs the OS Debian", "Which OS is it?"),
    ("Tom sells hay", "Where is hay?"),
    ("The blue Uno is broken", "What is with the Uno?"),
    ("Das Werk steht in Łódź", "Lodz"),
    ("Lars Jørgensen kommt", "Jorgensen"),
    ("Herr Þórsson wartet", "Thorsson"),
    ("Diyarbakır toplantısı", "Diyarbakir"),
    ("Frau Müller wohnt oben", "Mueller"),
    ("Herr Kaestner schreibt", "Kästner"),
    ("Nguyễn mua gạo", "Nguyen"),
    ("Ο Νίκος ήρθε", "Νικος"),
    ("Set maxRetryCount to 5", "max retry count"),
    ("The class parseHttpUrl is old", "http url"),
];

/// Questions whose words differ from all texts in a vowel sign.
const NOT_FOUND: [&str; 2] = ["দিল", "किया"];

fn store(memory: &mut Native) -> Result<()> {
    let memories: Vec<Value> = FOUND.iter().map(|(text, _)| json!({ "content": text })).collect();
    ask_by_words(memory.limbic(), "memory_store", &json!({ "memories": memories }))?;
    let entities: Vec<Value> = FOUND
        .iter()
        .enumerate()
        .map(|(number, (text, _))| json!({ "name": format!("E{number:02}"), "observations": [text] }))
        .collect();
    ask_by_words(memory.limbic(), "create_entities", &json!({ "entities": entities }))?;
    Ok(())
}

fn check(memory: &mut Native) -> Result<()> {
    for (number, (text, question)) in FOUND.iter().enumerate() {
        let arguments = json!({ "query": question, "touch": false, "detail": "full" });
        let answer = ask_by_words(memory.limbic(), "memory_recall", &arguments)?;
        ensure!(answer["memories"][0]["content"] == *text, "{question}: {answer}");
        let answer = ask_by_words(memory.limbic(), "search_semantic", &json!({ "query": question }))?;
        ensure!(answer["results"][0]["name"] == format!("E{number:02}"), "{question}: {answer}");
    }
    for question in NOT_FOUND {
        let arguments = json!({ "query": question, "touch": false });
        let answer = ask_by_words(memory.limbic(), "memory_recall", &arguments)?;
        ensure!(answer["memories"].as_array().is_some_and(Vec::is_empty), "{question}: {answer}");
        let answer = ask_by_words(memory.limbic(), "search_semantic", &json!({ "query": question }))?;
        ensure!(answer["results"].as_array().is_some_and(Vec::is_empty), "{question}: {answer}");
    }
    Ok(())
}

#[test]
fn words_are_found_by_their_other_forms() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory)?;
    check(&mut memory)
}

#[test]
fn a_word_that_is_found_by_another_form_covers_the_question() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory)?;
    for question in ["猫", "책", "postgresql", "كتاب", "회의", "Lodz", "Mueller", "max retry count"] {
        let arguments = json!({ "query": question, "touch": false });
        let answer = ask_by_words(memory.limbic(), "memory_recall", &arguments)?;
        ensure!(answer["confident"].is_null() && !answer["memories"].is_null(), "{question}: {answer}");
    }
    Ok(())
}

#[test]
fn other_forms_are_found_with_vectors() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory)?;
    memory.drain()?;
    for (number, question) in [(0, "猫"), (5, "postgresql"), (12, "كتاب"), (15, "회의"), (23, "Lodz")]
    {
        let arguments = json!({ "query": question, "touch": false, "detail": "full", "limit": 50 });
        let answer = ask(&mut memory, "memory_recall", &arguments)?;
        let found = answer["memories"].as_array().context("memories")?;
        ensure!(found.iter().any(|memory| memory["content"] == FOUND[number].0), "{question}: {answer}");
        let answer = ask(&mut memory, "search_semantic", &json!({ "query": question, "limit": 50 }))?;
        let found = answer["results"].as_array().context("results")?;
        ensure!(found.iter().any(|entity| entity["name"] == format!("E{number:02}")), "{question}: {answer}");
    }
    Ok(())
}

#[test]
fn reflections_are_found_by_words_with_vowel_signs() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let reflection = json!({ "target_type": "global", "content": "क्या दाल अच्छी है" });
    ask_by_words(memory.limbic(), "add_reflection", &reflection)?;
    let found = ask_by_words(memory.limbic(), "search_reflections", &json!({ "query": "दाल" }))?;
    ensure!(found["results"][0]["content"] == "क्या दाल अच्छी है", "{found}");
    Ok(())
}

/// The words as version 24 indexed them: without most of the forms.
const TO_VERSION_24: &str = "
    UPDATE memory_content_fts
    SET content = (SELECT content FROM MEMORY_NODES AS m WHERE m.id = memory_content_fts.id);
    UPDATE entity_words SET words = (SELECT e.name || ' ' || e.entity_type || ' ' || o.content
        || CASE WHEN o.content GLOB '*maxRetry*' THEN ' max Retry Count' ELSE '' END
        || CASE WHEN o.content GLOB 'MySQL *' THEN ' My SQL' ELSE '' END
        || CASE WHEN o.content GLOB '*parseHttp*' THEN ' parse Http Url' ELSE '' END
        FROM entities AS e JOIN observations AS o ON o.entity_id = e.id WHERE e.id = entity_words.rowid);
    PRAGMA user_version = 24;";

/// The words of both tables, in order.
const WORDS: &str = "SELECT (SELECT group_concat(content, char(10) ORDER BY rowid) FROM memory_content_fts)
    || (SELECT group_concat(words, char(10) ORDER BY rowid) FROM entity_words)";

#[test]
fn databases_of_earlier_versions_get_the_forms_once() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    store(&mut memory)?;
    drop(memory);
    let words: String = file.one(WORDS)?;
    connect(&file.path)?.execute_batch(TO_VERSION_24)?;
    ensure!(file.one::<String>(WORDS)? != words);
    let mut memory = file.open(0, Options::default())?;
    check(&mut memory)?;
    drop(memory);
    let upgraded: String = file.one(WORDS)?;
    let differing = upgraded.lines().zip(words.lines()).find(|(upgraded, new)| upgraded != new);
    ensure!(upgraded == words, "the words differ from those of a new database: {differing:?}");
    ensure!(file.one::<String>("PRAGMA integrity_check")? == "ok");
    // Later openings change nothing.
    let state = "SELECT hex(block) FROM memory_content_fts_data WHERE id = 10";
    let before: String = file.one(state)?;
    drop(file.open(0, Options::default())?);
    ensure!(file.one::<String>(state)? == before);
    Ok(())
}
