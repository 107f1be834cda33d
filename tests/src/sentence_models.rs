//! Small sentence models with random weights, in the shapes in which such models are published.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use limbic_encoder::{Configuration, Encoder, EncoderError};
use prost::Message as _;
use serde_json::{Value, json};
use tract_onnx::pb::tensor_proto::{DataLocation, DataType};
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::type_proto;
use tract_onnx::pb::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto,
    TypeProto, ValueInfoProto,
};

/// Rows of the table of positions.
const POSITIONS: usize = 64;

/// The architecture of a model, and the tokenizer that such models have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A table of token vectors and nothing else, so that a test can compute what is expected; `WordPiece`.
    Table,
    /// BERT with the input `token_type_ids`; `WordPiece`.
    Bert,
    /// BERT without that input; `WordPiece`.
    BertWithoutTypes,
    /// XLM-RoBERTa: positions are counted in the graph, from 2 on; Unigram.
    Roberta,
    /// A decoder, whose tokens see only those before them, with the input `position_ids`; byte-level BPE.
    Decoder,
}

/// A model to be written.
#[derive(Debug, Clone)]
pub struct SentenceModel<'a> {
    /// Its architecture.
    pub shape: Shape,
    /// Its width.
    pub width: usize,
    /// Words that are one token each; others are split into characters.
    pub words: &'a [&'a str],
}

impl SentenceModel<'_> {
    /// Writes `model.onnx`, `tokenizer.json` and `config.json`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let tokenizer = self.tokenizer();
        fs::create_dir_all(folder)?;
        fs::write(folder.join("model.onnx"), self.graph(tokenizer.tokens.len()).encode_to_vec())?;
        put(folder, "tokenizer.json", &tokenizer.file)?;
        put(folder, "config.json", &self.config())
    }

    /// The vector of a token in the table of [`Shape::Table`].
    ///
    /// # Errors
    /// When the tokenizer has no such token.
    pub fn row(&self, token: &str) -> Result<Vec<f32>> {
        let tokens = self.tokenizer().tokens;
        let index = tokens.iter().position(|known| known == token).context("no such token")?;
        Ok(table(tokens.len(), self.width)[index * self.width..][..self.width].to_vec())
    }

    fn config(&self) -> Value {
        let (kind, architecture, positions) = match self.shape {
            Shape::Table | Shape::Bert | Shape::BertWithoutTypes => ("bert", "BertModel", POSITIONS),
            Shape::Roberta => ("xlm-roberta", "XLMRobertaModel", POSITIONS),
            Shape::Decoder => ("qwen3", "Qwen3ForCausalLM", 32_768),
        };
        json!({
            "_name_or_path": format!("somebody/{:?}-{}", self.shape, self.width),
            "model_type": kind,
            "architectures": [architecture],
            "hidden_size": self.width,
            "max_position_embeddings": positions,
        })
    }

    fn tokenizer(&self) -> Tokenizer {
        match self.shape {
            Shape::Table | Shape::Bert | Shape::BertWithoutTypes => word_piece(self.words),
            Shape::Roberta => unigram(self.words),
            Shape::Decoder => bpe(self.words),
        }
    }

    fn graph(&self, vocabulary: usize) -> ModelProto {
        let mut graph = Graph::default();
        let ids = graph.input("input_ids");
        let words = graph.floats(&[vocabulary, self.width], table(vocabulary, self.width));
        let hidden = graph.node("Gather", &[&words, &ids], &[]);
        if self.shape == Shape::Table {
            return graph.finish(&hidden, self.width);
        }
        let mask = graph.input("attention_mask");
        let positions = self.positions(&mut graph, &ids);
        let mut seed = 7;
        let rows = POSITIONS.max(2);
        let places = graph.floats(&[rows, self.width], small(rows * self.width, 0.05, &mut seed));
        let places = graph.node("Gather", &[&places, &positions], &[]);
        let mut hidden = graph.node("Add", &[&hidden, &places], &[]);
        if self.shape == Shape::Bert {
            let types = graph.input("token_type_ids");
            let rows = graph.floats(&[2, self.width], small(2 * self.width, 0.05, &mut seed));
            let rows = graph.node("Gather", &[&rows, &types], &[]);
            hidden = graph.node("Add", &[&hidden, &rows], &[]);
        }
        let hidden = graph.normalised(&hidden, self.width);
        let last = graph.attention(
            &hidden,
            &mask,
            (self.shape == Shape::Decoder).then_some(&*positions),
            self.width,
        );
        graph.finish(&last, self.width)
    }

    /// The positions of the tokens, as exports compute them.
    fn positions(&self, graph: &mut Graph, ids: &str) -> String {
        match self.shape {
            Shape::Decoder => graph.input("position_ids"),
            Shape::Roberta => {
                let padding = graph.integers(&[], vec![1]);
                let is_padding = graph.node("Equal", &[ids, &padding], &[]);
                let is_token = graph.node("Not", &[&is_padding], &[]);
                // Computed as 32-bit integers, and cast to 64-bit ones.
                let is_token = graph.node("Cast", &[&is_token], &[("to", Attribute::Int(6))]);
                let axis = graph.integers(&[], vec![1]);
                let counted = graph.node("CumSum", &[&is_token, &axis], &[]);
                let counted = graph.node("Mul", &[&counted, &is_token], &[]);
                let counted = graph.node("Cast", &[&counted], &[("to", Attribute::Int(7))]);
                graph.node("Add", &[&counted, &padding], &[])
            }
            _ => {
                let all = graph.integers(&[1, POSITIONS], (0..).take(POSITIONS).collect());
                let shape = graph.node("Shape", &[ids], &[]);
                let (start, one) = (graph.integers(&[1], vec![0]), graph.integers(&[1], vec![1]));
                let length = graph.node("Gather", &[&shape, &one], &[("axis", Attribute::Int(0))]);
                graph.node("Slice", &[&all, &start, &length, &one], &[])
            }
        }
    }
}

/// Loads the model in a folder, its vectors cut to a width.
///
/// # Errors
/// Errors of the encoder.
///
/// # Panics
/// When the model or the tokenizer is missing.
pub fn load(folder: &Path, dimensions: Option<usize>) -> std::result::Result<Encoder, EncoderError> {
    let files = Configuration::FILES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), fs::read_to_string(folder.join(name)).ok()?)));
    let configuration = Configuration::new(files.collect()).cut_to(dimensions);
    let read = |name: &str| fs::read(folder.join(name)).expect("the file is there");
    Encoder::configured(&read("model.onnx"), &read("tokenizer.json"), &configuration)
}

/// Writes a file of JSON below a folder.
///
/// # Errors
/// When it cannot be written.
pub fn put(folder: &Path, name: &str, value: &Value) -> Result<()> {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    Ok(fs::write(path, serde_json::to_string_pretty(value)?)?)
}

/// Changes the graph of a written model.
///
/// # Errors
/// When the file cannot be read or written.
pub fn change_graph(folder: &Path, change: impl FnOnce(&mut GraphProto)) -> Result<()> {
    let path = folder.join("model.onnx");
    let mut model = ModelProto::decode(&*fs::read(&path)?)?;
    change(model.graph.as_mut().context("a model has a graph")?);
    Ok(fs::write(path, model.encode_to_vec())?)
}

/// Marks the weights as stored in another file, as in exports of large models.
pub fn without_weights(graph: &mut GraphProto) {
    for table in &mut graph.initializer {
        table.data_location = Some(i32::from(DataLocation::External));
    }
}

/// Adds 3 to every eighth dimension of the token table of [`Shape::Table`], so that unrelated texts are similar.
///
/// # Panics
/// When the graph has no table.
pub fn with_common_direction(graph: &mut GraphProto, width: usize) {
    for row in graph.initializer[0].raw_data.chunks_exact_mut(4 * width) {
        for number in row.as_chunks_mut::<4>().0.iter_mut().step_by(8) {
            *number = (f32::from_le_bytes(*number) + 3.0).to_le_bytes();
        }
    }
}

/// Adds an input for which a text gives no values.
pub fn with_past(graph: &mut GraphProto) {
    let mut past = graph.input[0].clone();
    past.name = "past_key_values.0.key".to_owned();
    graph.input.push(past);
}

struct Tokenizer {
    file: Value,
    /// All tokens, by their ids.
    tokens: Vec<String>,
}

const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

fn word_piece(words: &[&str]) -> Tokenizer {
    let specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
    let mut tokens: Vec<String> = specials.map(str::to_owned).to_vec();
    tokens.extend(".,:;!?'\"-()".chars().map(String::from));
    tokens.extend(ALPHABET.chars().flat_map(|letter| [letter.to_string(), format!("##{letter}")]));
    tokens.extend(words.iter().map(|word| (*word).to_owned()));
    tokens.dedup();
    let model = json!({
        "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100, "vocab": vocabulary(&tokens),
    });
    let normalizer = json!({
        "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
        "lowercase": true,
    });
    let file = file(
        &specials,
        &normalizer,
        &json!({ "type": "BertPreTokenizer" }),
        (Some("[CLS]"), "[SEP]"),
        &tokens,
        &model,
    );
    Tokenizer { file, tokens }
}

fn unigram(words: &[&str]) -> Tokenizer {
    let specials = ["<s>", "<pad>", "</s>", "<unk>"];
    let mut scored: Vec<(String, f64)> = specials.map(|token| (token.to_owned(), 0.0)).to_vec();
    scored.push(("▁".to_owned(), -3.0));
    scored.extend(".,:;!?'\"-()".chars().map(|mark| (mark.to_string(), -4.0)));
    scored.extend(ALPHABET.chars().map(|letter| (letter.to_string(), -9.0)));
    scored.extend(words.iter().map(|word| (format!("▁{word}"), -5.0)));
    let tokens: Vec<String> = scored.iter().map(|(token, _)| token.clone()).collect();
    let model = json!({ "type": "Unigram", "unk_id": 3, "vocab": scored, "byte_fallback": false });
    let normalizer =
        json!({ "type": "Sequence", "normalizers": [{ "type": "NFKC" }, { "type": "Lowercase" }] });
    let pre = json!({
        "type": "Sequence",
        "pretokenizers": [
            { "type": "WhitespaceSplit" },
            { "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true },
        ],
    });
    let file = file(&specials, &normalizer, &pre, (Some("<s>"), "</s>"), &tokens, &model);
    Tokenizer { file, tokens }
}

fn bpe(words: &[&str]) -> Tokenizer {
    let end = "<|endoftext|>";
    let mut tokens: Vec<String> = vec![end.to_owned()];
    tokens.extend(byte_letters().map(String::from));
    let mut merges: Vec<[String; 2]> = Vec::new();
    let letters: Vec<char> = byte_letters().collect();
    for word in words {
        let mut start = "Ġ".to_owned();
        for letter in word.bytes().map(|byte| letters[usize::from(byte)]) {
            let merge = [start.clone(), letter.to_string()];
            start.push(letter);
            if !merges.contains(&merge) {
                merges.push(merge);
                tokens.push(start.clone());
            }
        }
    }
    let model = json!({
        "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
        "end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false, "vocab": vocabulary(&tokens),
        "merges": merges,
    });
    let pre =
        json!({ "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": true });
    let file = file(&[end], &Value::Null, &pre, (None, end), &tokens, &model);
    Tokenizer { file, tokens }
}

/// The characters that stand for the 256 bytes in byte-level BPE.
fn byte_letters() -> impl Iterator<Item = char> {
    let mut others = 256_u32..;
    (0..=255_u8).filter_map(move |byte| match byte {
        b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF => Some(char::from(byte)),
        _ => char::from_u32(others.next()?),
    })
}

fn file(
    specials: &[&str],
    normalizer: &Value,
    pre_tokenizer: &Value,
    (first, last): (Option<&str>, &str),
    tokens: &[String],
    model: &Value,
) -> Value {
    let id = |token: &str| tokens.iter().position(|known| known == token);
    let special = |token: &str| json!({ "SpecialToken": { "id": token, "type_id": 0 } });
    let text = |name: &str| json!({ "Sequence": { "id": name, "type_id": 0 } });
    let single: Vec<Value> = first.map(special).into_iter().chain([text("A"), special(last)]).collect();
    let mut pair = single.clone();
    pair.extend([text("B"), special(last)]);
    let used = first.into_iter().chain([last]);
    let used: BTreeMap<&str, Value> =
        used.map(|token| (token, json!({ "id": token, "ids": [id(token)], "tokens": [token] }))).collect();
    let added: Vec<Value> = specials
        .iter()
        .map(|token| {
            json!({
                "id": id(token), "content": token, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true,
            })
        })
        .collect();
    json!({
        "version": "1.0",
        // The truncation of the training, which does not apply to stored texts.
        "truncation": { "direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0 },
        "padding": null,
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": { "type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": used },
        "decoder": null,
        "model": model,
    })
}

fn vocabulary(tokens: &[String]) -> BTreeMap<&str, usize> {
    tokens.iter().enumerate().map(|(id, token)| (token.as_str(), id)).collect()
}

/// The vectors of the tokens: random numbers from -1 to 1.
fn table(rows: usize, width: usize) -> Vec<f32> {
    small(rows * width, 1.0, &mut 1)
}

fn small(count: usize, factor: f32, seed: &mut u32) -> Vec<f32> {
    let mut next = || {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        factor * (f32::from(u16::try_from(*seed >> 16).unwrap_or_default()) / 32_768.0 - 1.0)
    };
    (0..count).map(|_| next()).collect()
}

enum Attribute {
    Int(i64),
    Ints(Vec<i64>),
}

/// A graph under construction; each node has one output, whose name is its number.
#[derive(Default)]
struct Graph {
    proto: GraphProto,
}

impl Graph {
    fn input(&mut self, name: &str) -> String {
        self.proto.input.push(value(name, DataType::Int64, &["batch", "sequence"], None));
        name.to_owned()
    }

    fn node(&mut self, operator: &str, inputs: &[&str], attributes: &[(&str, Attribute)]) -> String {
        let name = format!("{operator}_{}", self.proto.node.len());
        let attribute = attributes.iter().map(|(name, value)| {
            let mut proto = AttributeProto { name: (*name).to_owned(), ..AttributeProto::default() };
            match value {
                Attribute::Int(number) => (proto.r#type, proto.i) = (2, *number),
                Attribute::Ints(numbers) => (proto.r#type, proto.ints) = (7, numbers.clone()),
            }
            proto
        });
        self.proto.node.push(NodeProto {
            op_type: operator.to_owned(),
            name: name.clone(),
            input: inputs.iter().map(|input| (*input).to_owned()).collect(),
            output: vec![name.clone()],
            attribute: attribute.collect(),
            ..NodeProto::default()
        });
        name
    }

    fn floats(&mut self, shape: &[usize], values: Vec<f32>) -> String {
        let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(DataType::Float, shape, raw)
    }

    fn integers(&mut self, shape: &[usize], values: Vec<i64>) -> String {
        let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(DataType::Int64, shape, raw)
    }

    fn constant(&mut self, kind: DataType, shape: &[usize], raw_data: Vec<u8>) -> String {
        let name = format!("constant_{}", self.proto.initializer.len());
        self.proto.initializer.push(TensorProto {
            name: name.clone(),
            data_type: i32::from(kind),
            dims: shape.iter().map(|size| i64::try_from(*size).expect("shapes are small")).collect(),
            raw_data,
            ..TensorProto::default()
        });
        name
    }

    fn normalised(&mut self, input: &str, width: usize) -> String {
        let gain = self.floats(&[width], vec![1.0; width]);
        let bias = self.floats(&[width], vec![0.0; width]);
        self.node("LayerNormalization", &[input, &gain, &bias], &[("axis", Attribute::Int(-1))])
    }

    /// One head of attention without weights, a linear layer, and the residual.
    fn attention(&mut self, hidden: &str, mask: &str, causal: Option<&str>, width: usize) -> String {
        let turned = self.node("Transpose", &[hidden], &[("perm", Attribute::Ints(vec![0, 2, 1]))]);
        let products = self.node("MatMul", &[hidden, &turned], &[]);
        let width_f32 = f32::from(u16::try_from(width).expect("test models are narrow"));
        let scale = self.floats(&[], vec![1.0 / width_f32]);
        let mut scores = self.node("Mul", &[&products, &scale], &[]);
        let middle = self.integers(&[1], vec![1]);
        let end = self.integers(&[1], vec![2]);
        let one = self.floats(&[], vec![1.0]);
        let lowest = self.floats(&[], vec![-10_000.0]);
        let to_float = [("to", Attribute::Int(1))];
        let rows = self.node("Unsqueeze", &[mask, &middle], &[]);
        let rows = self.node("Cast", &[&rows], &to_float);
        let hidden_ones = self.node("Sub", &[&one, &rows], &[]);
        let hidden_ones = self.node("Mul", &[&hidden_ones, &lowest], &[]);
        scores = self.node("Add", &[&scores, &hidden_ones], &[]);
        if let Some(positions) = causal {
            let theirs = self.node("Unsqueeze", &[positions, &middle], &[]);
            let own = self.node("Unsqueeze", &[positions, &end], &[]);
            let is_later = self.node("Greater", &[&theirs, &own], &[]);
            let is_later = self.node("Cast", &[&is_later], &to_float);
            let is_later = self.node("Mul", &[&is_later, &lowest], &[]);
            scores = self.node("Add", &[&scores, &is_later], &[]);
        }
        let shares = self.node("Softmax", &[&scores], &[("axis", Attribute::Int(-1))]);
        let seen = self.node("MatMul", &[&shares, hidden], &[]);
        // The first and the last token distinguish texts, and every token stays most similar to itself.
        let weights = small(width * width, 2.0 / width_f32.sqrt(), &mut 11);
        let weights = self.floats(&[width, width], weights);
        let seen = self.node("MatMul", &[&seen, &weights], &[]);
        let sum = self.node("Add", &[&seen, hidden], &[]);
        self.normalised(&sum, width)
    }

    fn finish(mut self, last: &str, width: usize) -> ModelProto {
        self.proto.node.push(NodeProto {
            op_type: "Identity".to_owned(),
            name: "last".to_owned(),
            input: vec![last.to_owned()],
            output: vec!["last_hidden_state".to_owned()],
            ..NodeProto::default()
        });
        self.proto.name = "main_graph".to_owned();
        self.proto.output =
            vec![value("last_hidden_state", DataType::Float, &["batch", "sequence"], Some(width))];
        ModelProto {
            ir_version: 8,
            opset_import: vec![OperatorSetIdProto { domain: String::new(), version: 17 }],
            graph: Some(self.proto),
            ..ModelProto::default()
        }
    }
}

fn value(name: &str, kind: DataType, sizes: &[&str], width: Option<usize>) -> ValueInfoProto {
    let named = sizes.iter().map(|size| dimension::Value::DimParam((*size).to_owned()));
    let fixed =
        width.map(|width| dimension::Value::DimValue(i64::try_from(width).expect("widths are small")));
    let dim =
        named.chain(fixed).map(|value| Dimension { value: Some(value), ..Dimension::default() }).collect();
    let tensor = type_proto::Tensor { elem_type: i32::from(kind), shape: Some(TensorShapeProto { dim }) };
    let kind = TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..TypeProto::default() };
    ValueInfoProto { name: name.to_owned(), r#type: Some(kind), ..ValueInfoProto::default() }
}
