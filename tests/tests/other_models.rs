//! Sentence models of other widths, poolings and tokenizers: loading their folders, and changing the model of a
//! database.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_encoder::{Encoder, EncoderError};
use limbic_protocol::{Encoding, Task, TaskKey, TextKind};
use limbic_tests::{
    export_import::export,
    memory::Native,
    memory_file::{MemoryFile, ask},
    sentence_models::{
        SentenceModel, Shape, change_graph, load, put, with_common_direction, with_past, without_weights,
    },
    stdio::limbic_binary,
};
use limbic_tools::Options;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// Stored texts; each question matches one of them.
const NOTES: [(&str, &str); 4] = [
    ("harbour", "The harbour pilot boards every tanker before the breakwater"),
    ("cello", "Mira tunes her cello with a battered pitch pipe"),
    ("oven", "Bread needs forty minutes in the brick oven"),
    ("index", "Rebuilding the index locks the ledger for seconds"),
];
/// Queries. They begin with a stop word, because byte-level BPE splits the first word, which has no space before it.
const QUESTIONS: [(&str, &str); 4] = [
    ("harbour", "the tanker pilot breakwater"),
    ("cello", "the battered cello pipe"),
    ("oven", "the brick oven bread"),
    ("index", "the ledger index seconds"),
];

fn words() -> Vec<&'static str> {
    let known = "the harbour pilot boards every tanker before breakwater mira tunes her cello with battered pitch pipe \
        bread needs forty minutes in brick oven rebuilding index locks ledger for seconds a query passage";
    known.split_whitespace().collect()
}

/// A model in a folder of its own.
struct Folder {
    folder: TempDir,
}

impl Folder {
    fn new(shape: Shape, width: usize) -> Result<Self> {
        let folder = tempdir()?;
        SentenceModel { shape, width, words: &words() }.write(folder.path())?;
        Ok(Self { folder })
    }

    fn put(self, name: &str, value: &Value) -> Result<Self> {
        put(self.folder.path(), name, value)?;
        Ok(self)
    }

    fn load(&self) -> Result<Encoder> {
        Ok(load(self.folder.path(), None)?)
    }

    /// The error message of loading it.
    fn refused(&self, dimensions: Option<usize>) -> Result<String> {
        let error: EncoderError =
            load(self.folder.path(), dimensions).err().context("the model was taken")?;
        ensure!(error.code() == "model_unusable", "{error}");
        Ok(error.to_string())
    }
}

fn pooling(mode: &str) -> Value {
    json!({ format!("pooling_mode_{mode}"): true, "pooling_mode_other": false, "include_prompt": true })
}

fn sentence(encoder: &Encoder) -> Result<Vec<f32>> {
    encoder.sentence("The cello").map_err(anyhow::Error::msg)
}

fn query_vector(encoder: &Encoder, text: &str) -> Result<Vec<f32>> {
    match encoder.encode(&[Task::Query { text: text.to_owned() }]).pop() {
        Some(Ok(Encoding::Query { vector, tokens })) => {
            ensure!(
                tokens.vectors.len() == tokens.ids.len() * vector.len(),
                "tokens are as wide as sentences"
            );
            Ok(vector)
        }
        other => anyhow::bail!("not a query: {other:?}"),
    }
}

/// The first `dimensions` numbers of the normalised sum of rows of a table.
fn expected(model: &SentenceModel<'_>, tokens: &[&str], dimensions: usize) -> Result<Vec<f32>> {
    let mut sum = vec![0.0; dimensions];
    for token in tokens {
        sum.iter_mut().zip(model.row(token)?).for_each(|(sum, number): (&mut f32, f32)| *sum += number);
    }
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    Ok(sum.into_iter().map(|number| number / length).collect())
}

fn close(found: &[f32], wanted: &[f32]) -> bool {
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5)
}

#[test]
fn sentence_vectors_are_pooled_prefixed_and_truncated_as_configured() -> Result<()> {
    let words = words();
    let model = SentenceModel { shape: Shape::Table, width: 64, words: &words };
    let folder = || Folder::new(Shape::Table, 64);
    let cases: [(&str, &[&str]); 3] = [
        ("mean_tokens", &["[CLS]", "the", "cello", "[SEP]"]),
        ("cls_token", &["[CLS]"]),
        ("lasttoken", &["[SEP]"]),
    ];
    for (mode, tokens) in cases {
        let encoder = folder()?.put("1_Pooling/config.json", &pooling(mode))?.load()?;
        ensure!(close(&sentence(&encoder)?, &expected(&model, tokens, 64)?), "{mode}");
    }
    let rows = ["[CLS]", "the", "cello", "[SEP]"]
        .map(|token| model.row(token))
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
    let most: Vec<f32> = (0..64).map(|d| rows.iter().map(|row| row[d]).fold(f32::MIN, f32::max)).collect();
    let length = most.iter().map(|number| number * number).sum::<f32>().sqrt();
    let most: Vec<f32> = most.into_iter().map(|number| number / length).collect();
    let encoder = folder()?.put("1_Pooling/config.json", &pooling("max_tokens"))?.load()?;
    ensure!(close(&sentence(&encoder)?, &most), "max");

    let prompts =
        json!({ "prompts": { "query": "query: ", "passage": "passage: " }, "default_prompt_name": null });
    let prefixed = folder()?.put("config_sentence_transformers.json", &prompts)?;
    let encoder = prefixed.load()?;
    let passage = ["[CLS]", "passage", ":", "the", "cello", "[SEP]"];
    ensure!(close(&sentence(&encoder)?, &expected(&model, &passage, 64)?), "passages have their prefix");
    let query = ["[CLS]", "query", ":", "the", "cello", "[SEP]"];
    ensure!(
        close(&query_vector(&encoder, "The cello")?, &expected(&model, &query, 64)?),
        "queries have theirs"
    );
    let pooling_only_text = json!({ "pooling_mode_mean_tokens": true, "include_prompt": false });
    let encoder = prefixed.put("1_Pooling/config.json", &pooling_only_text)?.load()?;
    let text = ["[CLS]", "the", "cello", "[SEP]"];
    ensure!(
        close(&query_vector(&encoder, "The cello")?, &expected(&model, &text, 64)?),
        "a prefix may be left out"
    );

    let folder = folder()?;
    let cut = load(folder.folder.path(), Some(24))?;
    ensure!(close(&sentence(&cut)?, &expected(&model, &text, 24)?), "the first numbers are kept");
    ensure!(cut.name() != folder.load()?.name(), "vectors of another width have another encoder name");
    Ok(())
}

#[test]
fn long_texts_are_encoded_in_windows_of_the_maximum_length() -> Result<()> {
    for shape in [Shape::Bert, Shape::Roberta, Shape::Decoder] {
        let limited = json!({ "max_seq_length": 40 });
        let encoder = Folder::new(shape, 64)?.put("sentence_bert_config.json", &limited)?.load()?;
        let text = "the cello ".repeat(150);
        let encoded = encoder.encode(&[Task::Query { text }]).pop().context("one encoding")?;
        let Ok(Encoding::Query { tokens, .. }) = encoded else { anyhow::bail!("{shape:?}: {encoded:?}") };
        // Byte-level BPE splits the first word, which has no space before it, and keeps the trailing space.
        ensure!((300..=303).contains(&tokens.ids.len()), "{shape:?}: {} tokens", tokens.ids.len());
    }
    Ok(())
}

#[test]
fn stop_words_and_punctuation_are_recognised_by_every_tokenizer() -> Result<()> {
    for shape in [Shape::Bert, Shape::Roberta, Shape::Decoder] {
        let encoder = Folder::new(shape, 64)?.load()?;
        let encoded = encoder.encode(&[Task::Query { text: "a cello, with the index.".to_owned() }]).pop();
        let Some(Ok(Encoding::Query { tokens, .. })) = encoded else {
            anyhow::bail!("{shape:?}: {encoded:?}")
        };
        let content = tokens.weak.iter().filter(|weak| !**weak).count();
        ensure!(content == 2, "{shape:?}: only `cello` and `index` are content tokens: {:?}", tokens.weak);
    }
    Ok(())
}

#[test]
fn a_query_has_the_stop_words_of_its_language() -> Result<()> {
    for (text, in_query, stored) in [
        ("wann wurde das cello verschoben und von wem", 2, 8),
        ("quand est ce que le cello sera dans la maison", 2, 7),
        ("will the van die in the war", 3, 3),
    ] {
        // One word, one token; byte-level BPE splits the first word, which has no space before it.
        let known: Vec<&str> = text.split(' ').collect();
        for shape in [Shape::Bert, Shape::Roberta] {
            let folder = tempdir()?;
            SentenceModel { shape, width: 64, words: &known }.write(folder.path())?;
            let key = TaskKey { kind: TextKind::Memory, id: 1, text_hash: 1 };
            let tasks = [
                Task::Query { text: text.to_owned() },
                Task::Text { key, context: String::new(), text: text.to_owned() },
            ];
            let encoded = load(folder.path(), None)?.encode(&tasks);
            let [Ok(Encoding::Query { tokens: asked, .. }), Ok(Encoding::Text { tokens: kept, .. })] =
                encoded.as_slice()
            else {
                anyhow::bail!("{shape:?}: {encoded:?}")
            };
            let content = asked.weak.iter().filter(|weak| !**weak).count();
            ensure!(content == in_query, "{shape:?}, {text}: {:?}", asked.weak);
            ensure!(kept.ids.len() == stored, "{shape:?}, {text}: {} are stored", kept.ids.len());
        }
    }
    Ok(())
}

/// A note and a query in Russian. Byte-level BPE splits the first word of each.
const RUSSIAN: (&str, &str) = ("Старая яхта стоит на дальнем причале", "где стоит наша яхта на причале");

#[test]
fn vectors_of_a_query_count_as_far_as_the_vocabulary_has_its_words() -> Result<()> {
    let (note, question) = RUSSIAN;
    let russian = format!("{note} {question}").to_lowercase();
    for shape in [Shape::Bert, Shape::Roberta, Shape::Decoder] {
        for reads_russian in [true, false] {
            let mut known = words();
            known.extend(russian.split(' ').filter(|_| reads_russian));
            let folder = tempdir()?;
            SentenceModel { shape, width: 64, words: &known }.write(folder.path())?;
            // Letters of which each byte is a token are more than the model has positions.
            put(folder.path(), "sentence_bert_config.json", &json!({ "max_seq_length": 40 }))?;
            let encoder = load(folder.path(), None)?;
            let encoded = encoder.encode(&[Task::Query { text: question.to_owned() }]).pop();
            let Some(Ok(Encoding::Query { tokens, .. })) = encoded else {
                anyhow::bail!("{shape:?}: {encoded:?}")
            };
            let wanted = Some(if reads_russian { 0.0 } else { 1.0 });
            ensure!(tokens.foreign == wanted, "{shape:?}, {reads_russian}: {:?}", tokens.foreign);
            let mut memory = Native::in_memory()?.with_encoder(encoder);
            let yacht = json!({ "name": "yacht", "entityType": "Note", "observations": [note] });
            ask(&mut memory, "create_entities", &json!({ "entities": [yacht] }))?;
            ask(&mut memory, "memory_store", &json!({ "content": note, "id": "yacht" }))?;
            memory.drain()?;
            let arguments = json!({ "query": question, "explain": true });
            let found = ask(&mut memory, "search_semantic", &arguments)?;
            let share = found["results"][0]["explanation"]["vector"]["share"].as_f64();
            let share = share.with_context(|| format!("no share of vectors: {found}"))?;
            ensure!((share.abs() > 0.0) == reads_russian, "{shape:?}, {reads_russian}: {found}");
            let found = ask(&mut memory, "memory_recall", &arguments)?;
            let relevance = found["memories"][0]["explanation"]["relevance"].as_f64().unwrap_or(0.0);
            let late = found["memories"][0]["explanation"]["late"].as_f64().unwrap_or(0.0);
            // Half of the relevance is the words' share, which is 1, if the encoder cannot read the query.
            let is_half = (relevance - 0.5 - 0.5 * late).abs() < 0.01;
            ensure!(is_half != reads_russian, "{shape:?}, {reads_russian}: {found}");
        }
    }
    Ok(())
}

/// The content words of the sentences on which the scale of an encoder is measured.
const MEASURED: &str = "train coast leaves half past nine add two spoons sugar stir sauce slowly database index rebuilt \
    migration plays cello small orchestra penguins incubate eggs feet court dismissed appeal lack evidence";

#[test]
fn confidence_allows_for_models_for_which_unrelated_texts_are_similar() -> Result<()> {
    let mut known = words();
    known.extend(MEASURED.split(' ').filter(|word| !words().contains(word)));
    for is_crowded in [false, true] {
        let folder = tempdir()?;
        SentenceModel { shape: Shape::Table, width: 384, words: &known }.write(folder.path())?;
        if is_crowded {
            change_graph(folder.path(), |graph| with_common_direction(graph, 384))?;
        }
        let mut memory = Native::in_memory()?.with_encoder(load(folder.path(), None)?);
        store(&mut memory)?;
        memory.drain()?;
        let questions = QUESTIONS.iter().map(|(_, question)| (*question, true));
        for (question, is_confident) in
            questions.chain([("penguins in court", false), ("the small orchestra", false)])
        {
            let arguments = json!({ "query": question, "touch": false, "explain": true, "detail": "full" });
            let found = ask(&mut memory, "memory_recall", &arguments)?;
            let relevance = found["memories"][0]["explanation"]["relevance"].as_f64().unwrap_or(0.0);
            ensure!(found["confident"] == is_confident, "{is_crowded}, {question}: {found}");
            // With the threshold of the packaged model, all of these would be confident.
            ensure!(!is_crowded || relevance >= 0.38, "{question}: {relevance}");
        }
    }
    Ok(())
}

#[test]
fn a_description_lists_the_properties_of_the_model() -> Result<()> {
    let cases = [
        (Shape::Bert, 384, "WordPiece", "mean", vec!["input_ids", "attention_mask", "token_type_ids"]),
        (Shape::BertWithoutTypes, 128, "WordPiece", "mean", vec!["input_ids", "attention_mask"]),
        (Shape::Roberta, 768, "Unigram", "mean", vec!["input_ids", "attention_mask"]),
        (Shape::Decoder, 256, "BPE", "last", vec!["input_ids", "attention_mask", "position_ids"]),
    ];
    for (shape, width, tokenizer, pooling, inputs) in cases {
        let described = Folder::new(shape, width)?.load()?.describe().map_err(anyhow::Error::msg)?;
        let described = described.context("a model can be described")?;
        ensure!((described.dimensions, described.hidden) == (width, width), "{described}");
        ensure!(described.tokenizer == tokenizer && described.inputs == inputs, "{described}");
        ensure!(described.output == "last_hidden_state", "{described}");
        ensure!(described.to_string().contains(&format!("pooling      {pooling}\n")), "{described}");
        ensure!(described.name.starts_with(&format!("{shape:?}-{width}@")), "{described}");
        // The first two positions of RoBERTa's table are not used.
        let room = match shape {
            Shape::Roberta => 62,
            Shape::Decoder => 512,
            _ => 64,
        };
        ensure!(described.max_tokens == room, "{described}");
    }
    Ok(())
}

#[test]
fn an_unsupported_model_is_rejected_with_a_hint() -> Result<()> {
    let bert = || Folder::new(Shape::Bert, 64);
    let dense = json!([{ "type": "sentence_transformers.models.Dense" }]);
    let refused = bert()?.put("modules.json", &dense)?.refused(None)?;
    ensure!(refused.contains("modules.json: the module Dense is not supported"), "{refused}");
    let refused = bert()?.put("1_Pooling/config.json", &pooling("weightedmean_tokens"))?.refused(None)?;
    ensure!(refused.contains("only mean, cls, last and max"), "{refused}");
    for width in [128, 60, 0] {
        let refused = bert()?.refused(Some(width))?;
        ensure!(refused.contains("a multiple of 8 that is at most 64"), "{refused}");
    }
    let folder = bert()?;
    change_graph(folder.folder.path(), without_weights)?;
    ensure!(folder.refused(None)?.contains("all weights in model.onnx"), "{}", folder.refused(None)?);
    let folder = bert()?;
    change_graph(folder.folder.path(), with_past)?;
    ensure!(folder.refused(None)?.contains("past_key_values.0.key"), "{}", folder.refused(None)?);
    let folder = bert()?;
    let more: Vec<&str> = words().into_iter().chain(["unknown", "to", "it"]).collect();
    let other = tempdir()?;
    SentenceModel { shape: Shape::Bert, width: 64, words: &more }.write(other.path())?;
    std::fs::copy(other.path().join("tokenizer.json"), folder.folder.path().join("tokenizer.json"))?;
    ensure!(
        folder.refused(None)?.contains("the tokenizer.json that belongs to it"),
        "{}",
        folder.refused(None)?
    );
    Ok(())
}

fn store(memory: &mut Native) -> Result<()> {
    for (id, text) in NOTES {
        ask(memory, "memory_store", &json!({ "content": text, "id": id }))?;
    }
    let entities =
        NOTES.map(|(name, text)| json!({ "name": name, "entityType": "Note", "observations": [text] }));
    ask(memory, "create_entities", &json!({ "entities": entities }))?;
    ask(
        memory,
        "add_reflection",
        &json!({ "target_type": "global", "author": "sofia", "content": NOTES[0].1 }),
    )?;
    Ok(())
}

/// Asserts that every question finds its note by words and by vectors.
fn finds_every_note(memory: &mut Native) -> Result<()> {
    for (id, question) in QUESTIONS {
        let found = ask(memory, "memory_recall", &json!({ "query": question, "touch": false }))?;
        ensure!(
            found["memories"][0]["id"] == id && found["pending_embeddings"].is_null(),
            "{}, {question}: {found}",
            memory.encoder().name()
        );
        let found = ask(memory, "search_semantic", &json!({ "query": question, "explain": true }))?;
        let name = memory.encoder().name();
        ensure!(
            found["mode"] == "hybrid" && found["results"][0]["name"] == id,
            "{name}, {question}: {found}"
        );
    }
    Ok(())
}

/// Asserts that every text has a vector, and that all vectors have this width.
fn has_vectors_of_width(file: &MemoryFile, width: usize) -> Result<()> {
    for (table, count) in [("memory_embeddings", 4), ("entity_embeddings", 4), ("reflection_embeddings", 1)] {
        let right = format!("SELECT count(*) FROM {table} WHERE length(embedding) = {}", width * 4);
        ensure!(file.one::<i64>(&right)? == count, "{table} at {width}");
    }
    ensure!(file.one::<usize>("SELECT dimensions FROM encoder")? == width, "the width is recorded");
    let others = format!("SELECT count(*) FROM text_vectors WHERE length(vector) <> {}", width * 4);
    ensure!(file.one::<i64>(&others)? == 0, "text_vectors at {width}");
    let bytes = 4 + width / 8;
    let broken = format!("SELECT count(*) FROM token_vectors WHERE length(tokens) % {bytes} <> 0");
    ensure!(file.one::<i64>(&broken)? == 0, "token_vectors at {width}");
    ensure!(
        file.one::<i64>("SELECT count(*) FROM token_vectors WHERE length(tokens) = 0")? == 0,
        "no tokens"
    );
    Ok(())
}

#[test]
fn a_database_changes_from_model_to_model_and_back() -> Result<()> {
    let bert = Folder::new(Shape::Bert, 384)?;
    let roberta = Folder::new(Shape::Roberta, 768)?.put(
        "config_sentence_transformers.json",
        &json!({ "prompts": { "query": "query: ", "passage": "passage: " } }),
    )?;
    let decoder = Folder::new(Shape::Decoder, 1024)?;
    let cut = || load(decoder.folder.path(), Some(256));
    let file = MemoryFile::new()?;
    let encoders = [bert.load()?, roberta.load()?, decoder.load()?, cut()?, Encoder::test(), bert.load()?];
    for (step, encoder) in encoders.into_iter().enumerate() {
        let width = encoder.dimensions();
        let mut memory = file.open(0, Options::default())?.with_encoder(encoder);
        if step == 0 {
            store(&mut memory)?;
        } else {
            searches_while_vectors_are_made(&mut memory)?;
        }
        memory.drain()?;
        has_vectors_of_width(&file, width)?;
        finds_every_note(&mut memory)?;
        // A changed and a deleted text leave no vector of another width behind.
        ask(&mut memory, "memory_store", &json!({ "content": "A brief remark", "id": "brief" }))?;
        finds_every_note(&mut memory)?;
        ask(&mut memory, "memory_forget", &json!({ "id": "brief" }))?;
        finds_every_note(&mut memory)?;
        memory.limbic().compact()?;
        finds_every_note(&mut memory)?;
        has_vectors_of_width(&file, width)?;
        exports_vectors_that_fit(&mut memory, width)?;
    }
    Ok(())
}

/// Asserts that an export for MCP Memory v2, whose tables have a fixed width, omits only vectors of another width.
fn exports_vectors_that_fit(memory: &mut Native, width: usize) -> Result<()> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), export(memory, "mcp-memory-v2")?)?;
    let database = Connection::open(file.path())?;
    let count = |table: &str| -> Result<i64> {
        Ok(database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?)
    };
    ensure!(count("entities")? == 4, "all entities are exported");
    ensure!(count("entity_embeddings")? == if width == 384 { 4 } else { 0 }, "vectors of {width} numbers");
    Ok(())
}

/// Asserts that after a change of the model, searches use words, then also the vectors computed so far.
fn searches_while_vectors_are_made(memory: &mut Native) -> Result<()> {
    let name = memory.encoder().name().to_owned();
    let waiting = memory.limbic().store_vectors(&[], &name)?;
    ensure!(waiting == 13, "{waiting} texts wait");
    for (id, question) in &QUESTIONS[..2] {
        let arguments = json!({ "query": question, "touch": false }).to_string();
        let texts = memory.limbic().texts("memory_recall", &arguments);
        let encodings = memory.encoder().encode(&texts);
        let answer = memory.limbic().call("memory_recall", &arguments, &encodings);
        let found: Value = serde_json::from_str(&answer.json)?;
        ensure!(found["memories"][0]["id"] == *id, "{question}: {found}");
        let tasks = memory.limbic().pending(5)?;
        let encodings = memory.encoder().encode(&tasks);
        memory.limbic().store_vectors(&encodings, &name)?;
    }
    Ok(())
}

#[test]
fn a_server_with_another_model_does_not_mix_vectors() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut ours = file.open(0, Options::default())?;
    store(&mut ours)?;
    finds_every_note(&mut ours)?;
    let mut theirs =
        file.open(0, Options::default())?.with_encoder(Folder::new(Shape::Roberta, 768)?.load()?);
    theirs.drain()?;
    finds_every_note(&mut theirs)?;
    // The vectors of the two encoders cannot be compared: searches use words.
    let (id, question) = QUESTIONS[0];
    let arguments = json!({ "query": question, "touch": false }).to_string();
    let texts = ours.limbic().texts("memory_recall", &arguments);
    let encodings = ours.encoder().encode(&texts);
    let answer = ours.limbic().call("memory_recall", &arguments, &encodings);
    let found: Value = serde_json::from_str(&answer.json)?;
    ensure!(found["memories"][0]["id"] == id, "{found}");
    has_vectors_of_width(&file, 768)
}

#[test]
fn the_command_checks_a_folder() -> Result<()> {
    let folder = Folder::new(Shape::Roberta, 768)?;
    let check = |arguments: &[&str]| -> Result<(bool, String, String)> {
        let mut command = Command::new(limbic_binary()?);
        let output = command.args(["model", "check"]).arg(folder.folder.path()).args(arguments).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((output.status.success(), text(&output.stdout), text(&output.stderr)))
    };
    let (is_good, told, failed) = check(&["--model-dimensions", "256"])?;
    ensure!(is_good, "{failed}");
    for part in ["Roberta-768@", "256, truncated from 768", "Unigram", "pooling      mean", "12 words in"] {
        ensure!(told.contains(part), "{part}: {told}");
    }
    let refused = Folder::new(Shape::Roberta, 100)?.refused(None)?;
    ensure!(refused.contains("multiple of 8 that is less than 100"), "{refused}");
    ensure!(!refused.contains("truncated to"), "nobody asked for it: {refused}");
    let (is_good, _, failed) = check(&["--model-dimensions", "1024"])?;
    ensure!(!is_good && failed.contains("at most 768"), "{failed}");
    std::fs::remove_file(folder.folder.path().join("tokenizer.json"))?;
    let (is_good, _, failed) = check(&[])?;
    ensure!(!is_good && failed.contains("tokenizer.json"), "{failed}");
    Ok(())
}
