//! Quotations: marks of several languages, markup of forums, trackers, Org and LaTeX, and forwarded messages.

/// What begins a quotation, and what ends it: quotation marks of several languages, and markup in lower case.
pub(super) const QUOTATIONS: [(&str, &[&str]); 33] = [
    ("\"\"\"", &["\"\"\""]),
    ("'''", &["'''"]),
    ("\"", &["\""]),
    ("“", &["”"]),
    ("„", &["“", "”"]),
    ("”", &["”"]),
    ("‘", &["’"]),
    ("‚", &["‘", "’"]),
    ("«", &["»"]),
    ("»", &["«", "»"]),
    ("‹", &["›"]),
    ("›", &["‹", "›"]),
    ("「", &["」"]),
    ("『", &["』"]),
    ("《", &["》"]),
    ("〈", &["〉"]),
    ("〝", &["〞", "〟"]),
    ("[quote", &["[/quote]"]),
    ("[code", &["[/code]"]),
    ("[cite", &["[/cite]"]),
    ("[spoiler", &["[/spoiler]"]),
    ("{quote}", &["{quote}"]),
    ("{quote:", &["{quote}"]),
    ("{code}", &["{code}"]),
    ("{code:", &["{code}"]),
    ("{noformat}", &["{noformat}"]),
    ("#+begin_", &["#+end_"]),
    ("\\begin{quote}", &["\\end{quote}"]),
    ("\\begin{quotation}", &["\\end{quotation}"]),
    ("\\begin{verbatim}", &["\\end{verbatim}"]),
    ("\\begin{lstlisting}", &["\\end{lstlisting}"]),
    ("\\begin{minted}", &["\\end{minted}"]),
    ("@startuml", &["@enduml"]),
];

/// The first characters of [`QUOTATIONS`].
const FIRST_OF_QUOTATIONS: &str = "\"'“„”‘‚«»‹›「『《〈〝[{#\\@";

/// Words for a message in the line above one that is forwarded.
const MESSAGES: [&str; 7] =
    ["message", "nachricht", "mensaje", "messaggio", "mensagem", "bericht", "wiadomość"];

/// Whether a character may begin one of [`QUOTATIONS`].
pub(super) fn begins_quotation(letter: char) -> bool {
    FIRST_OF_QUOTATIONS.contains(letter)
}

/// Whether a line stands above a message that is forwarded: what follows is not the writer's own.
pub(super) fn is_above_forwarded(line: &str) -> bool {
    const BEGIN: &str = "begin forwarded";
    let is_rule =
        line.starts_with("-----") || line.get(..BEGIN.len()).is_some_and(|it| it.eq_ignore_ascii_case(BEGIN));
    is_rule && {
        let lower = line.to_lowercase();
        MESSAGES.iter().any(|word| lower.contains(word))
    }
}

/// Returns which of [`QUOTATIONS`] begins at a position in a line.
pub(super) fn quotation_at(line: &str, start: usize) -> Option<usize> {
    let is_word_before = line[..start].chars().next_back().is_some_and(char::is_alphanumeric);
    QUOTATIONS.iter().position(|(begin, _)| {
        // Marks that end a quotation elsewhere, or are signs of other things behind a word.
        let is_mark = begin.starts_with(['"', '\'', '‘', '“', '”', '»', '›']);
        let found = line.get(start..start + begin.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(begin)) && !(is_mark && is_word_before)
    })
}

/// Returns the position after the first end of a quotation in a line, from a position on.
pub(super) fn end_of_quotation(line: &str, kind: usize, from: usize) -> Option<usize> {
    ends_of_quotation(line, kind).filter(|(start, _)| *start >= from).map(|(_, end)| end).next()
}

/// Returns the position after the end of a quotation that began in an earlier line, if this line ends it: of the marks
/// that begin and end one alike, the first in it.
pub(super) fn end_of_earlier(line: &str, kind: usize) -> Option<usize> {
    let (start, end) = ends_of_quotation(line, kind).next()?;
    (QUOTATIONS[kind].0 != "\"" || line.find('"') == Some(start)).then_some(end)
}

/// Returns the position of the last end of a quotation in a line.
pub(super) fn last_end(line: &str, kind: usize) -> Option<usize> {
    ends_of_quotation(line, kind).map(|(start, _)| start).last()
}

/// Returns where a line may end a quotation: each start and end of such a mark, in order. A mark that is also an
/// apostrophe or begins a quotation ends one only behind a word.
fn ends_of_quotation(line: &str, kind: usize) -> impl Iterator<Item = (usize, usize)> {
    let marks = QUOTATIONS[kind].1;
    line.char_indices().filter_map(move |(start, first)| {
        // Most characters end here.
        if first.is_alphanumeric() || first == ' ' {
            return None;
        }
        let mark = marks.iter().find(|mark| {
            line.get(start..start + mark.len()).is_some_and(|found| found.eq_ignore_ascii_case(mark))
        })?;
        let end = start + mark.len();
        let is_word_after = line[end..].chars().next().is_some_and(char::is_alphanumeric);
        let before = line[..start].trim_start();
        let is_blank_before = !before.is_empty() && before.ends_with(char::is_whitespace);
        let is_ambiguous = matches!(*mark, "\"" | "’" | "‘" | "“");
        (!is_ambiguous || (!is_word_after && !is_blank_before)).then_some((start, end))
    })
}
