//! Texts that grammars cannot parse, with other characters in the same places, so that all positions stay.

use std::borrow::Cow;

/// The text with blanks for the markers of git's merge conflicts: both sides are parsed, one after the other.
pub fn without_conflict_markers(text: &str) -> Cow<'_, str> {
    if !text.contains("<<<<<<< ") {
        return Cow::Borrowed(text);
    }
    let mut repaired = String::with_capacity(text.len());
    // What follows a marker that opens a conflict, with and without its markers.
    let mut conflict: Option<(usize, String)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let bare = line.trim_end_matches(['\n', '\r']);
        let blank = || " ".repeat(bare.len()) + &line[bare.len()..];
        match &mut conflict {
            None if bare.starts_with("<<<<<<< ") => conflict = Some((start, blank())),
            None => repaired.push_str(line),
            Some((_, inside)) if bare == "=======" || bare.starts_with("||||||| ") => {
                inside.push_str(&blank())
            }
            Some((_, inside)) if bare.starts_with(">>>>>>> ") => {
                repaired.push_str(inside);
                repaired.push_str(&blank());
                conflict = None;
            }
            Some((_, inside)) => inside.push_str(line),
        }
        start = end;
    }
    // A conflict without an end is none.
    if let Some((start, _)) = conflict {
        repaired.push_str(&text[start..]);
    }
    Cow::Owned(repaired)
}

/// Kotlin with `;` for the blank in front of a brace that closes a body on the line of its last member, which the
/// grammar requires: `interface A { fun f(): Int }`.
pub fn with_kotlin_semicolons(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len());
    for part in text.split_inclusive(" }") {
        let Some(before) = part.strip_suffix(" }") else {
            repaired.push_str(part);
            break;
        };
        repaired.push_str(before);
        let is_member = repaired.chars().next_back().is_some_and(|last| !" \t\n{(,;>".contains(last));
        repaired.push_str(if is_member { ";}" } else { " }" });
    }
    repaired
}

/// Tests of Bats, `@test "a name" {`, as functions, `@test__a_name() {`.
pub fn with_bats_functions(text: &str) -> Cow<'_, str> {
    if !text.contains("@test ") {
        return Cow::Borrowed(text);
    }
    let mut repaired = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let parts = line.strip_prefix("@test ").and_then(|rest| rest.rsplit_once(" {"));
        let parts = parts.filter(|(_, behind)| behind.trim().is_empty() || behind.trim().starts_with('#'));
        // The closing quote and the blank behind it become the parentheses.
        let quoted = parts.map(|(quoted, _)| quoted);
        let is_quoted = |quoted: &&str| quoted.len() > 1 && quoted.ends_with(['"', '\'']);
        let Some(quoted) = quoted.filter(is_quoted) else {
            repaired.push_str(line);
            continue;
        };
        let start = "@test ".len();
        repaired.push_str("@test_");
        let name = quoted[..quoted.len() - 1].bytes();
        repaired.extend(name.map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte) } else { '_' }));
        repaired.push_str("()");
        repaired.push_str(&line[start + quoted.len() + 1..]);
    }
    Cow::Owned(repaired)
}

/// How far annotations in front of a class are searched, in bytes.
const MAX_ANNOTATIONS: usize = 2000;

/// Kotlin with blanks for the annotations in front of a class without parameters and bases whose modifier is also a
/// name: the grammar takes `@A enum class B` for an expression.
pub fn without_kotlin_annotations(text: &str) -> Cow<'_, str> {
    const MODIFIERS: [&str; 5] = ["annotation", "enum", "data", "inner", "value"];
    let mut blanks: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.match_indices(" class ").chain(text.match_indices(" object ")) {
        let before = &text[..at];
        let modifier = MODIFIERS.iter().find_map(|modifier| before.strip_suffix(modifier));
        let name = text[at..].trim_start().split_once(' ').map_or("", |(_, name)| name);
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '`';
        let behind = name.trim_start_matches(is_part);
        let behind = behind.trim_start_matches([' ', '\t', '\r']);
        let modifier = modifier.filter(|before| before.ends_with(|c: char| c.is_whitespace()));
        if let Some(before) = modifier.filter(|_| behind.is_empty() || behind.starts_with(['{', '\n', '/'])) {
            let end = before.trim_end().len();
            let start = annotations_start(before.as_bytes(), end);
            if start < end {
                blanks.push((start, end));
            }
        }
    }
    if blanks.is_empty() {
        return Cow::Borrowed(text);
    }
    blanks.sort_unstable();
    Cow::Owned(with_blanks(text, &blanks))
}

/// A text with blanks in place of ranges of bytes, which are in order. Line breaks and the lengths of lines stay.
/// Ranges that begin in another one are left out.
pub fn with_blanks(text: &str, ranges: &[(usize, usize)]) -> String {
    let mut repaired = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in ranges {
        if *start < at {
            continue;
        }
        repaired.push_str(&text[at..*start]);
        repaired.extend(text[*start..*end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        at = *end;
    }
    repaired.push_str(&text[at..]);
    repaired
}

/// Where the annotations begin that end at `end`.
fn annotations_start(bytes: &[u8], end: usize) -> usize {
    let least = end.saturating_sub(MAX_ANNOTATIONS);
    let mut start = end;
    let mut at = end;
    loop {
        while at > least && bytes[at - 1].is_ascii_whitespace() {
            at -= 1;
        }
        if at > least && bytes[at - 1] == b')' {
            let mut depth = 0_usize;
            while at > least {
                at -= 1;
                match bytes[at] {
                    b')' => depth += 1,
                    b'(' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':');
        while at > least && is_part(bytes[at - 1]) {
            at -= 1;
        }
        if at == least || bytes[at - 1] != b'@' {
            return start;
        }
        at -= 1;
        start = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_bats_become_functions() {
        let text = "@test \"ä b\" {\n  run x\n}\n@test 'c' {\n}\n@test\n@test \"d\n";
        let repaired = "@test_____b(){\n  run x\n}\n@test__c(){\n}\n@test\n@test \"d\n";
        assert_eq!(with_bats_functions(text), repaired);
        assert_eq!(repaired.len(), text.len());
    }

    #[test]
    fn annotations_of_a_class_with_a_soft_modifier_become_blanks() {
        for (text, expected) in [
            ("@A\nenum class B {}", "  \nenum class B {}"),
            ("@A(1, (2))\n  @b.C\n  annotation class D\n", "          \n      \n  annotation class D\n"),
            ("@A data object B", "   data object B"),
        ] {
            assert_eq!(without_kotlin_annotations(text), expected);
        }
        for text in [
            "@A data class B(val a: Int)",
            "@A class B {}",
            "enum class B {}",
            "f()\nenum class B {}",
            "enum class ",
        ] {
            assert_eq!(without_kotlin_annotations(text), text);
        }
    }

    #[test]
    fn conflict_markers_become_blanks() {
        let text = "a\n<<<<<<< ä\nb\n||||||| x\nc\n=======\r\nd\n>>>>>>> y\n=======\n<<<<<<< z\n=======\n";
        let repaired =
            "a\n          \nb\n         \nc\n       \r\nd\n         \n=======\n<<<<<<< z\n=======\n";
        assert_eq!(without_conflict_markers(text), repaired);
        assert_eq!(without_conflict_markers("a\n=======\n"), "a\n=======\n");
    }

    #[test]
    fn members_of_kotlin_on_one_line_end_with_a_semicolon() {
        let text = "class A { fun f() { } }\nval f = { x -> }\nobject B { val a = 1 }";
        let repaired = "class A { fun f() { };}\nval f = { x -> }\nobject B { val a = 1;}";
        assert_eq!(with_kotlin_semicolons(text), repaired);
    }
}
