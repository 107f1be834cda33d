//! Full-text search in languages other than English, without vectors.

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    memory::{Native, connect},
    memory_file::{MemoryFile, ask, ask_by_words},
};
use limbic_tools::Options;
use serde_json::{Value, json};

fn store(memory: &mut Native, texts: &[&str]) -> Result<Value> {
    let memories: Vec<Value> = texts.iter().map(|text| json!({ "content": text })).collect();
    ask_by_words(memory.limbic(), "memory_store", &json!({ "memories": memories }))
}

/// Searches by words alone, before any vector is computed.
fn recall(memory: &mut Native, question: &str) -> Result<Value> {
    let arguments = json!({ "query": question, "touch": false, "detail": "full" });
    let answer = ask_by_words(memory.limbic(), "memory_recall", &arguments)?;
    ensure!(answer["mode"] == "lexical", "{answer}");
    Ok(answer)
}

fn first(answer: &Value) -> &Value {
    &answer["memories"][0]["content"]
}

#[test]
fn memories_are_found_by_words_in_scripts_without_spaces() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let texts = [
        "我们每周五下午部署支付服务",
        "数据库备份保存在东京机房",
        "会議は火曜日の午前に変更されました",
        "倉庫の鍵は受付にあります",
        "เซิร์ฟเวอร์ทดสอบอยู่ในห้องชั้นสอง",
        "แมวชอบกินปลาตอนเช้า",
    ];
    let stored = store(&mut memory, &texts)?;
    for (question, index) in [
        ("支付服务什么时候部署？", 0),
        ("备份在哪里", 1),
        ("東京の会議はいつですか", 2),
        ("鍵はどこ？", 3),
        ("ห้องทดสอบ", 4),
        ("ปลา", 5),
    ] {
        let answer = recall(&mut memory, question)?;
        ensure!(first(&answer) == texts[index], "{question}: {answer}");
    }
    // Changed, tagged and moved memories are found; deleted ones are not.
    let id = stored["memories"][1]["id"].as_str().context("the memory has an id")?.to_owned();
    let changes = json!({ "id": id, "content": "数据库备份搬到了大阪机房", "tags": ["数据中心"] });
    ask_by_words(memory.limbic(), "memory_update", &changes)?;
    for (question, is_found) in [("大阪有什么？", true), ("中心", true), ("东京有什么？", false)]
    {
        let answer = recall(&mut memory, question)?;
        ensure!((answer["memories"][0]["id"] == id.as_str()) == is_found, "{question}: {answer}");
    }
    ask_by_words(memory.limbic(), "create_domain", &json!({ "id": "ops" }))?;
    ask_by_words(memory.limbic(), "memory_update", &json!({ "id": id, "domain": "ops" }))?;
    let question = json!({ "query": "大阪有什么？", "domain": "ops", "touch": false });
    let answer = ask_by_words(memory.limbic(), "memory_recall", &question)?;
    ensure!(answer["memories"][0]["id"] == id.as_str(), "{answer}");
    Ok(())
}

#[test]
fn an_upgrade_adds_search_forms() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    store(
        &mut memory,
        &["数据库备份保存在东京机房", "Das Büro liegt in der Langen Straße", "Отчёт лежит на сервере"],
    )?;
    let entities = json!({ "entities": [
        { "name": "Lager", "observations": ["Das Lager hat neue Schlösser aus Weißblech"] },
        { "name": "Архив", "observations": ["Отчёты за год"] },
    ] });
    ask_by_words(memory.limbic(), "create_entities", &entities)?;
    drop(memory);
    let connection = connect(&file.path)?;
    connection.execute_batch(
        "UPDATE memory_content_fts SET content = (SELECT content FROM MEMORY_NODES AS m WHERE m.id = memory_content_fts.id);
         UPDATE entity_words SET words = (SELECT e.name || ' ' || o.content FROM entities AS e
             JOIN observations AS o ON o.entity_id = e.id WHERE e.id = entity_words.rowid);
         DROP INDEX idx_code_symbols_shape;
         PRAGMA user_version = 14;",
    )?;
    connection.execute_batch(crate::upgrades::TO_VERSION_20)?;
    drop(connection);
    let mut memory = file.open(0, Options::default())?;
    for (question, text) in [
        ("东京有什么？", "数据库备份保存在东京机房"),
        ("strasse", "Das Büro liegt in der Langen Straße"),
        ("отчет", "Отчёт лежит на сервере"),
    ] {
        let answer = recall(&mut memory, question)?;
        ensure!(first(&answer) == text, "{question}: {answer}");
    }
    let found = ask_by_words(memory.limbic(), "search_semantic", &json!({ "query": "Weissblech" }))?;
    ensure!(found["results"][0]["name"] == "Lager", "{found}");
    drop(memory);

    // From the version before the spelling with е, other forms are kept, and nothing is added twice.
    connect(&file.path)?.execute_batch(
        "UPDATE memory_content_fts SET content = replace(content, ' Отчет', '');
         UPDATE entity_words SET words = replace(words, ' Отчеты', '');
         PRAGMA user_version = 22;",
    )?;
    let mut memory = file.open(0, Options::default())?;
    for (question, text) in
        [("отчет", "Отчёт лежит на сервере"), ("strasse", "Das Büro liegt in der Langen Straße")]
    {
        let answer = recall(&mut memory, question)?;
        ensure!(first(&answer) == text, "{question}: {answer}");
    }
    let found = ask_by_words(memory.limbic(), "search_semantic", &json!({ "query": "отчеты" }))?;
    ensure!(found["results"][0]["name"] == "Архив", "{found}");
    let words: String = file.one("SELECT content FROM memory_content_fts WHERE content LIKE '%сервере%'")?;
    ensure!(words == "Отчёт лежит на сервере Отчет", "{words}");
    Ok(())
}

#[test]
fn accents_and_ligatures_are_folded() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let texts = [
        "La acción fue revisada",
        "Das Büro liegt in der Langen Straße",
        "Il faut relire l'œuvre du poète",
        "Отчёт лежит на сервере",
        "Самолет прилетит к обеду",
    ];
    store(&mut memory, &texts)?;
    for (question, index) in [
        ("accion", 0),
        ("acción", 0),
        ("Strasse", 1),
        ("straße", 1),
        ("buro", 1),
        ("oeuvre", 2),
        ("Œuvre", 2),
        ("poete", 2),
        ("отчет", 3),
        ("ОТЧЁТ", 3),
        ("отчета", 3),
        ("самолёт", 4),
        ("самолёты", 4),
    ] {
        let answer = recall(&mut memory, question)?;
        ensure!(first(&answer) == texts[index], "{question}: {answer}");
    }
    let entities = json!({ "entities": [{ "name": "Архив", "observations": ["Отчёты за год"] }] });
    ask_by_words(memory.limbic(), "create_entities", &entities)?;
    let found = ask_by_words(memory.limbic(), "search_semantic", &json!({ "query": "отчеты" }))?;
    ensure!(found["results"][0]["name"] == "Архив", "{found}");
    Ok(())
}

#[test]
fn stop_words_of_the_language_of_the_query_match_nothing() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let texts = [
        "wann und wo die Gäste sind, wissen wir noch nicht",
        "Die Sitzung ist am Dienstag",
        "когда и где это было, мы не знаем",
        "Встреча во вторник",
        "quand est-ce que les invités sont dans la maison",
        "Le serveur redémarre lundi",
    ];
    store(&mut memory, &texts)?;
    for (question, index) in [
        ("Wann und wo ist die nächste Sitzung?", 1),
        ("Где и когда это: встреча?", 3),
        ("Quand est-ce que le serveur redémarre dans la semaine ?", 5),
    ] {
        let answer = recall(&mut memory, question)?;
        let count = answer["memories"].as_array().context("memories")?.len();
        ensure!(first(&answer) == texts[index] && count == 1, "{question}: {answer}");
    }
    Ok(())
}

#[test]
fn inflected_words_are_found_in_other_languages() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let texts = [
        "Desplegamos los jueves por la tarde",
        "Las reuniones del equipo son en la sala azul",
        "Die Sitzungen des Vorstands sind öffentlich",
        "Les serveurs sont à Lyon",
        "Le riunioni si tengono di lunedì",
        "As implantações são feitas à noite",
        "De vergaderingen zijn op dinsdag",
        "Встречи проходят по вторникам",
    ];
    store(&mut memory, &texts)?;
    for (question, index) in [
        ("¿Cuándo se puede desplegar?", 0),
        ("¿Dónde es la reunión?", 1),
        ("Wann ist die Sitzung?", 2),
        ("Où est le serveur ?", 3),
        ("Quando è la riunione?", 4),
        ("Quando é a implantação?", 5),
        ("Wanneer is de vergadering?", 6),
        ("Когда встреча?", 7),
    ] {
        let answer = recall(&mut memory, question)?;
        ensure!(first(&answer) == texts[index], "{question}: {answer}");
        ensure!(answer["confident"] == true, "{question}: {answer}");
    }
    Ok(())
}

#[test]
fn forms_of_tags_that_were_removed_find_nothing() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = Native::open(&file.path)?;
    for (tag, form) in [("東京大阪", "京大"), ("Straße", "strasse")] {
        let indexed =
            format!("SELECT count(*) FROM memory_content_fts WHERE memory_content_fts MATCH '\"{form}\"'");
        let stored = json!({ "id": tag, "content": "Deploy on Mondays", "tags": [tag], "subject": tag });
        ask_by_words(memory.limbic(), "memory_store", &stored)?;
        ensure!(file.one::<i64>(&indexed)? == 1, "{form} is not indexed");
        ask_by_words(memory.limbic(), "memory_update", &json!({ "id": tag, "tags": [] }))?;
        ensure!(file.one::<i64>(&indexed)? == 0, "{form} is still indexed");
        ask_by_words(memory.limbic(), "memory_update", &json!({ "id": tag, "tags": [tag, "gate"] }))?;
        ask_by_words(memory.limbic(), "memory_update", &json!({ "id": tag, "tags": [tag] }))?;
        ensure!(file.one::<i64>(&indexed)? == 1, "{form} is no longer indexed");
    }
    Ok(())
}

#[test]
fn a_script_that_the_encoder_cannot_read_is_answered_confidently_only_by_words() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let texts = ["เซิร์ฟเวอร์ทดสอบอยู่ในห้องชั้นสอง", "แมวชอบกินปลาตอนเช้า", "ประชุมทีมทุกวันจันทร์ตอนบ่าย"];
    store(&mut memory, &texts)?;
    for (question, is_confident) in [("เซิร์ฟเวอร์ทดสอบอยู่ที่ไหน", true), ("ราคาตั๋วเครื่องบินไปโตเกียว", false)]
    {
        let found = ask(&mut memory, "memory_recall", &json!({ "query": question, "touch": false }))?;
        let expected = if is_confident { Value::Null } else { false.into() };
        ensure!(found["confident"] == expected && found["mode"].is_null(), "{question}: {found}");
    }
    Ok(())
}
