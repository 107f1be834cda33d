//! The encoder as a WebAssembly module: bytes in, bytes out.
#![allow(unsafe_code, reason = "wasm-bindgen's generated code")]

use limbic_encoder::EncoderError;
use limbic_protocol::{Task, from_bytes, to_bytes};
use wasm_bindgen::prelude::*;

/// Encodes texts as vectors.
#[wasm_bindgen]
pub struct Encoder(limbic_encoder::Encoder);

#[wasm_bindgen]
impl Encoder {
    /// Creates an encoder from the bytes of `model.onnx` and `tokenizer.json`.
    ///
    /// # Errors
    /// An `Error` whose message is JSON: `{"error", "code"}`, code `model_unusable`.
    pub fn load(model: &[u8], tokenizer: &[u8]) -> Result<Encoder, JsError> {
        limbic_encoder::Encoder::load(model, tokenizer).map(Self).map_err(|error| unusable(&error))
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
