//! Removes the `name` section from a WebAssembly module.
//!
//! The section holds function names and is a sixth of the encoder's module. The compiler's `strip` also removes
//! sections that wasm-bindgen reads, and wasm-pack has no option for it, so it is removed afterwards.

use anyhow::{Context, Result, bail};

/// Magic number and version.
const HEADER_BYTES: usize = 8;
const CUSTOM_SECTION: u8 = 0;

/// Returns the module without its custom section `name`.
///
/// # Errors
/// When the bytes are not a WebAssembly module, or end inside a section.
pub fn strip(module: &[u8]) -> Result<Vec<u8>> {
    if !module.starts_with(b"\0asm") || module.len() < HEADER_BYTES {
        bail!("not a WebAssembly module: the magic number is missing");
    }
    let mut kept = module[..HEADER_BYTES].to_vec();
    let mut rest = &module[HEADER_BYTES..];
    while let [kind, after_kind @ ..] = rest {
        let (length, body) = number(after_kind)?;
        let body = body.get(..length).context("the WebAssembly module ends inside a section")?;
        let whole = 1 + (after_kind.len() - number(after_kind)?.1.len()) + length;
        if *kind != CUSTOM_SECTION || !is_names(body)? {
            kept.extend_from_slice(&rest[..whole]);
        }
        rest = &rest[whole..];
    }
    Ok(kept)
}

fn is_names(body: &[u8]) -> Result<bool> {
    let (length, name) = number(body)?;
    Ok(name.get(..length) == Some(b"name"))
}

/// Reads an unsigned LEB128 number; returns it with the bytes that follow.
fn number(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let mut value = 0_usize;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok((value, &bytes[index + 1..]));
        }
    }
    bail!("the WebAssembly module ends inside a LEB128 number")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"\0asm\x01\0\0\0";

    fn section(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u8::try_from(body.len()).expect("the samples are short");
        [&[kind, length], body].concat()
    }

    #[test]
    fn strip_removes_only_the_name_section() {
        let names = section(0, b"\x04name\x01\x02\x03");
        let producers = section(0, b"\x09producers\x00");
        let types = section(1, b"\x00");
        let module = [HEADER, &producers, &names, &types].concat();
        let stripped = strip(&module).expect("the module is well-formed");
        assert_eq!(stripped, [HEADER, &producers, &types].concat());
    }

    #[test]
    fn strip_rejects_bytes_that_are_not_a_module() {
        assert!(strip(b"hello, world").is_err());
        assert!(strip(&[HEADER, &[1, 200, 1, 0]].concat()).is_err());
    }
}
