//! Compares the shipped model with reference vectors, and the test encoder with its committed bytes.
//!
//! `UPDATE=1` writes `tests/encoder/native.json` and the bytes of the test encoder, which the same tests of the
//! WebAssembly build read.

use std::fs;
use std::path::{Path, PathBuf};

use limbic_encoder::{Configuration, Encoder};
use limbic_protocol::{
    DIMENSIONS, Encoding, EncodingResult, Scale, Task, TaskKey, TextKind, from_bytes, to_bytes,
};
use serde_json::{Value, json};

/// The minimum cosine of a vector of the 8-bit model to that of the f32 weights.
const MIN_COSINE: f64 = 0.998;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn update() -> bool {
    std::env::var_os("UPDATE").is_some()
}

fn shipped() -> Encoder {
    let read = |name: &str| {
        let path = root().join("pkg/model").join(name);
        fs::read(&path)
            .unwrap_or_else(|_| panic!("{} is missing; run `cargo xtask setup` first", path.display()))
    };
    Encoder::load(&read("model.onnx"), &read("tokenizer.json")).expect("the shipped model can be used")
}

fn key() -> TaskKey {
    TaskKey { kind: TextKind::Observation, id: 1, text_hash: 2 }
}

fn cosine(left: &[f32], right: &[f64]) -> f64 {
    let left: Vec<f64> = left.iter().map(|number| f64::from(*number)).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(&left, right) / (dot(&left, &left) * dot(right, right)).sqrt()
}

fn text_of(result: &EncodingResult) -> (&[f32], &[u32]) {
    match result {
        Ok(Encoding::Text { vector, tokens, .. }) => {
            assert_eq!(tokens.ids.len() * DIMENSIONS / 8, tokens.bits.0.len());
            (vector, &tokens.ids)
        }
        other => panic!("not a text: {other:?}"),
    }
}

#[test]
fn the_shipped_model_is_close_to_the_published_weights() {
    let encoder = shipped();
    let reference = fs::read_to_string(root().join("tests/encoder/reference.json")).expect("it is committed");
    let reference: Value = serde_json::from_str(&reference).expect("it is JSON");
    let mut lines = Vec::new();
    for sentence in reference["sentences"].as_array().expect("a list") {
        let text = sentence["text"].as_str().expect("a text");
        let expected: Vec<f64> =
            sentence["vector"].as_array().expect("a vector").iter().filter_map(Value::as_f64).collect();
        let vector = encoder.sentence(text).expect("it can be read");
        let cosine = cosine(&vector, &expected);
        println!("{cosine:.5} {}", text.chars().take(50).collect::<String>());
        assert!(cosine >= MIN_COSINE, "cosine {cosine} for: {text}");
        let rounded: Vec<f64> =
            vector.iter().map(|number| (f64::from(*number) * 1e6).round() / 1e6).collect();
        lines.push(json!({ "text": text, "vector": rounded }).to_string());
    }
    if update() {
        let text = format!("{{\"sentences\": [\n{}\n]}}\n", lines.join(",\n"));
        fs::write(root().join("tests/encoder/native.json"), text).expect("the folder is there");
    }
}

#[test]
fn the_shipped_model_encodes_every_kind_of_task() {
    let encoder = shipped();
    let text =
        |context: &str, text: &str| Task::Text { key: key(), context: context.into(), text: text.into() };
    let tasks = [
        Task::Query { text: "Where is the key?".into() },
        text("", "The key is under the mat."),
        text("Anna asked where Ben hides it.", "The key is under the mat."),
        text(&"An endless preface. ".repeat(300), "The key is under the mat."),
        text("", &"lighthouse ".repeat(700)),
        text("", ""),
        Task::Snapshot {
            key: key(),
            header: "Ben (person)".into(),
            observations: (0..200).map(|day| format!("On day {day} Ben mended a net.")).collect(),
            relations: "Ben knows Anna".into(),
        },
    ];
    let answers = encoder.encode(&tasks);
    assert_eq!(answers.len(), tasks.len());
    let Ok(Encoding::Query { vector, tokens }) = &answers[0] else { panic!("not a query: {:?}", answers[0]) };
    assert_eq!(vector.len(), DIMENSIONS);
    assert_eq!(tokens.weak, [true, true, true, false, true], "only `key` tells something");
    assert_eq!(tokens.vectors.len(), tokens.ids.len() * DIMENSIONS);
    for token in tokens.vectors.chunks_exact(DIMENSIONS) {
        assert!((token.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-5);
    }

    let (alone, ids) = text_of(&answers[1]);
    assert_eq!(ids.len(), 2, "key, mat");
    let (in_context, ids_in_context) = text_of(&answers[2]);
    assert_eq!(ids, ids_in_context, "the context leaves no tokens behind");
    assert_ne!(alone, in_context, "the context was read");
    assert_eq!(ids, text_of(&answers[3]).1, "a long context is cut, not the text");
    assert_eq!(text_of(&answers[4]).1.len(), 700, "no token of a long text is lost");
    assert_eq!(text_of(&answers[5]).1.len(), 0);
    assert!(matches!(&answers[6], Ok(Encoding::Snapshot { vector, .. }) if vector.len() == DIMENSIONS));
}

#[test]
fn the_scale_of_the_shipped_model_is_the_one_that_thresholds_assume() {
    let asked = |encoder: &Encoder| {
        let task = Task::Query { text: "Where is the key?".into() };
        let Some(Ok(Encoding::Query { tokens, .. })) = encoder.encode(&[task]).pop() else {
            panic!("not a query")
        };
        tokens
    };
    let tokens = asked(&shipped());
    assert_eq!((tokens.scale, tokens.foreign), (None, Some(0.0)));
    // With a name, it counts as another model, whose scale is measured.
    let read = |name: &str| fs::read(root().join("pkg/model").join(name)).expect("it is there");
    let named = [("config.json".to_owned(), json!({ "_name_or_path": "other" }).to_string())];
    let named = Configuration::new(named.into());
    let other = Encoder::configured(&read("model.onnx"), &read("tokenizer.json"), &named);
    let scale = asked(&other.expect("it can be used")).scale.expect("it is measured");
    println!("{scale:?}");
    assert!((scale.unrelated - Scale::SHIPPED.unrelated).abs() < 0.005, "{scale:?}");
    assert!((scale.identical - Scale::SHIPPED.identical).abs() < 0.005, "{scale:?}");
}

#[test]
fn the_same_text_gives_the_same_bits() {
    let encoder = shipped();
    let once = encoder.sentence("The same text twice.").expect("it can be read");
    encoder.sentence("Another text between the two.").expect("it can be read");
    assert_eq!(once, encoder.sentence("The same text twice.").expect("it can be read"));
}

#[test]
fn unusable_files_are_rejected_with_the_next_step() {
    let tokenizer = fs::read(root().join("pkg/model/tokenizer.json"))
        .unwrap_or_else(|_| panic!("pkg/model is missing; run `cargo xtask setup` first"));
    let message = |model: &[u8], tokenizer: &[u8]| match Encoder::load(model, tokenizer) {
        Ok(_) => panic!("it was taken"),
        Err(error) => {
            assert_eq!(error.code(), "model_unusable");
            error.to_string()
        }
    };
    assert!(message(b"not a model", b"{}").starts_with("the tokenizer cannot be read; give"));
    assert!(message(b"not a model", &tokenizer).starts_with("the model cannot be read; give"));
    assert!(message(b"", &tokenizer).contains("give"));
}

#[test]
fn the_test_encoder_gives_the_committed_bytes() {
    let tasks = root().join("tests/encoder/test-tasks.bin");
    let encodings = root().join("tests/encoder/test-encodings.bin");
    if update() {
        let list = [
            Task::Query { text: "Where did the runner store her keys?".into() },
            Task::Text {
                key: key(),
                context: "Before.".into(),
                text: "The running store keeps 3 keys, déjà vu.".into(),
            },
            Task::Text { key: key(), context: String::new(), text: String::new() },
            Task::Snapshot {
                key: key(),
                header: "Runner (person)".into(),
                observations: (0..300).map(|index| format!("run {index} of {}", index % 7)).collect(),
                relations: "knows the keeper".into(),
            },
        ];
        let bytes = to_bytes(&list).expect("tasks can be written");
        let answer = to_bytes(&Encoder::test().encode(&list)).expect("encodings can be written");
        fs::write(&tasks, bytes).expect("the folder is there");
        fs::write(&encodings, answer).expect("the folder is there");
    }
    let list: Vec<Task> = from_bytes(&fs::read(tasks).expect("it is committed")).expect("it holds tasks");
    let answer = to_bytes(&Encoder::test().encode(&list)).expect("encodings can be written");
    assert!(answer == fs::read(encodings).expect("it is committed"), "the test encoder gives other bytes");
}
