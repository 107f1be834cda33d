//! Extraction of source code as a WebAssembly module: a path and bytes in, facts out. It imports nothing from its host.
//!
//! The host calls [`code_input`] with the length of path and content, writes both (UTF-8 path first) to the address
//! that it returns, calls [`code_extract`] with the length of the path, and reads as many bytes as that returns from
//! the address of [`code_output`]. They are one `FileFacts` in the byte format of `limbic_protocol`, a list of one.
//!
//! Two modules are made of this source: `code` has the grammars of the languages that most projects have, `code-more`
//! those of the others. [`code_needs_more`] of the first says which files the second extracts, so that a shell loads it
//! only where there are such files.
//!
//! The first module also evaluates ignore files, with the same rules on every build: `ignore_clear`, `ignore_add` and
//! `ignore_excluded`, which read their arguments from the same buffer. `crates/wasm/js/code-module.ts` calls these
//! functions for the shells. After a trap the instance must be discarded.

#[cfg(feature = "ignore-rules")]
mod ignore;

use std::cell::RefCell;

use limbic_code::{FACTS_VERSION, Language, extract};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A longer buffer is freed after the call that needed it.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// Returns the address of a buffer of `bytes` bytes that the host fills before [`code_extract`].
#[allow(unsafe_code, reason = "the host calls the function by its name")]
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn code_input(bytes: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(bytes, 0);
        input.as_mut_ptr()
    })
}

/// Returns whether the file in the input buffer, whose first `path_bytes` bytes are its path, is in a language whose
/// grammar only the module `code-more` has. The buffer stays as it is.
#[allow(unsafe_code, reason = "the host calls the function by its name")]
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn code_needs_more(path_bytes: usize) -> bool {
    INPUT.with_borrow(|input| {
        let (path, content) = input.split_at(path_bytes.min(input.len()));
        Language::detect(&String::from_utf8_lossy(path), content).needs_more_grammars()
    })
}

/// Extracts the facts of the file in the input buffer, whose first `path_bytes` bytes are its path. Returns the length
/// of the output in bytes.
#[allow(unsafe_code, reason = "the host calls the function by its name")]
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn code_extract(path_bytes: usize) -> usize {
    let facts = INPUT.with_borrow_mut(|input| {
        let (path, content) = input.split_at(path_bytes.min(input.len()));
        let facts = extract(&String::from_utf8_lossy(path), content);
        input.clear();
        input.shrink_to(MAX_KEPT_BYTES);
        facts
    });
    let bytes = limbic_protocol::to_bytes(&[facts]).expect("facts have a byte format");
    OUTPUT.with_borrow_mut(|output| {
        *output = bytes;
        output.len()
    })
}

/// Returns the address of the output of the last [`code_extract`] or `ignore_excluded`; valid until the next one.
#[allow(unsafe_code, reason = "the host calls the function by its name")]
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn code_output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// Returns the version of the facts that this module extracts.
#[allow(unsafe_code, reason = "the host calls the function by its name")]
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn code_facts_version() -> u32 {
    FACTS_VERSION
}
