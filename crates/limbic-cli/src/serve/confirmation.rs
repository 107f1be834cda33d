//! Calls that a person must confirm (protocol 2026-07-28): the answer to such a call is a question, and the client
//! repeats the call with the person's answer. What was asked is in a signed text that the client sends back, so that
//! nothing is kept between the two calls and a yes counts only for the call and the question that it was given to.

use blake3::Hash;
use serde_json::{Map, Value, json};

use super::envelope::{Envelope, input_required};
use super::members::is_object;
use super::message::{Call, INVALID_PARAMS, Refused};
use crate::tokens::now_millis;

/// Maximum time for the answer of a person.
const MAX_ANSWER_MILLIS: i64 = 15 * 60 * 1000;
/// The name of the question, and of its field.
const CONFIRM: &str = "confirm";
/// The context of key derivation, which separates these keys from others of the same secret.
const CONTEXT: &str = "limbic 2026-07-28 confirmations of calls";

/// Signs questions, and reads the answers to them.
pub struct Confirmations {
    key: [u8; 32],
}

/// The state of confirmation of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// The client cannot ask its user: the call is run without confirmation.
    Unavailable,
    /// There is no answer yet, or it belongs to another call.
    Open,
    /// A person has answered yes to the question with this digest.
    Accepted(String),
    /// A person has not answered yes.
    Declined,
}

impl Confirmations {
    /// Servers with the same secrets take the answers to each other's questions.
    pub fn new(secret: &[u8]) -> Self {
        Self { key: blake3::derive_key(CONTEXT, secret) }
    }

    /// Reads a person's answer from a call of the client with this token.
    ///
    /// # Errors
    /// If it is not of the protocol's form.
    pub fn read(&self, call: &Call<'_>, envelope: &Envelope, holder: &str) -> Result<Confirmation, Refused> {
        let invalid = |text: &str| Refused::new(INVALID_PARAMS, text);
        if call.input_responses.is_some_and(|responses| !is_object(responses)) {
            return Err(invalid("\"inputResponses\" must be a JSON object"));
        }
        if !envelope.can_ask {
            return Ok(Confirmation::Unavailable);
        }
        let state: Option<String> = call
            .request_state
            .map(|state| serde_json::from_str(state.get()))
            .transpose()
            .map_err(|_| invalid("\"requestState\" must be the text that the server has sent"))?;
        let responses: Map<String, Value> = call
            .input_responses
            .map(|responses| serde_json::from_str(responses.get()))
            .transpose()
            .map_err(|_| invalid("\"inputResponses\" cannot be read"))?
            .unwrap_or_default();
        if responses.values().any(|response| !response.is_object()) {
            return Err(invalid("each of \"inputResponses\" must be the answer to a request, a JSON object"));
        }
        let Some(response) = responses.get(CONFIRM).filter(|response| response["action"].is_string()) else {
            return Ok(Confirmation::Open);
        };
        if response["action"] != "accept" || response["content"][CONFIRM] != true {
            return Ok(Confirmation::Declined);
        }
        let digest = state.and_then(|state| self.verified(&state, call, holder));
        Ok(digest.map_or(Confirmation::Open, Confirmation::Accepted))
    }

    /// Returns the result of a call that must be confirmed.
    pub fn ask(&self, question: &str, call: &Call<'_>, holder: &str) -> String {
        let until = now_millis() + MAX_ANSWER_MILLIS;
        let digest = digest_of(question);
        let signature = self.signature(&until.to_string(), &digest, call, holder).to_hex();
        let result = json!({
            "inputRequests": {
                CONFIRM: {
                    "method": "elicitation/create",
                    "params": {
                        "mode": "form",
                        "message": question,
                        "requestedSchema": {
                            "type": "object",
                            "properties": {CONFIRM: {"type": "boolean", "title": "Yes, do it"}},
                            "required": [CONFIRM],
                        },
                    },
                },
            },
            "requestState": format!("{until}.{digest}.{signature}"),
        });
        input_required(&result.to_string())
    }

    /// The digest in a signed text, if it was signed for this call and is not too old.
    fn verified(&self, state: &str, call: &Call<'_>, holder: &str) -> Option<String> {
        let mut parts = state.splitn(3, '.');
        let (until, digest, given) = (parts.next()?, parts.next()?, parts.next()?);
        // Hashes are compared in constant time.
        let is_ours = Hash::from_hex(given).ok()? == self.signature(until, digest, call, holder);
        (is_ours && until.parse::<i64>().ok()? >= now_millis()).then(|| digest.to_owned())
    }

    fn signature(&self, until: &str, digest: &str, call: &Call<'_>, holder: &str) -> Hash {
        // A client may write the same arguments with other spaces.
        let arguments = serde_json::from_str::<Value>(call.arguments)
            .map_or_else(|_| call.arguments.to_owned(), |arguments| arguments.to_string());
        let signed = json!([until, digest, holder, call.name, arguments]).to_string();
        blake3::keyed_hash(&self.key, signed.as_bytes())
    }
}

/// Identifies a question.
pub fn digest_of(question: &str) -> String {
    blake3::hash(question.as_bytes()).to_hex().to_string()
}

/// The answer to a call that a person has declined, in JSON.
pub fn declined() -> String {
    json!({
        "error": "The user did not confirm this call. Nothing was changed",
        "code": "not_confirmed",
        "hint": "Do not repeat the call unless the user asks for it",
    })
    .to_string()
}

#[cfg(test)]
#[path = "confirmation_tests.rs"]
mod tests;
