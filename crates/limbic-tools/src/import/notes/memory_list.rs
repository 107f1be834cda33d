//! Memories that a person copied from another assistant.
//!
//! Claude's documented export, which it also asks other assistants for, has an entry for each memory: `[date] -
//! memory`. ChatGPT offers no file; its saved memories are copied as lines, most of which begin with "User".

use limbic_core::records::Memory;

use crate::import::parsed_records::ParsedRecords;

/// Maximum length of a text in brackets, in bytes.
const MAX_LABEL_BYTES: usize = 40;

/// Labels instead of a date.
const UNDATED: [&str; 8] = [
    "unknown",
    "unknown date",
    "date unknown",
    "no date",
    "undated",
    "n/a",
    "date unavailable",
    "not available",
];

/// First words of ChatGPT's saved memories.
const SENTENCES: [&str; 3] = ["User ", "User's ", "The user "];

/// An entry that the following lines may continue.
struct OpenEntry<'a> {
    date: Option<&'a str>,
    text: String,
    /// The indentation of its bullet; `None` without one.
    bullet: Option<usize>,
}

impl OpenEntry<'_> {
    /// Whether a bullet is another entry of the list: one that is not indented further.
    fn is_followed_by(&self, bullet: Option<usize>) -> bool {
        self.bullet.zip(bullet).is_some_and(|(own, next)| next <= own)
    }
}

impl OpenEntry<'_> {
    /// Returns a line that continues it, without the indentation of the text of its bullet.
    fn inner<'a>(&self, line: &'a str) -> &'a str {
        let line = line.trim_end();
        let content = line.trim_start();
        // The mark of a bullet and the blank after it are two characters.
        let most = self.bullet.map_or(0, |indent| indent + 2);
        line.get(most.min(line.len() - content.len())..).unwrap_or(content)
    }
}

/// An entry, or the heading of entries; other lines are whole.
enum Line<'a> {
    Entry { date: Option<&'a str>, text: &'a str, bullet: Option<usize> },
    Heading(&'a str),
    Other(&'a str),
}

/// Reads a list of dated entries. Returns whether the text is one: at least half of its lines that say something are
/// entries, apart from headings.
pub fn read(text: &str, source: &str, prefix: &str, parsed: &mut ParsedRecords) -> bool {
    let lines = || text.lines().filter_map(line_of);
    let (mut entries, mut others) = (0_usize, 0_usize);
    for line in lines() {
        match line {
            Line::Entry { .. } => entries += 1,
            Line::Other(_) => others += 1,
            Line::Heading(_) => {}
        }
    }
    if entries == 0 || others > entries {
        return false;
    }
    if entries > parsed.room() {
        parsed.exceed_records();
        return true;
    }
    let (mut heading, mut open): (&str, Option<OpenEntry<'_>>) = ("", None);
    let mut number = 0;
    let mut end = |open: &mut Option<OpenEntry<'_>>, heading: &str| {
        if let Some(OpenEntry { date, text, .. }) = open.take() {
            number += 1;
            put(&text, heading, date, source, format!("{prefix}entry {number}"), parsed);
        }
    };
    for line in lines() {
        match line {
            Line::Entry { date, text, bullet } => {
                end(&mut open, heading);
                open = Some(OpenEntry { date, text: text.to_owned(), bullet });
            }
            Line::Heading(text) => {
                end(&mut open, heading);
                heading = text;
            }
            Line::Other(line) => {
                let bullet = bullet_of(line);
                match &mut open {
                    Some(entry) if !entry.is_followed_by(bullet) => {
                        entry.text.push('\n');
                        entry.text.push_str(entry.inner(line));
                    }
                    _ => {
                        end(&mut open, heading);
                        let mark = if bullet.is_some() { &['-', '*', '•'][..] } else { &[] };
                        let text = line.trim_start().trim_start_matches(mark).trim().to_owned();
                        open = Some(OpenEntry { date: None, text, bullet });
                    }
                }
            }
        }
    }
    end(&mut open, heading);
    true
}

/// Reads lines of ChatGPT's saved memories. Returns whether the text consists of such lines.
pub fn read_sentences(text: &str, source: &str, prefix: &str, parsed: &mut ParsedRecords) -> bool {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let known = lines().filter(|line| SENTENCES.iter().any(|start| line.starts_with(start))).count();
    let all = lines().count();
    if known == 0 || known * 2 < all {
        return false;
    }
    if all > parsed.room() {
        parsed.exceed_records();
        return true;
    }
    for (number, line) in lines().enumerate() {
        put(line, "", None, source, format!("{prefix}entry {}", number + 1), parsed);
    }
    true
}

fn put(
    text: &str,
    subject: &str,
    date: Option<&str>,
    source: &str,
    location: String,
    parsed: &mut ParsedRecords,
) {
    let memory = Memory {
        content: text.trim().to_owned(),
        subject: subject.to_owned(),
        created_at: date.map(str::to_owned),
        source: Some(source.to_owned()).filter(|name| !name.is_empty()),
        ..Memory::default()
    };
    parsed.push(memory, location);
}

/// Reads a line; `None` for one that says nothing: a blank line, a rule, a fence or a comment.
fn line_of(line: &str) -> Option<Line<'_>> {
    let content = line.trim_start();
    if ["```", "<!--"].iter().any(|mark| content.starts_with(mark)) {
        return None;
    }
    if let Some((date, text)) = entry(content) {
        return Some(Line::Entry { date, text, bullet: bullet_of(line) });
    }
    let heading = content.trim_start_matches('#');
    let is_heading = heading.len() < content.len() && heading.starts_with(' ');
    let bold =
        content.trim_end().trim_end_matches(':').strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    let label =
        content.trim_end().strip_suffix(':').filter(|text| line.len() == content.len() && text.len() <= 60);
    match bold.or_else(|| is_heading.then_some(heading)).or(label) {
        Some(text) => Some(Line::Heading(text.trim().trim_end_matches(':'))),
        None => line.contains(char::is_alphanumeric).then_some(Line::Other(line)),
    }
}

/// Returns the indentation of a bullet; `None` for a line without one.
fn bullet_of(line: &str) -> Option<usize> {
    let content = line.trim_start();
    let is_bullet = ["- ", "* ", "• "].iter().any(|mark| content.starts_with(mark));
    is_bullet.then_some(line.len() - content.len())
}

/// Reads `[date] - text`, after the mark of a list.
fn entry(content: &str) -> Option<(Option<&str>, &str)> {
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let unnumbered = if digits > 0 { content[digits..].strip_prefix(['.', ')'])? } else { content };
    let unmarked = unnumbered.trim_start().trim_start_matches(['-', '*', '•']).trim_start();
    let (label, text) = unmarked.strip_prefix('[')?.split_once(']')?;
    let label = label.trim();
    let is_date = is_date(label);
    if label.len() > MAX_LABEL_BYTES || !(is_date || UNDATED.contains(&label.to_lowercase().as_str())) {
        return None;
    }
    let text = text.trim_start().trim_start_matches(['-', '–', '—', ':', '.']).trim();
    (!text.is_empty()).then_some((is_date.then_some(label), text))
}

/// Whether a label begins with a year and a month.
fn is_date(label: &str) -> bool {
    let bytes = label.as_bytes();
    bytes.len() >= 7
        && bytes.iter().take(7).enumerate().all(|(index, byte)| match index {
            4 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Vec<(String, String, Option<String>)>> {
        let mut parsed = ParsedRecords::default();
        let is_known = read(text, "", "", &mut parsed) || read_sentences(text, "", "", &mut parsed);
        let memories = parsed.memories.into_iter().map(|located| located.memory);
        is_known.then(|| memories.map(|it| (it.subject, it.content, it.created_at)).collect())
    }

    #[test]
    fn entries_with_dates_are_memories() {
        let text = "Here it is:\n```\n## Instructions\n[2024-05-01] - Always use tabs\n[unknown] - Likes tea\nand cake\n\n**Work:**\n- [2025-01] Leads Atlas\n2. [2025-02-03]. Has a dog\n```\n";
        let entry = |subject: &str, text: &str, date: Option<&str>| {
            (subject.to_owned(), text.to_owned(), date.map(str::to_owned))
        };
        let expected = vec![
            entry("Instructions", "Always use tabs", Some("2024-05-01")),
            entry("Instructions", "Likes tea\nand cake", None),
            entry("Work", "Leads Atlas", Some("2025-01")),
            entry("Work", "Has a dog", Some("2025-02-03")),
        ];
        assert_eq!(found(text), Some(expected));
    }

    #[test]
    fn lines_without_a_date_are_entries_of_their_own() {
        let text = "# Decisions\n---\n<!-- old -->\nUse tabs.\nEverywhere.\n- [2024-05-01] Chose Postgres\n---\n  - for its JSON\n- Deploy on Tuesdays\n  or Fridays\n- [2024-06-01] Left Heroku\n- [2024-07-01] Third\n- [2024-08-01] Fourth\n- [2024-09-01] Fifth\n";
        let memories = found(text).expect("a list");
        assert_eq!(
            memories
                .iter()
                .take(4)
                .map(|(_, text, date)| (text.as_str(), date.as_deref()))
                .collect::<Vec<_>>(),
            [
                ("Use tabs.\nEverywhere.", None),
                ("Chose Postgres\n- for its JSON", Some("2024-05-01")),
                ("Deploy on Tuesdays\nor Fridays", None),
                ("Left Heroku", Some("2024-06-01")),
            ]
        );
        assert!(memories.iter().all(|(subject, ..)| subject == "Decisions"));
    }

    #[test]
    fn code_in_an_entry_keeps_its_indentation() {
        let text =
            "- [2024-05-01] - The loop is\n  for x in xs:\n      print(x)\n- [2024-05-02] - Likes tea\n";
        let memories = found(text).expect("a list");
        assert_eq!(memories[0].1, "The loop is\nfor x in xs:\n    print(x)");
        let memories = found("[2024-05-01] - Runs\n    make\n[2024-05-02] - Likes tea\n").expect("a list");
        assert_eq!(memories[0].1, "Runs\n    make");
    }

    #[test]
    fn a_heading_without_letters_is_one() {
        let text = "# Work\n- [2024-05-01] Leads Atlas\n## 🎬\n- [2024-06-01] Likes westerns\n";
        let memories = found(text).expect("a list");
        let subjects: Vec<&str> = memories.iter().map(|(subject, ..)| subject.as_str()).collect();
        assert_eq!(subjects, ["Work", "🎬"]);
    }

    #[test]
    fn sentences_about_the_user_are_memories() {
        let expected = ["User likes tea.", "Prefers short answers.", "User's dog is Bo."];
        let memories =
            found("User likes tea.\n\nPrefers short answers.\nUser's dog is Bo.\n").expect("a list");
        assert_eq!(memories.iter().map(|(_, text, _)| text.as_str()).collect::<Vec<_>>(), expected);
        assert_eq!(found("Dear diary, this is no memory.\n"), None);
        assert_eq!(found("- [link](x)\n- [todo] y\n"), None);
    }
}
