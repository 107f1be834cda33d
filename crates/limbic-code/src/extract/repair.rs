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

/// Kotlin with `;` for blanks where the grammar requires one: in front of a brace that closes a body on the line of its
/// last member, `interface A { fun f(): Int }`, and between members on one line, `fun f() {} fun g() {}`. In front of a
/// setter on the same line, where the grammar has none, it is left out.
pub fn with_kotlin_semicolons(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('}') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        let is_member =
            |before: &str| before.ends_with(|last| !" \t\n{(,;".contains(last)) && !before.ends_with("->");
        match before.strip_suffix(' ') {
            Some(before) if is_member(before) || before.is_empty() && is_member(&repaired) => {
                repaired.push_str(before);
                repaired.push_str(";}");
            }
            _ => {
                repaired.push_str(before);
                repaired.push('}');
            }
        }
        rest = behind;
        if let Some(next) = behind.strip_prefix(' ').filter(|next| is_kotlin_declaration(next)) {
            repaired.push(';');
            rest = next;
        }
    }
    repaired.push_str(rest);
    // The grammar has no `;` between a property and its setter.
    for setter in ["private set", "protected set", "internal set"] {
        repaired = repaired.replace(&format!("; {setter}"), &format!("  {setter}"));
    }
    repaired
}

/// Whether a declaration of Kotlin begins a text.
fn is_kotlin_declaration(text: &str) -> bool {
    const KEYWORDS: [&str; 8] =
        ["fun", "val", "var", "class", "interface", "object", "constructor", "typealias"];
    /// Words in front of the keyword that are read.
    const MAX_WORDS: usize = 50;
    const MODIFIERS: [&str; 21] = [
        "public",
        "private",
        "protected",
        "internal",
        "override",
        "abstract",
        "final",
        "open",
        "sealed",
        "data",
        "enum",
        "value",
        "inner",
        "companion",
        "annotation",
        "const",
        "lateinit",
        "inline",
        "suspend",
        "operator",
        "infix",
    ];
    // The words are found one by one, because a line may be as long as the text.
    for piece in text.split_inclusive([' ', '(', '{', ':', '\n']).take(MAX_WORDS) {
        let word = piece.trim_end_matches([' ', '(', '{', ':', '\n', '\r']);
        if !MODIFIERS.contains(&word) && !word.starts_with('@') {
            return KEYWORDS.contains(&word) || word == "init";
        }
        if piece.ends_with('\n') {
            return false;
        }
    }
    false
}

/// Scala with the brace that begins a body in the first column of its own line behind `=`, where the grammar reads
/// indented code that does not end with the brace.
pub fn with_scala_braces(text: &str) -> Cow<'_, str> {
    let places: Vec<usize> = text
        .match_indices("\n{")
        .filter(|(at, _)| text[..*at].trim_end_matches('\r').ends_with(" ="))
        .map(|(at, _)| at)
        .collect();
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut repaired = String::with_capacity(text.len());
    let mut start = 0;
    for at in places {
        let head = text[..at].trim_end_matches('\r').len();
        repaired.push_str(&text[start..head - 2]);
        repaired.push_str("={");
        repaired.push_str(&text[head..=at]);
        repaired.push(' ');
        start = at + 2;
    }
    repaired.push_str(&text[start..]);
    Cow::Owned(repaired)
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

/// Bash with `_` for the equals sign of `[ name=value ]`, which the grammar takes for an assignment in front of a
/// command `]`.
pub fn with_bash_tests(text: &str) -> Cow<'_, str> {
    let mut signs: Vec<usize> = Vec::new();
    for (at, _) in text.match_indices("[ ") {
        let is_command = text[..at].bytes().next_back().is_none_or(|before| b" \t\n;(".contains(&before));
        let rest = &text[at + 2..];
        let word = rest.trim_start_matches(' ');
        let name = word.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if is_command && name.len() < word.len() && name.starts_with('=') {
            signs.push(text.len() - name.len());
        }
    }
    if signs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut repaired = String::with_capacity(text.len());
    let mut start = 0;
    for at in signs {
        repaired.push_str(&text[start..at]);
        repaired.push('_');
        start = at + 1;
    }
    repaired.push_str(&text[start..]);
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
    fn braces_of_scala_in_the_first_column_stand_behind_the_equals_sign() {
        let text = "def f =\n{\n}\ndef g(a: B): C =\r\n{ }\ndef h =\n  {\n}\nval a\n{";
        let repaired = "def f={\n \n}\ndef g(a: B): C={\r\n  }\ndef h =\n  {\n}\nval a\n{";
        assert_eq!(with_scala_braces(text), repaired);
    }

    #[test]
    fn equals_signs_in_tests_of_bash_are_no_assignments() {
        let text = "[ a=b ]\nif [ ä ] && [  x1=$(f) ]; then [[ a=b ]]; fi\nx[ a=1 ]\n[ a = b ]\n[ $a=b ]";
        let repaired = "[ a_b ]\nif [ ä ] && [  x1_$(f) ]; then [[ a=b ]]; fi\nx[ a=1 ]\n[ a = b ]\n[ $a=b ]";
        assert_eq!(with_bash_tests(text), repaired);
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
        let text =
            "fun f() {} private fun g() {} init {} val a by b {} @A enum class C {}\nif (a) {} else {} d";
        let repaired =
            "fun f() {};private fun g() {};init {};val a by b {};@A enum class C {}\nif (a) {} else {} d";
        assert_eq!(with_kotlin_semicolons(text), repaired);
        assert_eq!(with_kotlin_semicolons("var a by b {} private set"), "var a by b {} private set");
        let text = "a {} private\nfun f() {} fun\nb {} val\r\nc {} @A\r\nfun g() {}";
        let repaired = "a {} private\nfun f() {};fun\nb {};val\r\nc {} @A\r\nfun g() {}";
        assert_eq!(with_kotlin_semicolons(text), repaired);
        assert_eq!(with_kotlin_semicolons("{ val a: List<A> }"), "{ val a: List<A>;}");
        assert_eq!(with_kotlin_semicolons("{ var a = 1; private set }"), "{ var a = 1  private set;}");
    }

    /// The test would not end if each part were compared with all of the line behind it.
    #[test]
    fn a_long_line_of_kotlin_takes_time_by_its_length() {
        for part in ["} ", "} @", "{} fun ", "} private ", "} a: "] {
            let text = part.repeat(1_000_000 / part.len());
            assert_eq!(with_kotlin_semicolons(&text).len(), text.len());
        }
    }
}
