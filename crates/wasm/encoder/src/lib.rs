//! The encoder as a WebAssembly module: bytes in, bytes out.

use std::collections::BTreeMap;

use limbic_encoder::{Configuration, EncoderError};
use limbic_protocol::{Task, from_bytes, to_bytes};
use wasm_bindgen::prelude::*;

/// Encodes texts as vectors.
#[wasm_bindgen]
pub struct Encoder(limbic_encoder::Encoder);

#[wasm_bindgen]
impl Encoder {
    /// Creates an encoder from the bytes of `model.onnx` and `tokenizer.json`.
    ///
    /// `files` is a JSON object with the texts of those files of [`Encoder::configuration_files`] that stand beside the
    /// model, by name; `dimensions` cuts vectors to their first numbers.
    ///
    /// # Errors
    /// An `Error` whose message is JSON: `{"error", "code"}`, code `model_unusable`.
    pub fn load(
        model: &[u8],
        tokenizer: &[u8],
        files: Option<String>,
        dimensions: Option<usize>,
    ) -> Result<Encoder, JsError> {
        let files: BTreeMap<String, String> = serde_json::from_str(files.as_deref().unwrap_or("{}"))
            .map_err(|error| internal(&error.to_string()))?;
        let configuration = Configuration::new(files).cut_to(dimensions);
        limbic_encoder::Encoder::configured(model, tokenizer, &configuration)
            .map(Self)
            .map_err(|error| unusable(&error))
    }

    /// The names of the files that configure a model, relative to its folder. Each of them may be missing.
    #[must_use]
    #[wasm_bindgen(js_name = configurationFiles)]
    pub fn configuration_files() -> Vec<String> {
        Configuration::FILES.map(str::to_owned).to_vec()
    }

    /// The places of the model in its folder, in order of preference.
    #[must_use]
    #[wasm_bindgen(js_name = modelFiles)]
    pub fn model_files() -> Vec<String> {
        Configuration::MODEL_FILES.map(str::to_owned).to_vec()
    }

    /// Describes the model and how it is used, in lines for people.
    ///
    /// # Errors
    /// An `Error` when the model cannot encode a sentence.
    pub fn describe(&self) -> Result<String, JsError> {
        let described = self.0.describe().map_err(|reason| internal(&reason))?;
        Ok(described.map(|it| it.to_string()).unwrap_or_default())
    }

    /// Creates the deterministic encoder without a model, for tests.
    #[must_use]
    pub fn test() -> Encoder {
        Self(limbic_encoder::Encoder::test())
    }

    /// Name of the encoder; vectors of encoders with different names cannot be compared.
    #[must_use]
    pub fn name(&self) -> String {
        self.0.name().to_owned()
    }

    /// Encodes a list of the core's tasks. Returns a list of encodings for the core.
    ///
    /// # Errors
    /// An `Error` if the bytes are not a list of tasks: the modules are of different builds.
    pub fn encode(&self, tasks: &[u8]) -> Result<Vec<u8>, JsError> {
        let tasks: Vec<Task> = from_bytes(tasks).map_err(|error| internal(&error.to_string()))?;
        to_bytes(&self.0.encode(&tasks)).map_err(|error| internal(&error.to_string()))
    }

    /// Returns the sentence vector of a text, of length one.
    ///
    /// # Errors
    /// An `Error` if the model cannot encode the text.
    pub fn sentence(&self, text: &str) -> Result<Vec<f32>, JsError> {
        self.0.sentence(text).map_err(|reason| internal(&reason))
    }
}

fn unusable(error: &EncoderError) -> JsError {
    coded(&error.to_string(), error.code())
}

fn internal(reason: &str) -> JsError {
    coded(reason, "internal")
}

fn coded(message: &str, code: &str) -> JsError {
    JsError::new(&serde_json::json!({ "error": message, "code": code }).to_string())
}
