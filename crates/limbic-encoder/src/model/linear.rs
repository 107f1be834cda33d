//! Linear layers with 8-bit weights. tract would convert the weights to f32 and multiply more slowly.
//!
//! In the file a layer is `MatMul(x, DequantizeLinear(integers, scales))`. [`fuse`] replaces each pair by one node, and
//! [`register`] registers that node with tract. Every other `MatMul` is left to tract.

use std::collections::{HashMap, HashSet};

use tract_onnx::Onnx;
use tract_onnx::model::ParsingContext;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::{GraphProto, NodeProto, TensorProto};
use tract_onnx::tract_core;
use tract_onnx::tract_hir::internal::*;

use super::weights::Weights;

/// The operator of a fused node; not an ONNX operator.
const OPERATOR: &str = "LimbicLinear";

/// Registers the operator of [`fuse`] with tract.
pub fn register(onnx: &mut Onnx) {
    fn build(_: &ParsingContext, _: &NodeProto) -> TractResult<(Box<dyn InferenceOp>, Vec<String>)> {
        Ok((expand(Layer), vec![]))
    }
    onnx.op_register.insert(OPERATOR, build);
}

/// Replaces every `MatMul` whose second factor is a constant matrix of 8-bit integers with one scale per column by one
/// node with the inputs: first factor, integers, scales.
pub fn fuse(graph: &mut GraphProto) {
    // Values that a subgraph captures from the outer graph are not among its nodes' inputs.
    if graph.node.iter().flat_map(|node| &node.attribute).any(|attribute| attribute.g.is_some()) {
        return;
    }
    let constants: HashMap<&str, &TensorProto> =
        graph.initializer.iter().map(|constant| (constant.name.as_str(), constant)).collect();
    let sources: HashMap<String, [String; 2]> =
        graph.node.iter().filter_map(|node| dequantized(node, &constants)).collect();
    for node in &mut graph.node {
        if node.op_type == "MatMul"
            && let [input, factor] = node.input.as_slice()
            && let Some([integers, scales]) = sources.get(factor)
        {
            node.input = vec![input.clone(), integers.clone(), scales.clone()];
            node.op_type = OPERATOR.to_owned();
        }
    }
    let used: HashSet<String> = graph.node.iter().flat_map(|node| node.input.iter().cloned()).collect();
    let given: HashSet<&str> = graph.output.iter().map(|output| output.name.as_str()).collect();
    graph.node.retain(|node| {
        let name = node.output.first().map_or("", String::as_str);
        !sources.contains_key(name) || used.contains(name) || given.contains(name)
    });
}

/// The output and inputs of a `DequantizeLinear` node, if its matrix fits [`Weights`].
fn dequantized(node: &NodeProto, constants: &HashMap<&str, &TensorProto>) -> Option<(String, [String; 2])> {
    let ([integers, scales], [output]) = (node.input.as_slice(), node.output.as_slice()) else {
        return None;
    };
    let (matrix, column) = (constants.get(integers.as_str())?, constants.get(scales.as_str())?);
    let ([rows, columns], [length]) = (matrix.dims.as_slice(), column.dims.as_slice()) else {
        return None;
    };
    // The scales belong to columns (axis 1); any other attribute means another layout.
    let by_column =
        node.attribute.iter().all(|attribute| attribute.name == "axis" && [1, -1].contains(&attribute.i));
    let suitable = node.op_type == "DequantizeLinear"
        && by_column
        && matrix.data_type == i32::from(DataType::Int8)
        && column.data_type == i32::from(DataType::Float)
        && columns == length
        && Weights::fits(usize::try_from(*rows).ok()?, usize::try_from(*columns).ok()?);
    suitable.then(|| (output.clone(), [integers.clone(), scales.clone()]))
}

/// The fused node as parsed, before its constants are known.
#[derive(Clone, Debug)]
struct Layer;

impl Expansion for Layer {
    fn name(&self) -> StaticName {
        OPERATOR.into()
    }

    fn rules<'r, 'p: 'r, 's: 'r>(
        &'s self,
        solver: &mut Solver<'r>,
        inputs: &'p [TensorProxy],
        outputs: &'p [TensorProxy],
    ) -> InferenceResult {
        check_input_arity(inputs, 3)?;
        check_output_arity(outputs, 1)?;
        solver.equals(&inputs[0].datum_type, f32::datum_type())?;
        solver.equals(&outputs[0].datum_type, f32::datum_type())?;
        solver.given_2(&inputs[0].shape, &inputs[1].shape, |solver, mut shape, weights| {
            if let (Some(last), Some(columns)) = (shape.last_mut(), weights.last()) {
                *last = columns.clone();
            }
            solver.equals(&outputs[0].shape, shape)
        })
    }

    fn wire(&self, prefix: &str, model: &mut TypedModel, inputs: &[OutletId]) -> TractResult<TVec<OutletId>> {
        let constant =
            |model: &TypedModel, outlet| Ok::<_, TractError>(model.outlet_fact(outlet)?.konst.clone());
        let integers = constant(model, inputs[1])?.context("the integers are not constant")?;
        let scales = constant(model, inputs[2])?.context("the scales are not constant")?;
        let weights = Weights::pack(
            integers.try_as_plain_ram()?.as_slice::<i8>()?,
            scales.try_as_plain_ram()?.as_slice::<f32>()?,
        );
        let weights = weights.context("the weights have another shape than the file says")?;
        model.wire_node(prefix, Linear(Arc::new(weights)), &inputs[..1])
    }
}

/// The fused node as executed, with packed weights.
#[derive(Clone, Debug)]
struct Linear(Arc<Weights>);

impl PartialEq for Linear {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Linear {}

impl Op for Linear {
    fn name(&self) -> StaticName {
        OPERATOR.into()
    }

    tract_core::op_as_typed_op!();
}

impl EvalOp for Linear {
    tract_core::op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let [input] = inputs.as_slice() else {
            bail!("a linear layer reads one tensor, not {}", inputs.len())
        };
        let mut shape: TVec<usize> = input.shape().into();
        let last = shape.last_mut().context("a linear layer reads rows, not a single number")?;
        ensure!(*last == self.0.inputs(), "a row has {last} numbers, not {}", self.0.inputs());
        *last = self.0.outputs();
        let mut answer = Tensor::zero::<f32>(&shape)?;
        self.0.multiply(
            input.try_as_plain_ram()?.as_slice::<f32>()?,
            answer.try_as_plain_ram_mut()?.as_slice_mut::<f32>()?,
        );
        Ok(tvec![answer.into_tvalue()])
    }
}

impl TypedOp for Linear {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        let mut shape = inputs[0].shape.to_tvec();
        ensure!(
            shape.last().is_some_and(|last| *last == self.0.inputs().to_dim()),
            "a row must have {} numbers",
            self.0.inputs()
        );
        *shape.last_mut().context("the input has no rows")? = self.0.outputs().to_dim();
        Ok(tvec![f32::fact(shape)])
    }

    tract_core::as_op!();
}

#[cfg(test)]
mod tests {
    use tract_onnx::pb::type_proto::{Tensor as TensorType, Value};
    use tract_onnx::pb::{ModelProto, TypeProto, ValueInfoProto};
    use tract_onnx::prelude::*;

    use super::*;

    const ROWS: usize = 3;

    fn node(op_type: &str, inputs: [&str; 2], output: &str) -> NodeProto {
        NodeProto {
            op_type: op_type.to_owned(),
            input: inputs.map(str::to_owned).to_vec(),
            output: vec![output.to_owned()],
            ..NodeProto::default()
        }
    }

    fn constant(name: &str, data_type: DataType, dims: &[i64], raw_data: Vec<u8>) -> TensorProto {
        TensorProto {
            name: name.to_owned(),
            data_type: data_type.into(),
            dims: dims.to_vec(),
            raw_data,
            ..TensorProto::default()
        }
    }

    fn value(name: &str) -> ValueInfoProto {
        let of_floats = TensorType { elem_type: DataType::Float.into(), shape: None };
        let r#type = TypeProto { value: Some(Value::TensorType(of_floats)), ..TypeProto::default() };
        ValueInfoProto { name: name.to_owned(), r#type: Some(r#type), ..ValueInfoProto::default() }
    }

    /// `x` of rows of 8 numbers times 8-bit weights, times weights that are f32.
    fn graph() -> GraphProto {
        let integers: Vec<u8> = (0..64).map(|index: u8| index.wrapping_mul(37)).collect();
        let floats = |count: u8| {
            (0..count).flat_map(|index| (f32::from(index % 11) / 8.0 - 0.6).to_le_bytes()).collect()
        };
        GraphProto {
            node: vec![
                node("DequantizeLinear", ["integers", "scales"], "weights"),
                node("MatMul", ["x", "weights"], "between"),
                node("MatMul", ["between", "floats"], "y"),
            ],
            initializer: vec![
                constant("integers", DataType::Int8, &[8, 8], integers),
                constant("scales", DataType::Float, &[8], floats(8)),
                constant("floats", DataType::Float, &[8, 4], floats(32)),
            ],
            input: vec![value("x")],
            output: vec![value("y")],
            ..GraphProto::default()
        }
    }

    fn operators(graph: &GraphProto) -> Vec<&str> {
        graph.node.iter().map(|node| node.op_type.as_str()).collect()
    }

    fn run(graph: GraphProto) -> TractResult<Vec<f32>> {
        let mut onnx = tract_onnx::onnx();
        register(&mut onnx);
        let mut model =
            onnx.model_for_proto_model(&ModelProto { graph: Some(graph), ..ModelProto::default() })?;
        let count = model.symbols.sym("rows");
        model
            .set_input_fact(0, InferenceFact::dt_shape(f32::datum_type(), tvec![count.into(), 8.to_dim()]))?;
        let plan = model.into_optimized()?.into_runnable()?;
        let numbers: Vec<f32> = (0..ROWS * 8).map(|index| (index as f32).sin()).collect();
        let answer = plan.run(tvec![tensor1(&numbers).into_shape(&[ROWS, 8])?.into_tvalue()])?;
        assert_eq!(answer[0].shape(), [ROWS, 4]);
        Ok(answer[0].try_as_plain_ram()?.as_slice::<f32>()?.to_vec())
    }

    #[test]
    fn a_fused_graph_computes_the_same_values() {
        let mut fused = graph();
        fuse(&mut fused);
        assert_eq!(operators(&fused), [OPERATOR, "MatMul"]);
        let expected = run(graph()).expect("tract knows its own operators");
        let answer = run(fused).expect("and the one it was taught");
        for (answer, expected) in answer.iter().zip(&expected) {
            assert!((answer - expected).abs() < 2e-3, "{answer} instead of {expected}");
        }
    }

    #[test]
    fn a_dequantised_matrix_that_another_node_reads_is_kept() {
        let mut other = graph();
        other.output.push(value("weights"));
        fuse(&mut other);
        assert_eq!(operators(&other), ["DequantizeLinear", OPERATOR, "MatMul"]);
    }

    #[test]
    fn other_layouts_are_left_to_tract() {
        let mut by_row = graph();
        by_row.node[0].attribute.push(tract_onnx::pb::AttributeProto {
            name: "axis".to_owned(),
            i: 0,
            ..Default::default()
        });
        let mut shifted = graph();
        shifted.node[0].input.push("zero_points".to_owned());
        let mut wide = graph();
        wide.initializer[0].data_type = DataType::Int32.into();
        for mut graph in [by_row, shifted, wide] {
            fuse(&mut graph);
            assert_eq!(operators(&graph), ["DequantizeLinear", "MatMul", "MatMul"]);
        }
    }
}
