//! The encoder as a WebAssembly module: bytes in, bytes out.
#![allow(unsafe_code, reason = "wasm-bindgen's generated code")]

use limbic_encoder::EncoderError;
use limbic_protocol::{Task, from_bytes, to_bytes};
use wasm_bindgen::prelude::*;

/// Turns texts into vectors.
#[wasm_bindgen]
pub struct Encoder(limbic_encoder::Encoder);

#[wasm_bindgen]
impl Encoder {
    /// Makes an encoder from the bytes of `model.onnx` and `tokenizer.json`.
    ///
    /// # Errors
    /// An `Error` whose message is JSON: `{"error", "code"}`, code `model_unusable`.
    pub fn load(model: &[u8], tokenizer: &[u8]) -> Result<Encoder, JsError> {
        limbic_encoder::Encoder::load(model, tokenizer).map(Self).map_err(|error| unusable(&error))
    }

    /// The encoder without a model, for tests: the same bits everywhere.
    #[must_use]
    pub fn test() -> Encoder {
        Self(limbic_encoder::Encoder::test())
    }

    /// Which encoder this is; vectors of encoders with different names cannot be compared.
    #[must_use]
    pub fn name(&self) -> String {
        self.0.name().to_owned()
    }

    /// Answers a list of tasks, as the core gave it, with a list of encodings for the core.
    ///
    /// # Errors
    /// An `Error` when the bytes are not a list of tasks: the modules are of different builds.
    pub fn encode(&self, tasks: &[u8]) -> Result<Vec<u8>, JsError> {
        let tasks: Vec<Task> = from_bytes(tasks).map_err(|error| internal(&error.to_string()))?;
        to_bytes(&self.0.encode(&tasks)).map_err(|error| internal(&error.to_string()))
    }

    /// The sentence vector of one text, of length one.
    ///
    /// # Errors
    /// An `Error` when the model cannot read the text.
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
