//! Builds an ONNX graph from nodes and constants, independent of the model.

use std::collections::HashSet;

use super::onnx::{
    ATTRIBUTE_FLOAT, ATTRIBUTE_INT, ATTRIBUTE_INTS, AttributeProto, NodeProto, TYPE_FLOAT, TYPE_INT8,
    TYPE_INT64, TensorProto,
};
use super::quantize::Quantized;

/// The nodes of a graph in topological order, and its constants.
#[derive(Default)]
pub struct Builder {
    pub nodes: Vec<NodeProto>,
    pub constants: Vec<TensorProto>,
    names: HashSet<String>,
}

impl Builder {
    /// Adds a node with one output, which is also the node's name, and returns it.
    pub fn node(
        &mut self,
        operator: &str,
        output: &str,
        inputs: &[&str],
        attributes: &[(&str, Attribute)],
    ) -> String {
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            output: vec![output.to_owned()],
            name: output.to_owned(),
            op_type: operator.to_owned(),
            attribute: attributes.iter().map(|(name, value)| value.named(name)).collect(),
        });
        output.to_owned()
    }

    /// Adds an f32 constant unless one of this name exists; returns its name.
    pub fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, TYPE_FLOAT, shape, bytes)
    }

    /// Adds an i64 constant unless one of this name exists; returns its name.
    pub fn integers(&mut self, name: &str, shape: &[usize], values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, TYPE_INT64, shape, bytes)
    }

    /// Adds an i8 constant of quantized weights unless one of this name exists; returns its name.
    pub fn bytes(&mut self, name: &str, shape: &[usize], values: &[i8]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, TYPE_INT8, shape, bytes)
    }

    /// Adds weights of `inputs` times `outputs` numbers, given output after output, and the node that turns
    /// them into floats with one scale per output. Returns the name of the floats.
    pub fn weights(&mut self, name: &str, inputs: usize, quantized: &Quantized) -> String {
        let outputs = quantized.scales.len();
        let transposed: Vec<i8> = (0..inputs)
            .flat_map(|input| (0..outputs).map(move |output| quantized.integers[output * inputs + input]))
            .collect();
        let integers = self.bytes(&format!("{name}.int8"), &[inputs, outputs], &transposed);
        let scales = self.floats(&format!("{name}.scale"), &[outputs], &quantized.scales);
        self.node("DequantizeLinear", name, &[&integers, &scales], &[("axis", Attribute::Int(1))])
    }

    fn constant(&mut self, name: &str, data_type: i32, shape: &[usize], raw_data: Vec<u8>) -> String {
        if self.names.insert(name.to_owned()) {
            let dims = shape.iter().map(|&size| i64::try_from(size).expect("shapes are small")).collect();
            self.constants.push(TensorProto { dims, data_type, name: name.to_owned(), raw_data });
        }
        name.to_owned()
    }
}

/// The value of an attribute.
pub enum Attribute {
    Float(f32),
    Int(i64),
    Ints(Vec<i64>),
}

impl Attribute {
    fn named(&self, name: &str) -> AttributeProto {
        let empty = AttributeProto { name: name.to_owned(), ..AttributeProto::default() };
        match self {
            Self::Float(f) => AttributeProto { f: *f, kind: ATTRIBUTE_FLOAT, ..empty },
            Self::Int(i) => AttributeProto { i: *i, kind: ATTRIBUTE_INT, ..empty },
            Self::Ints(ints) => AttributeProto { ints: ints.clone(), kind: ATTRIBUTE_INTS, ..empty },
        }
    }
}
