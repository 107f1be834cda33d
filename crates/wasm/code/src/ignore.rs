//! The rules of ignore files. Arguments and answers are in the buffers of [`crate`].

use std::cell::RefCell;

use limbic_code::IgnoreRules;

use crate::{INPUT, OUTPUT};

thread_local! {
    static RULES: RefCell<IgnoreRules> = RefCell::new(IgnoreRules::default());
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
