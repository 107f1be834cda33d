//! Quotations: marks of several languages, markup of forums, trackers, Org and LaTeX, comments and long texts of
//! programming languages, and forwarded messages.

/// What begins a quotation, and what ends it: quotation marks of several languages, and markup in lower case.
pub(super) const QUOTATIONS: [(&str, &[&str]); 59] = [
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
    ("[[", &["]]"]),
    ("[=[", &["]=]"]),
    ("[==[", &["]==]"]),
    ("{-", &["-}"]),
    ("{#", &["#}"]),
    ("<#--", &["-->"]),
    ("<#", &["#>"]),
    ("#|", &["|#"]),
    ("{{{", &["}}}"]),
    ("{{!--", &["--}}"]),
    ("{{!", &["}}"]),
    ("{% comment", &["{% endcomment"]),
    ("{% raw", &["{% endraw"]),
    ("{% verbatim", &["{% endverbatim"]),
    ("{*", &["*}"]),
    ("<%--", &["--%>"]),
    ("<%", &["%>"]),
    ("(*", &["*)"]),
    ("#=", &["=#"]),
    ("#[", &["]#"]),
    ("%{", &["%}"]),
    ("/+", &["+/"]),
    ("@*", &["*@"]),
    ("@\"", &["\"@"]),
    ("@'", &["'@"]),
    ("/*", &["*/"]),
];

/// The index of comments between `/*` and `*/` in [`QUOTATIONS`].
pub(super) const COMMENT: usize = QUOTATIONS.len() - 1;

/// The first characters of [`QUOTATIONS`].
const FIRST_OF_QUOTATIONS: &str = "\"'“„”‘‚«»‹›「『《〈〝[{#\\@</(%";

/// What mail programs write in a rule above a message that is forwarded or answered, by language.
const FORWARDED: [&str; 71] = [
    "forwarded message",
    "original message",
    "weitergeleitete nachricht",
    "ursprüngliche nachricht",
    "urspr. nachricht",
    "originalnachricht",
    "original-nachricht",
    "message transféré",
    "message original",
    "message d'origine",
    "message d’origine",
    "mensaje reenviado",
    "mensaje original",
    "messaggio inoltrato",
    "messaggio originale",
    "mensagem encaminhada",
    "mensagem reencaminhada",
    "mensagem original",
    "doorgestuurd bericht",
    "oorspronkelijk bericht",
    "origineel bericht",
    "przekazana wiadomość",
    "wiadomość przekazana",
    "treść przekazanej wiadomości",
    "oryginalna wiadomość",
    "wiadomość oryginalna",
    "ursprungligt meddelande",
    "originalmeddelande",
    "vidarebefordrat meddelande",
    "oprindelig meddelelse",
    "original meddelelse",
    "original besked",
    "videresendt meddelelse",
    "videresendt besked",
    "opprinnelig melding",
    "original melding",
    "videresendt melding",
    "alkuperäinen viesti",
    "välitetty viesti",
    "edelleenlähetetty viesti",
    "původní zpráva",
    "přeposlaná zpráva",
    "orijinal ileti",
    "orijinal mesaj",
    "özgün ileti",
    "iletilen ileti",
    "iletilen mesaj",
    "yönlendirilen ileti",
    "yönlendirilmiş ileti",
    "исходное сообщение",
    "оригинальное сообщение",
    "пересылаемое сообщение",
    "пересланное сообщение",
    "перенаправленное сообщение",
    "вихідне повідомлення",
    "оригінальне повідомлення",
    "початкове повідомлення",
    "переслане повідомлення",
    "перенаправлене повідомлення",
    "元のメッセージ",
    "元のメール",
    "転送されたメッセージ",
    "転送メッセージ",
    "原始邮件",
    "原始郵件",
    "转发邮件",
    "转发的邮件",
    "轉寄的郵件",
    "원본 메시지",
    "원본 메일",
    "전달된 메시지",
];

/// The whole line above a forwarded message where no rule is drawn.
const BEGIN_FORWARDED: [&str; 17] = [
    "begin forwarded message",
    "anfang der weitergeleiteten nachricht",
    "début du message transféré",
    "inicio del mensaje reenviado",
    "inizio messaggio inoltrato",
    "início da mensagem reencaminhada",
    "begin doorgestuurd bericht",
    "vidarebefordrat brev",
    "start på videresendt besked",
    "videresendt melding",
    "välitetty viesti alkaa",
    "začátek přeposlané zprávy",
    "iletilen mesajın başlangıcı",
    "начало переадресованного сообщения",
    "转发的邮件",
    "転送されたメッセージ",
    "전달된 메시지",
];

/// Whether a character may begin one of [`QUOTATIONS`].
pub(super) fn begins_quotation(letter: char) -> bool {
    FIRST_OF_QUOTATIONS.contains(letter)
}

/// The line before and after a quotation in GitLab.
pub(super) const QUOTATION_OF_GITLAB: &str = ">>>";

/// What begins a quotation up to the end of the text, over blank lines, in Discord.
const LONG_QUOTATION: &str = ">>> ";

/// Whether a line stands above a message that is forwarded, or begins a long quotation: what follows is not the
/// writer's own.
pub(super) fn is_above_forwarded(line: &str) -> bool {
    if line.starts_with(LONG_QUOTATION) {
        return true;
    }
    if let Some(text) = line.strip_prefix("-----") {
        let lower = lower(text.trim_start_matches(['-', ' ']));
        // `Forwarded message from Eve <eve@acme.dev> -----` of mutt.
        return FORWARDED
            .iter()
            .filter_map(|begin| lower.strip_prefix(begin))
            .any(|after| !after.starts_with(char::is_alphanumeric));
    }
    // Most lines end here.
    let Some(text) = line.strip_suffix([':', '：']) else { return false };
    BEGIN_FORWARDED.contains(&lower(text.trim_end()).as_str())
}

/// A text in lower case, as which the dotted capital I of Turkish is one letter.
fn lower(text: &str) -> String {
    text.to_lowercase().replace("i\u{307}", "i")
}

/// Returns which of [`QUOTATIONS`] begins at a position in a line.
pub(super) fn quotation_at(line: &str, start: usize) -> Option<usize> {
    let before = line[..start].chars().next_back();
    let is_word_before = before.is_some_and(char::is_alphanumeric);
    // Not `src/*.rs` or `**/*.rs`.
    let is_in_path = before.is_some_and(|letter| !letter.is_whitespace() && !";,{}()>".contains(letter));
    QUOTATIONS.iter().position(|(begin, _)| {
        // Marks that end a quotation elsewhere, or are signs of other things behind a word. Three of them begin a long
        // text, also behind the word that says of which sort: `~S"""`, `r"""`.
        let is_mark = begin.starts_with(['"', '\'', '‘', '“', '”', '»', '›']) && begin.chars().count() < 3;
        let found = line.get(start..start + begin.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(begin))
            && !(is_mark && is_word_before)
            && !(matches!(*begin, "/*" | "/+") && is_in_path)
            && begins_where_it_stands(begin, line, start)
    })
}

/// Whether what begins a comment or a text in some language is more than the same signs in another.
fn begins_where_it_stands(begin: &str, line: &str, start: usize) -> bool {
    let rest = &line[start + begin.len()..];
    match begin {
        // Not `count(*)`, `(*pointer)` or `f(*arguments)`.
        "(*" => {
            let text = rest.trim_start_matches('*');
            text.is_empty() || text.starts_with(char::is_whitespace)
        }
        "%{" => rest.trim().is_empty() && line[..start].trim().is_empty(),
        "@\"" | "@'" => rest.trim().is_empty(),
        _ => true,
    }
}

/// Returns what ends the raw string of C++ that begins at this `R` of a line, and what follows its beginning: `R"tag(`.
pub(super) fn raw_string(line: &str, start: usize) -> Option<(String, &str)> {
    const MAX_TAG_BYTES: usize = 16;
    let rest = line[start..].strip_prefix("R\"")?;
    let word = line[..start].rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    if !["", "u8", "u", "U", "L"].contains(&word) {
        return None;
    }
    let is_end = |letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | '\\' | '"');
    let tag = rest.split(is_end).next().filter(|tag| tag.len() <= MAX_TAG_BYTES)?;
    let inner = rest[tag.len()..].strip_prefix('(')?;
    Some((format!("){tag}\""), inner))
}

/// Whether a text may end one of [`QUOTATIONS`]: most have none of its marks.
pub(super) fn may_end(text: &str, kind: usize) -> bool {
    let has_letters = |mark: &str| mark.bytes().any(|byte| byte.is_ascii_alphabetic());
    QUOTATIONS[kind].1.iter().any(|mark| has_letters(mark) || text.contains(mark))
}

/// Returns the position after the first end of a quotation in a line, from a position on.
pub(super) fn end_of_quotation(line: &str, kind: usize, from: usize) -> Option<usize> {
    ends_of_quotation(line, kind, from).map(|(_, end)| end).next()
}

/// Returns the position after the end of a quotation that began in an earlier line, if this line ends it: of the marks
/// that begin and end one alike, the first in it.
pub(super) fn end_of_earlier(line: &str, kind: usize) -> Option<usize> {
    let (start, end) = ends_of_quotation(line, kind, 0).next()?;
    (QUOTATIONS[kind].0 != "\"" || line.find('"') == Some(start)).then_some(end)
}

/// Returns the position of the last end of a quotation in a line.
pub(super) fn last_end(line: &str, kind: usize) -> Option<usize> {
    ends_of_quotation(line, kind, 0).map(|(start, _)| start).last()
}

/// Returns where a line may end a quotation, from a position on: each start and end of such a mark, in order. A mark
/// that is also an apostrophe or begins a quotation ends one only behind a word.
fn ends_of_quotation(line: &str, kind: usize, from: usize) -> impl Iterator<Item = (usize, usize)> {
    let marks = QUOTATIONS[kind].1;
    let indent = line.len() - line.trim_start().len();
    line[from..].char_indices().filter_map(move |(offset, first)| {
        let start = from + offset;
        // Most characters end here.
        if first.is_alphanumeric() || first == ' ' {
            return None;
        }
        let mark = marks.iter().find(|mark| {
            line.get(start..start + mark.len()).is_some_and(|found| found.eq_ignore_ascii_case(mark))
        })?;
        let end = start + mark.len();
        let is_word_after = line[end..].chars().next().is_some_and(char::is_alphanumeric);
        let is_blank_before = start > indent && line[..start].ends_with(char::is_whitespace);
        let is_in_path = (*mark == "*/" && line[end..].starts_with(['*', '.']))
            || (*mark == "*)" && line[..start].ends_with('('));
        let is_ambiguous = matches!(*mark, "\"" | "’" | "‘" | "“");
        (!is_in_path && (!is_ambiguous || (!is_word_after && !is_blank_before))).then_some((start, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_above_forwarded_messages_are_distinguished_from_headings() {
        for line in [
            "---------- Forwarded message ---------",
            "----- Forwarded message from Eve <eve@acme.dev> -----",
            "-----Original Message-----",
            "-----Ursprüngliche Nachricht-----",
            "-------- Message transféré --------",
            "-----Message d'origine-----",
            "---------- Mensaje reenviado ---------",
            "-----Messaggio originale-----",
            "---------- Mensagem encaminhada ---------",
            "---------- Doorgestuurd bericht ---------",
            "-----Oryginalna wiadomość-----",
            "-----Ursprungligt meddelande-----",
            "---------- Videresendt meddelelse ---------",
            "-----Opprinnelig melding-----",
            "-----Alkuperäinen viesti-----",
            "---------- Přeposlaná zpráva ---------",
            "---------- İletilen ileti ---------",
            "-----Исходное сообщение-----",
            "---------- Переслане повідомлення ---------",
            "-----元のメッセージ-----",
            "------------------ 原始邮件 ------------------",
            "---------- 전달된 메시지 ---------",
            "Begin forwarded message:",
            "Anfang der weitergeleiteten Nachricht:",
        ] {
            assert!(is_above_forwarded(line), "{line}");
        }
        for line in [
            "----- Testbericht -----",
            "----- Commit message -----",
            "----- Error messages -----",
            "----- Nachrichten -----",
            "----- Original messages and answers -----",
            "-----BEGIN PGP MESSAGE-----",
            "Begin forwarded messages with a header",
            "-----",
        ] {
            assert!(!is_above_forwarded(line), "{line}");
        }
    }
}
