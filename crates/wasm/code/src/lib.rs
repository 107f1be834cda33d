//! Extraction of source code as a WebAssembly module: a path and bytes in, facts out. It imports nothing from its host.
//!
//! The host calls [`code_input`] with the length of path and content, writes both (UTF-8 path first) to the address
//! that it returns, calls [`code_extract`] with the length of the path, and reads as many bytes as that returns from
//! the address of [`code_output`]. They are one `FileFacts` in the byte format of `limbic_protocol`, a list of one.
//!
//! It also evaluates ignore files, with the same rules on every build: [`ignore_clear`], [`ignore_add`] and
//! [`ignore_excluded`], which read their arguments from the same buffer. `crates/wasm/js/code-module.ts` calls these
//! functions for the shells. After a trap the instance must be discarded.

use std::cell::RefCell;

use limbic_code::{FACTS_VERSION, IgnoreRules, extract};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static RULES: RefCell<IgnoreRules> = RefCell::new(IgnoreRules::default());
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

/// Clears all ignore rules.
#[allow(unsafe_code, reason = "the host calls the function by its name")]
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn ignore_clear() {
    RULES.with_borrow_mut(|rules| *rules = IgnoreRules::default());
}

/// Adds the rules of an ignore file. The input is the path of its folder, its name, and its content, without anything
/// between; the lengths are in bytes.
#[allow(unsafe_code, reason = "the host calls the function by its name")]
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn ignore_add(folder_bytes: usize, name_bytes: usize) {
    INPUT.with_borrow(|input| {
        let (folder, rest) = input.split_at(folder_bytes.min(input.len()));
        let (name, content) = rest.split_at(name_bytes.min(rest.len()));
        let (folder, name) = (String::from_utf8_lossy(folder), String::from_utf8_lossy(name));
        RULES.with_borrow_mut(|rules| rules.add(&folder, &name, content));
    });
}

/// Applies the rules to paths: in the input each is followed by a NUL character, a folder's by `/` and NUL. Returns the
/// length of the output, which has a byte for each path: 1 if it is excluded, else 0.
#[allow(unsafe_code, reason = "the host calls the function by its name")]
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn ignore_excluded() -> usize {
    let decisions: Vec<u8> = INPUT.with_borrow(|input| {
        RULES.with_borrow(|rules| {
            let paths = input.strip_suffix(b"\0").map(|input| input.split(|byte| *byte == 0));
            let decide = |path: &[u8]| {
                let path = String::from_utf8_lossy(path);
                let folder = path.strip_suffix('/');
                u8::from(rules.exclude(folder.unwrap_or(&path), folder.is_some()))
            };
            paths.into_iter().flatten().map(decide).collect()
        })
    });
    OUTPUT.with_borrow_mut(|output| {
        *output = decisions;
        output.len()
    })
}

/// Returns the address of the output of the last [`code_extract`] or [`ignore_excluded`]; valid until the next one.
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
