//! The front matter of a Markdown file: a strict subset of YAML.
//!
//! It supports `key: value`, quoted texts, lists, text blocks (`|`, `>`) and nested keys, which are joined with dots.
//! Anchors, aliases, tags and flow mappings are left out and reported, so that no value expands to more than was
//! written.

/// Maximum size of a front matter, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Maximum number of elements of a list, and of fields.
const MAX_LIST: usize = 500;

/// Maximum nesting depth of keys.
const MAX_DEPTH: usize = 4;

/// The fields of a front matter, in their original order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    fields: Vec<(String, Vec<String>)>,
    /// The fields left out, each with its line.
    pub problems: Vec<String>,
}

impl FrontMatter {
    /// Returns the first value of the first of these keys that has one.
    pub fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter()
            .find_map(|key| self.values(key).first().map(String::as_str).filter(|text| !text.is_empty()))
    }

    /// Returns the elements of a list; a text is split at its commas.
    pub fn list(&self, key: &str) -> Vec<String> {
        let values = self.values(key);
        let parts = values.iter().flat_map(|value| {
            let is_text = values.len() == 1;
            value.split(move |letter| is_text && letter == ',')
        });
        parts
            .map(|part| part.trim().trim_start_matches('#').to_owned())
            .filter(|part| !part.is_empty())
            .collect()
    }

    /// Returns the fields that have none of these keys, with their values.
    pub fn others(&self, keys: &[&str]) -> impl Iterator<Item = (&str, &[String])> {
        let others = self.fields.iter().filter(move |(name, _)| !keys.contains(&name.as_str()));
        others.map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// Whether it has this key.
    pub fn has(&self, key: &str) -> bool {
        self.fields.iter().any(|(name, _)| name == key)
    }

    fn values(&self, key: &str) -> &[String] {
        self.fields.iter().find(|(name, _)| name == key).map_or(&[], |(_, values)| values)
    }
}

/// Splits a text into its front matter and the rest. `None` if it has none: no fence, no end, or no field.
pub fn split(text: &str) -> Option<(FrontMatter, &str)> {
    let after = text.strip_prefix("---")?;
    let (fence, mut rest) = after.split_once('\n')?;
    if !fence.trim().is_empty() {
        return None;
    }
    let mut lines = Vec::new();
    let start = rest.len();
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if matches!(line.trim_end(), "---" | "...") {
            let front = read(&lines);
            return (!front.fields.is_empty()).then_some((front, after));
        }
        if after.is_empty() || start - after.len() > MAX_BYTES {
            return None;
        }
        lines.push(line.trim_end());
        rest = after;
    }
}

/// A key whose value may be in the following, indented lines.
struct Open {
    indent: usize,
    name: String,
}

fn read(lines: &[&str]) -> FrontMatter {
    let mut front = FrontMatter::default();
    let mut open: Vec<Open> = Vec::new();
    let mut number = 0;
    while number < lines.len() {
        let line = lines[number];
        // The first line is the opening fence.
        let line_number = number + 2;
        number += 1;
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if content.starts_with('\t') {
            front.problems.push(format!("line {line_number}: indented with a tab"));
            continue;
        }
        if let Some(item) = content.strip_prefix("- ").or_else(|| (content == "-").then_some("")) {
            open.retain(|key| key.indent <= indent);
            match open.last() {
                Some(key) => put(&mut front, key.name.clone(), item, line_number),
                None => front.problems.push(format!("line {line_number}: a list without a key")),
            }
            continue;
        }
        open.retain(|key| key.indent < indent);
        let Some((key, value)) = key_of(content) else {
            front.problems.push(format!("line {line_number}: not a key with a value"));
            continue;
        };
        if open.len() == MAX_DEPTH {
            front.problems.push(format!("line {line_number}: keys are nested more than {MAX_DEPTH} deep"));
            continue;
        }
        let name = match open.last() {
            Some(parent) => format!("{}.{key}", parent.name),
            None => key.to_owned(),
        };
        match value.trim_end_matches(['+', '-']) {
            "" => open.push(Open { indent, name }),
            "|" | ">" => {
                let is_folded = value.starts_with('>');
                let (text, count) = block(&lines[number..], indent, is_folded);
                number += count;
                add(&mut front, name, text, line_number);
            }
            _ => match list_of_lines(value, &lines[number..], indent) {
                Some((list, count)) => {
                    number += count;
                    put(&mut front, name, &list, line_number);
                }
                None => put(&mut front, name, value, line_number),
            },
        }
    }
    front
}

/// Splits a line into key and value.
fn key_of(content: &str) -> Option<(&str, &str)> {
    let (key, value) = match content.split_once(": ") {
        Some(parts) => parts,
        None => (content.strip_suffix(':')?, ""),
    };
    let key = key.trim().trim_matches(['"', '\'']);
    let is_plain =
        !key.is_empty() && key.len() <= 100 && !key.starts_with(['&', '*', '!', '{', '[', '?', '<']);
    is_plain.then_some((key, value.trim()))
}

/// Reads a text block. Returns it and the number of its lines.
fn block(lines: &[&str], indent: usize, is_folded: bool) -> (String, usize) {
    let deeper =
        |line: &&&str| line.trim().is_empty() || line.len() - line.trim_start_matches(' ').len() > indent;
    let taken: Vec<&str> = lines.iter().take_while(deeper).copied().collect();
    let inner = taken
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or_default();
    let parts: Vec<&str> = taken.iter().map(|line| line.get(inner..).unwrap_or_default()).collect();
    let text = parts.join(if is_folded { " " } else { "\n" });
    (text.trim_end().to_owned(), taken.len())
}

/// Adds a value as it is written.
fn put(front: &mut FrontMatter, name: String, written: &str, line_number: usize) {
    if written.starts_with(['&', '*', '!', '{']) {
        front.problems.push(format!(
            "line {line_number}: anchors, aliases, tags and flow mappings of YAML are not read"
        ));
        return;
    }
    match list_of(written) {
        Some(parts) => parts.into_iter().for_each(|part| add(front, name.clone(), part, line_number)),
        None => add(front, name, scalar(written), line_number),
    }
}

fn add(front: &mut FrontMatter, name: String, value: String, line_number: usize) {
    let count = front.fields.len();
    match front.fields.iter_mut().find(|(known, _)| *known == name) {
        Some((_, values)) if values.len() < MAX_LIST => values.push(value),
        None if count < MAX_LIST => front.fields.push((name, vec![value])),
        _ => front.problems.push(format!("line {line_number}: more than {MAX_LIST} values")),
    }
}

/// Reads a quoted or plain text.
fn scalar(written: &str) -> String {
    match quoted(written) {
        Some((text, after)) if is_end(after) => text,
        _ => written.split(" #").next().unwrap_or_default().trim().to_owned(),
    }
}

/// Whether nothing follows a value but a comment.
fn is_end(after: &str) -> bool {
    let rest = after.trim_start();
    rest.is_empty() || rest.len() < after.len() && rest.starts_with('#')
}

/// Reads a quoted text. Returns it and what follows.
fn quoted(written: &str) -> Option<(String, &str)> {
    let mark = written.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let mut text = String::new();
    let mut letters = written.char_indices().skip(1).peekable();
    while let Some((index, letter)) = letters.next() {
        if letter == mark {
            if mark == '"' || letters.next_if(|(_, next)| *next == mark).is_none() {
                return Some((text, &written[index + 1..]));
            }
            text.push(mark);
        } else if letter == '\\' && mark == '"' {
            match letters.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                same @ ('"' | '\\' | '/') => text.push(same),
                other => text.extend(['\\', other]),
            }
        } else {
            text.push(letter);
        }
    }
    None
}

/// Reads a list in brackets; `None` for another value, and for a list without an end.
fn list_of(written: &str) -> Option<Vec<String>> {
    let mut rest = written.strip_prefix('[')?.trim_start();
    let mut parts = Vec::new();
    loop {
        if rest.strip_prefix(']').is_some_and(is_end) {
            return Some(parts);
        }
        let (part, after) = match quoted(rest) {
            Some((text, after)) if after.trim_start().starts_with([',', ']']) => (text, after.trim_start()),
            _ => {
                let is_last = |index: usize| is_end(&rest[index + 1..]);
                let (end, _) = rest
                    .char_indices()
                    .find(|(index, letter)| *letter == ',' || *letter == ']' && is_last(*index))?;
                (scalar(rest[..end].trim()), &rest[end..])
            }
        };
        if !part.is_empty() {
            parts.push(part);
        }
        rest = after.strip_prefix(',').unwrap_or(after).trim_start();
    }
}

/// Joins a list in brackets, of which `first` is the beginning, with the lines that go on with it: those that are
/// indented deeper than its key, and a bracket that closes it. Returns the text and the number of these lines; `None`
/// if it is no such list.
fn list_of_lines(first: &str, lines: &[&str], indent: usize) -> Option<(String, usize)> {
    if !first.starts_with('[') || list_of(first).is_some() {
        return None;
    }
    let is_deeper =
        |line: &str| line.trim().is_empty() || line.len() - line.trim_start_matches(' ').len() > indent;
    let deeper = lines.iter().take_while(|line| is_deeper(line)).count();
    let count =
        deeper + usize::from(lines.get(deeper).is_some_and(|line| line.trim_start().starts_with(']')));
    let text = lines[..count]
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.starts_with('#'))
        .fold(first.to_owned(), |text, line| text + " " + line);
    list_of(&text).is_some().then_some((text, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lists_and_nested_keys_are_read() {
        let text = "---\ntitle: \"Coffee: \\\"hot\\\"\"\ntags: [brewing, 'it''s']\naliases:\n  - one\n  - two\nmetadata:\n  type: feedback # why\nabout: >-\n  first\n  second\n---\n# Body\n";
        let (front, rest) = split(text).expect("a front matter");
        assert_eq!(rest, "# Body\n");
        assert_eq!(front.text(&["title"]), Some("Coffee: \"hot\""));
        assert_eq!(front.list("tags"), ["brewing", "it's"]);
        assert_eq!(front.list("aliases"), ["one", "two"]);
        assert_eq!(front.text(&["type", "metadata.type"]), Some("feedback"));
        assert_eq!(front.text(&["about"]), Some("first second"));
        assert!(front.problems.is_empty(), "{:?}", front.problems);
    }

    #[test]
    fn quotes_comments_and_lists_are_read_as_yaml_reads_them() {
        let text = "---\ntitle: \"C:\\\\new\"\nname: \"Foo\" # note\nsource: 'it''s' # note\ntags: [\"a, b\", c] # note\nmore: [a,\n  'b, c',\n  # no\n  d ]\nopen: [x\nlast: \"a\" b\nclosed: [\n  1\n]\nlink: [Docs](https://example.com)\nafter: [a, b]\n---\n";
        let (front, _) = split(text).expect("a front matter");
        assert_eq!(front.text(&["title"]), Some("C:\\new"));
        assert_eq!(front.text(&["name"]), Some("Foo"));
        assert_eq!(front.text(&["source"]), Some("it's"));
        assert_eq!(front.values("tags"), ["a, b", "c"]);
        assert_eq!(front.values("more"), ["a", "b, c", "d"]);
        assert_eq!(front.text(&["open"]), Some("[x"));
        assert_eq!(front.text(&["last"]), Some("\"a\" b"));
        assert_eq!(front.values("closed"), ["1"]);
        assert_eq!(front.text(&["link"]), Some("[Docs](https://example.com)"));
        assert_eq!(front.values("after"), ["a", "b"]);
        assert!(front.problems.is_empty(), "{:?}", front.problems);
    }

    #[test]
    fn values_that_could_expand_are_left_out_and_reported() {
        let text =
            "---\na: &a [x, x]\nb: *a\nc: !!python/object:os.system x\n? d\ne: {f: g}\nkept: yes\n---\n";
        let (front, _) = split(text).expect("a front matter");
        assert_eq!(front.fields, [("kept".to_owned(), vec!["yes".to_owned()])]);
        assert_eq!(front.problems.len(), 5, "{:?}", front.problems);
        assert!(front.problems[0].starts_with("line 2: "), "{:?}", front.problems);
    }

    #[test]
    fn without_an_end_or_a_field_there_is_none() {
        for text in ["---\ntitle: x\n", "---\n---\nx", "--- x\na: b\n---\n", "\n---\na: b\n---\n"] {
            assert_eq!(split(text), None, "{text:?}");
        }
        let endless = format!("---\n{}", "a: b\n".repeat(100_000));
        assert_eq!(split(&endless), None);
    }
}
