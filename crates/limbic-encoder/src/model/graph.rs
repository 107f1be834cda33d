//! The ONNX graph, executed by tract.

use tract_onnx::pb::ModelProto;
use tract_onnx::pb::tensor_proto::DataLocation;
use tract_onnx::prelude::*;
use tract_onnx::tract_hir::infer::Factoid;

use super::linear;
use crate::EncoderError;

/// The number of positions of the original BERT, used if the graph has no table of positions.
const DEFAULT_POSITIONS: usize = 512;
/// Common names of the output with one vector per token.
const OUTPUTS: [&str; 2] = ["last_hidden_state", "token_embeddings"];

/// Whether [`linear`](super::linear) executes layers of 8-bit weights. tract's kernels are faster with registers wider
/// than those of WebAssembly.
const OWN_LINEAR_LAYERS: bool = cfg!(all(target_arch = "wasm32", target_feature = "simd128"));

/// A graph that computes the vectors of the last layer from token ids.
pub struct Graph {
    name: String,
    positions: usize,
    vocabulary: Option<usize>,
    inputs: Vec<Input>,
    output: String,
    plan: Arc<TypedSimplePlan>,
}

/// One input, `[1, tokens]`.
struct Input {
    name: String,
    fills: Fill,
    datum_type: DatumType,
}

/// The content of an input.
#[derive(Clone, Copy)]
enum Fill {
    /// Token ids.
    Ids,
    /// Attention mask: ones.
    Mask,
    /// Token types: zeros, the first segment.
    Types,
    /// Positions: 0, 1, 2.
    Positions,
}

impl Graph {
    /// Parses and optimises an ONNX file.
    pub fn load(mut bytes: &[u8]) -> Result<Self, EncoderError> {
        let unusable = |error: TractError| EncoderError::Model(format!("{error:#}"));
        let mut onnx = tract_onnx::onnx().with_ignore_output_shapes(true);
        let mut proto = onnx.proto_model_for_read(&mut bytes).map_err(unusable)?;
        check_weights(&proto)?;
        let (name, positions) = (name_of(&proto), positions_of(&proto));
        let vocabulary = vocabulary_of(&proto);
        if OWN_LINEAR_LAYERS && let Some(graph) = &mut proto.graph {
            linear::register(&mut onnx);
            linear::fuse(graph);
        }
        let mut model = onnx.model_for_proto_model(&proto).map_err(unusable)?;
        drop(proto);
        let inputs = set_inputs(&mut model)?;
        let mut model = model.into_typed().map_err(unusable)?;
        let output = select_output(&mut model).map_err(unusable)??;
        let model = model.into_optimized().map_err(unusable)?;
        Ok(Self {
            name,
            positions,
            vocabulary,
            inputs,
            output,
            plan: model.into_runnable().map_err(unusable)?,
        })
    }

    /// The graph's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the inputs.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(|input| &*input.name)
    }

    /// The name of the output that is used.
    pub fn output(&self) -> &str {
        &self.output
    }

    /// The number of rows of the position table.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// The number of token ids that the graph accepts, if known.
    pub fn vocabulary(&self) -> Option<usize> {
        self.vocabulary
    }

    /// Runs the graph; returns the last layer, the same number of values per token.
    pub fn run(&self, ids: &[u32]) -> Result<Vec<f32>, String> {
        let rows = self.try_run(ids).map_err(|error| format!("the model cannot read the text: {error:#}"))?;
        if !rows.is_empty() && rows.len().is_multiple_of(ids.len()) {
            Ok(rows)
        } else {
            Err(format!("the model gives {} numbers for {} tokens", rows.len(), ids.len()))
        }
    }

    fn try_run(&self, ids: &[u32]) -> TractResult<Vec<f32>> {
        let inputs =
            self.inputs.iter().map(|input| input.tensor(ids)).collect::<TractResult<TVec<TValue>>>()?;
        let outputs = self.plan.run(inputs)?;
        let last = outputs[0].cast_to::<f32>()?;
        let numbers = last.to_plain_array_view::<f32>()?;
        Ok(numbers.iter().copied().collect())
    }
}

impl Input {
    fn tensor(&self, ids: &[u32]) -> TractResult<TValue> {
        let values: Vec<i64> = match self.fills {
            Fill::Ids => ids.iter().map(|id| i64::from(*id)).collect(),
            Fill::Mask => vec![1; ids.len()],
            Fill::Types => vec![0; ids.len()],
            Fill::Positions => (0_i64..).take(ids.len()).collect(),
        };
        let tensor = tensor1(&values).into_shape(&[1, ids.len()])?;
        Ok(tensor.cast_to_dt(self.datum_type)?.into_owned().into_tvalue())
    }
}

/// Sets the shape of every input to `[1, tokens]`.
fn set_inputs(model: &mut InferenceModel) -> Result<Vec<Input>, EncoderError> {
    let tokens = model.symbols.sym("tokens");
    let outlets = model.inputs.clone();
    let mut inputs = Vec::new();
    for (index, outlet) in outlets.iter().enumerate() {
        let name = model.node(outlet.node).name.clone();
        let fills = match name.as_str() {
            "input_ids" => Fill::Ids,
            "attention_mask" => Fill::Mask,
            "token_type_ids" => Fill::Types,
            "position_ids" => Fill::Positions,
            _ => return Err(EncoderError::Input(name)),
        };
        let unusable = |error: TractError| EncoderError::Model(format!("{error:#}"));
        let fact = model.input_fact(index).map_err(unusable)?;
        let datum_type = fact.datum_type.concretize().unwrap_or(DatumType::I64);
        let shape = tvec![TDim::from(1), tokens.clone().into()];
        model.set_input_fact(index, InferenceFact::dt_shape(datum_type, shape)).map_err(unusable)?;
        inputs.push(Input { name, fills, datum_type });
    }
    if inputs.is_empty() {
        return Err(EncoderError::Input("it has none".to_owned()));
    }
    Ok(inputs)
}

/// Rejects a model whose weights are in separate files.
fn check_weights(proto: &ModelProto) -> Result<(), EncoderError> {
    let mut tables = proto.graph.iter().flat_map(|graph| &graph.initializer);
    let external = i32::from(DataLocation::External);
    match tables.find(|table| table.data_location == Some(external)) {
        None => Ok(()),
        Some(table) => Err(EncoderError::Model(format!(
            "its weights are in separate files ({} and others); save the model with all weights in model.onnx",
            table.name
        ))),
    }
}

/// Removes all outputs but the one with a vector per token; returns its name.
fn select_output(model: &mut TypedModel) -> TractResult<Result<String, EncoderError>> {
    let mut wanted = None;
    let mut seen = Vec::new();
    for outlet in &model.outputs {
        let fact = model.outlet_fact(*outlet)?;
        let name = model.outlet_label(*outlet).unwrap_or_default();
        seen.push(format!("{name} {:?}", fact.shape));
        let named = OUTPUTS.contains(&name);
        if fact.rank() == 3 && (wanted.is_none() || named) {
            wanted = Some((*outlet, name.to_owned()));
            if named {
                break;
            }
        }
    }
    let Some((outlet, name)) = wanted else {
        return Ok(Err(EncoderError::Output(seen.join(", "))));
    };
    model.select_output_outlets(&[outlet])?;
    Ok(Ok(name))
}

fn name_of(proto: &ModelProto) -> String {
    match &proto.graph {
        Some(graph) if !graph.name.is_empty() => graph.name.clone(),
        _ => "onnx".to_owned(),
    }
}

/// The number of rows of the token embedding table: the table that is indexed by `input_ids`, directly or
/// after conversions.
fn vocabulary_of(proto: &ModelProto) -> Option<usize> {
    let graph = proto.graph.as_ref()?;
    let source = |value: &str| {
        let node = graph.node.iter().find(|node| node.output.iter().any(|output| output == value))?;
        let converts = ["Cast", "DequantizeLinear", "Identity"].contains(&node.op_type.as_str());
        if converts { node.input.first().map(String::as_str) } else { None }
    };
    let origin = |value: &'_ str| {
        std::iter::successors(Some(value.to_owned()), |value| source(value).map(str::to_owned)).last()
    };
    let reads =
        |inputs: &[String]| inputs.get(1).is_some_and(|ids| origin(ids).as_deref() == Some("input_ids"));
    let gather = graph.node.iter().find(|node| node.op_type == "Gather" && reads(&node.input))?;
    let table = origin(gather.input.first()?)?;
    let table = graph.initializer.iter().find(|constant| constant.name == table)?;
    table.dims.first().and_then(|rows| usize::try_from(*rows).ok())
}

/// The number of rows of the position table.
fn positions_of(proto: &ModelProto) -> usize {
    let tables = proto.graph.iter().flat_map(|graph| &graph.initializer);
    tables
        .filter(|table| table.name.contains("position_embeddings") && table.dims.len() == 2)
        .find_map(|table| usize::try_from(table.dims[0]).ok())
        .unwrap_or(DEFAULT_POSITIONS)
}
