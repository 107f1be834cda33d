//! Limits of what one call may give the scan for secrets and the index. In WebAssembly, both take about a second for
//! each megabyte.

use limbic_core::{Error, Result};
use serde_json::Value;

use crate::{Tool, Toolset, schema, tools::memory::fields, topic_secrets::related_bytes};

/// The field whose value is also checked as JSON text: a keyword may be in a key and the secret in its value.
pub const METADATA: &str = "metadata";

/// Maximum size of the texts of one call together, in bytes, each with [`TEXT_BYTES`].
const MAX_BYTES: usize = 13_000_000;

/// The number of bytes that take as long as the beginning of a text: short texts take twice the time of long ones.
const TEXT_BYTES: usize = 128;

/// Maximum size, in bytes, of the statements of one call that are scanned with the topics beside them.
const MAX_RELATED_BYTES: usize = 2_000_000;

/// Checks the lengths of each argument of a call, and of all together. Nothing that the client wrote is in the error,
/// because it is not scanned yet.
///
/// # Errors
/// [`Error::InvalidArgument`] for what is too long.
pub fn check(tool: &Tool, arguments: &Value) -> Result<()> {
    let schema = (tool.input)().as_value();
    schema::check_lengths(schema, arguments, "")?;
    if tool.toolset == Toolset::Memory {
        fields::check_sizes(arguments)?;
        let memories = arguments.get("memories").and_then(Value::as_array);
        // Each has the fields of a single one.
        for (index, memory) in memories.into_iter().flatten().enumerate() {
            schema::check_lengths(schema, memory, &format!("memories[{index}]"))?;
            fields::check_sizes(memory)?;
        }
    }
    let bytes = scanned_bytes(arguments);
    if bytes > MAX_BYTES {
        return Err(Error::invalid(format!(
            "The texts of one call must have at most {MAX_BYTES} bytes together, where each counts as {TEXT_BYTES} bytes \
             more, but got {bytes}. Make several calls"
        )));
    }
    let bytes = related_bytes(arguments);
    if bytes > MAX_RELATED_BYTES {
        return Err(Error::invalid(
            "Too many texts of one word in one call: each is compared with the names and tags beside it. Make several \
             calls",
        ));
    }
    Ok(())
}

/// Returns the size of what the scan reads: texts and names of fields, and metadata once more as a whole.
fn scanned_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => TEXT_BYTES + text.len(),
        Value::Array(items) => items.iter().map(scanned_bytes).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let whole = if name == METADATA && value.is_object() { value.to_string().len() } else { 0 };
                name.len() + scanned_bytes(value) + whole
            })
            .sum(),
        _ => 0,
    }
}
