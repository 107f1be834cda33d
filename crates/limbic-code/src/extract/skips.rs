//! Which files are not read.

use std::borrow::Cow;

use crate::facts::SkipReason;
use crate::language::Language;

/// The longest file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 1_000_000;

/// Lines longer than this on average are made by a machine.
const MAX_MEAN_LINE_BYTES: usize = 500;
/// Files shorter than this may have any lines.
const MIN_MINIFIED_BYTES: usize = 5_000;
/// A single line longer than this makes code minified, regardless of the mean length.
const MAX_LINE_BYTES: usize = 50_000;

/// The text of a file; invalid UTF-8 is replaced, so that a stray byte in a comment loses no file.
///
/// # Errors
/// The reason why the file is skipped.
pub fn text_of<'a>(path: &str, bytes: &'a [u8]) -> Result<Cow<'a, str>, SkipReason> {
    if path.chars().any(char::is_control) {
        return Err(SkipReason::BadPath);
    }
    if bytes.len() > MAX_FILE_BYTES {
        return Err(SkipReason::TooLarge);
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) || is_utf16_without_mark(bytes) {
        return Err(SkipReason::NotUtf8);
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    if is_binary(bytes) {
        return Err(SkipReason::Binary);
    }
    let text = String::from_utf8_lossy(bytes);
    let replaced = if matches!(text, Cow::Owned(_)) { text.matches('\u{fffd}').count() } else { 0 };
    if replaced * 20 > bytes.len() {
        return Err(SkipReason::NotUtf8);
    }
    if is_minified(path, bytes) {
        return Err(SkipReason::Minified);
    }
    Ok(text)
}

/// Latin text in UTF-16 has a null in every second byte.
fn is_utf16_without_mark(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(400) & !1];
    let nulls = |odd: usize| start.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    start.len() >= 8
        && (nulls(0) * 4 > start.len() || nulls(1) * 4 > start.len())
        && nulls(0).min(nulls(1)) == 0
}

fn is_binary(bytes: &[u8]) -> bool {
    let control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0x08);
    bytes.contains(&0) || bytes.iter().filter(control).count() * 100 > bytes.len()
}

fn is_minified(path: &str, bytes: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    if [".min.js", ".min.css", ".min.mjs", ".bundle.js"].iter().any(|ending| name.ends_with(ending)) {
        return true;
    }
    if bytes.len() < MIN_MINIFIED_BYTES || Language::detect(path, bytes) == Language::Markdown {
        return false;
    }
    let lines = bytes.split(|byte| *byte == b'\n');
    let longest = lines.clone().map(<[u8]>::len).max().unwrap_or(0);
    longest > MAX_LINE_BYTES || bytes.len() / lines.count().max(1) > MAX_MEAN_LINE_BYTES
}
