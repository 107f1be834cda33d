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

#[cfg(test)]
mod tests {
    use super::*;

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
