//! The encoder as an ONNX graph: `input_ids` in, the vectors of the last layer out.
//!
//! The batch size is one, without padding; so there is no attention mask, and the batch dimension exists only in the
//! shapes of input and output.

use anyhow::{Context, Result, ensure};
use prost::Message;
use safetensors::{Dtype, SafeTensors};

use super::builder::{Attribute, Builder};
use super::onnx::{
    Dimension, DimensionProto, GraphProto, ModelProto, OperatorSetIdProto, TYPE_FLOAT, TYPE_INT64,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};
use super::quantize::quantize;

/// Width of the vectors.
pub const HIDDEN: usize = 384;
const INNER: usize = 1536;
const HEADS: usize = 12;
const HEAD: usize = HIDDEN / HEADS;
const LAYERS: usize = 6;
/// Number of tokens.
pub const VOCABULARY: usize = 30522;
const POSITIONS: usize = 512;
/// The epsilon of layer normalisation, from the model's configuration.
const EPSILON: f32 = 1e-12;

/// The name of the token embeddings.
pub const EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

/// The first version of ONNX that has `LayerNormalization`.
const OPERATORS_VERSION: i64 = 17;
const FORMAT_VERSION: i64 = 8;

/// Writes the graph as the bytes of an ONNX file.
pub fn onnx_bytes(safetensors: &[u8]) -> Result<Vec<u8>> {
    let tensors = SafeTensors::deserialize(safetensors).context("the weights are not a safetensors file")?;
    let mut writer = Writer { tensors, builder: Builder::default() };
    let mut hidden = writer.embeddings()?;
    for layer in 0..LAYERS {
        hidden = writer.layer(&format!("encoder.layer.{layer}"), &hidden)?;
    }
    let zero = writer.builder.integers("axis_0", &[1], &[0]);
    writer.builder.node("Unsqueeze", "last_hidden_state", &[&hidden, &zero], &[]);

    let Builder { nodes, constants, .. } = writer.builder;
    let text = Dimension::Param("sequence".to_owned());
    let model = ModelProto {
        ir_version: FORMAT_VERSION,
        producer_name: "limbic".to_owned(),
        graph: Some(GraphProto {
            node: nodes,
            name: "all-MiniLM-L6-v2-int8".to_owned(),
            initializer: constants,
            input: vec![value("input_ids", TYPE_INT64, vec![Dimension::Value(1), text.clone()])],
            output: vec![value(
                "last_hidden_state",
                TYPE_FLOAT,
                vec![Dimension::Value(1), text, Dimension::Value(384)],
            )],
        }),
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPERATORS_VERSION }],
    };
    Ok(model.encode_to_vec())
}

struct Writer<'a> {
    tensors: SafeTensors<'a>,
    builder: Builder,
}

impl Writer<'_> {
    fn embeddings(&mut self) -> Result<String> {
        let words = quantize(&self.tensor(EMBEDDINGS, &[VOCABULARY, HIDDEN])?, HIDDEN);
        let types = self.tensor("embeddings.token_type_embeddings.weight", &[2, HIDDEN])?;
        let mut positions = self.tensor("embeddings.position_embeddings.weight", &[POSITIONS, HIDDEN])?;
        // Every token is of type 0, so that its vector is part of every position.
        for position in positions.chunks_exact_mut(HIDDEN) {
            for (number, of_type) in position.iter_mut().zip(&types) {
                *number += of_type;
            }
        }
        let b = &mut self.builder;
        let zero = b.integers("axis_0", &[1], &[0]);
        let ids = b.node("Squeeze", "ids", &["input_ids", &zero], &[]);
        // Rows are scaled after they were picked: the table stays 8-bit in memory too.
        let table = b.bytes("embeddings.word_embeddings.int8", &[VOCABULARY, HIDDEN], &words.integers);
        let scales = b.floats("embeddings.word_embeddings.scale", &[VOCABULARY, 1], &words.scales);
        let rows = b.node("Gather", "embeddings.rows", &[&table, &ids], &[("axis", Attribute::Int(0))]);
        let rows =
            b.node("Cast", "embeddings.rows_f32", &[&rows], &[("to", Attribute::Int(i64::from(TYPE_FLOAT)))]);
        let scale =
            b.node("Gather", "embeddings.row_scales", &[&scales, &ids], &[("axis", Attribute::Int(0))]);
        let words = b.node("Mul", "embeddings.words", &[&rows, &scale], &[]);
        let table = b.floats("embeddings.position_embeddings", &[POSITIONS, HIDDEN], &positions);
        let length = b.node("Shape", "length", &[&ids], &[]);
        let positions = b.node("Slice", "embeddings.positions", &[&table, &zero, &length, &zero], &[]);
        let sum = b.node("Add", "embeddings.sum", &[&words, &positions], &[]);
        self.normalise("embeddings.LayerNorm", &sum)
    }

    fn layer(&mut self, prefix: &str, hidden: &str) -> Result<String> {
        let attention = format!("{prefix}.attention");
        let query = self.heads(&format!("{attention}.self.query"), hidden)?;
        let key = self.heads(&format!("{attention}.self.key"), hidden)?;
        let of_value = self.heads(&format!("{attention}.self.value"), hidden)?;
        let b = &mut self.builder;
        let query = b.node("Transpose", &format!("{query}.t"), &[&query], &[perm([1, 0, 2])]);
        let key = b.node("Transpose", &format!("{key}.t"), &[&key], &[perm([1, 2, 0])]);
        let of_value = b.node("Transpose", &format!("{of_value}.t"), &[&of_value], &[perm([1, 0, 2])]);
        let scores = b.node("MatMul", &format!("{attention}.scores"), &[&query, &key], &[]);
        let shares =
            b.node("Softmax", &format!("{attention}.shares"), &[&scores], &[("axis", Attribute::Int(-1))]);
        let mixed = b.node("MatMul", &format!("{attention}.mixed"), &[&shares, &of_value], &[]);
        let mixed = b.node("Transpose", &format!("{attention}.mixed.t"), &[&mixed], &[perm([1, 0, 2])]);
        let together = b.integers("shape_together", &[2], &[0, signed(HIDDEN)]);
        let mixed = b.node("Reshape", &format!("{attention}.joined"), &[&mixed, &together], &[]);
        let answer = self.linear(&format!("{attention}.output.dense"), &mixed, HIDDEN, HIDDEN, 1.0)?;
        let sum = self.builder.node("Add", &format!("{attention}.sum"), &[&answer, hidden], &[]);
        let hidden = self.normalise(&format!("{attention}.output.LayerNorm"), &sum)?;

        let inner = self.linear(&format!("{prefix}.intermediate.dense"), &hidden, HIDDEN, INNER, 1.0)?;
        let inner = self.gelu(&format!("{prefix}.intermediate"), &inner);
        let answer = self.linear(&format!("{prefix}.output.dense"), &inner, INNER, HIDDEN, 1.0)?;
        let sum = self.builder.node("Add", &format!("{prefix}.sum"), &[&answer, &hidden], &[]);
        self.normalise(&format!("{prefix}.output.LayerNorm"), &sum)
    }

    /// One of query, key and value, split into heads: `[sequence, heads, numbers of a head]`.
    fn heads(&mut self, name: &str, hidden: &str) -> Result<String> {
        // The division of the scores by the square root of a head's size is part of the query's weights.
        let factor = if name.ends_with("query") { (HEAD as f32).sqrt().recip() } else { 1.0 };
        let joined = self.linear(name, hidden, HIDDEN, HIDDEN, factor)?;
        let shape = self.builder.integers("shape_heads", &[3], &[0, signed(HEADS), signed(HEAD)]);
        Ok(self.builder.node("Reshape", &format!("{name}.heads"), &[&joined, &shape], &[]))
    }

    /// A linear layer, with weights and bias multiplied by `factor`.
    fn linear(
        &mut self,
        name: &str,
        input: &str,
        inputs: usize,
        outputs: usize,
        factor: f32,
    ) -> Result<String> {
        let mut weights = self.tensor(&format!("{name}.weight"), &[outputs, inputs])?;
        let mut bias = self.tensor(&format!("{name}.bias"), &[outputs])?;
        weights.iter_mut().chain(&mut bias).for_each(|number| *number *= factor);
        let b = &mut self.builder;
        let weights = b.weights(&format!("{name}.weight"), inputs, &quantize(&weights, inputs));
        let bias = b.floats(&format!("{name}.bias"), &[outputs], &bias);
        let product = b.node("MatMul", &format!("{name}.product"), &[input, &weights], &[]);
        Ok(b.node("Add", &format!("{name}.out"), &[&product, &bias], &[]))
    }

    /// `x * 0.5 * (1 + erf(x / sqrt(2)))`, in the form that runtimes fuse.
    fn gelu(&mut self, prefix: &str, input: &str) -> String {
        let b = &mut self.builder;
        let root = b.floats("one_by_root_2", &[], &[std::f32::consts::SQRT_2.recip()]);
        let one = b.floats("one", &[], &[1.0]);
        let half = b.floats("half", &[], &[0.5]);
        let scaled = b.node("Mul", &format!("{prefix}.scaled"), &[input, &root], &[]);
        let erf = b.node("Erf", &format!("{prefix}.erf"), &[&scaled], &[]);
        let share = b.node("Add", &format!("{prefix}.share"), &[&erf, &one], &[]);
        let halved = b.node("Mul", &format!("{prefix}.halved"), &[input, &half], &[]);
        b.node("Mul", &format!("{prefix}.gelu"), &[&halved, &share], &[])
    }

    fn normalise(&mut self, name: &str, input: &str) -> Result<String> {
        let gain = self.tensor(&format!("{name}.weight"), &[HIDDEN])?;
        let bias = self.tensor(&format!("{name}.bias"), &[HIDDEN])?;
        let b = &mut self.builder;
        let gain = b.floats(&format!("{name}.weight"), &[HIDDEN], &gain);
        let bias = b.floats(&format!("{name}.bias"), &[HIDDEN], &bias);
        let attributes = [("axis", Attribute::Int(-1)), ("epsilon", Attribute::Float(EPSILON))];
        Ok(b.node("LayerNormalization", &format!("{name}.out"), &[input, &gain, &bias], &attributes))
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        tensor(&self.tensors, name, shape)
    }
}

/// A tensor of the published model, as f32.
pub fn tensor(tensors: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
    let tensor = tensors.tensor(name).with_context(|| format!("the weights lack {name}"))?;
    ensure!(
        tensor.dtype() == Dtype::F32 && tensor.shape() == shape,
        "{name} is {:?} of {:?}, not f32 of {shape:?}",
        tensor.shape(),
        tensor.dtype()
    );
    let (numbers, _) = tensor.data().as_chunks::<4>();
    Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

fn perm(axes: [i64; 3]) -> (&'static str, Attribute) {
    ("perm", Attribute::Ints(axes.to_vec()))
}

fn signed(size: usize) -> i64 {
    i64::try_from(size).expect("sizes of the model are small")
}

fn value(name: &str, elem_type: i32, shape: Vec<Dimension>) -> ValueInfoProto {
    let dim = shape.into_iter().map(|value| DimensionProto { value: Some(value) }).collect();
    let tensor_type = TensorTypeProto { elem_type, shape: Some(TensorShapeProto { dim }) };
    ValueInfoProto { name: name.to_owned(), r#type: Some(TypeProto { tensor_type: Some(tensor_type) }) }
}
