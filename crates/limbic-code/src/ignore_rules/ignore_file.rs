//! The patterns of one ignore file.
//!
//! A path may have to be compared with thousands of patterns. Most are names, endings or paths without wildcards, which
//! are looked up; the others are found by three bytes that a path must contain, or by the text before their first
//! wildcard.

use std::collections::{BTreeSet, HashMap};

use super::glob;

/// The patterns of one ignore file, as `dir.c` of git reads them. The last one that matches decides.
#[derive(Default)]
pub struct Patterns {
    /// Names in any folder.
    names: Literals,
    /// Paths from the file's folder.
    paths: Literals,
    /// Ends of names in any folder: `*.log`.
    endings: Literals,
    /// Patterns for names, and for paths, with other wildcards.
    name_globs: Globs,
    path_globs: Globs,
}

/// A line with a pattern.
#[derive(Clone, Copy)]
struct Rule {
    line: usize,
    excludes: bool,
}

impl Rule {
    fn later(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        [one, other].into_iter().flatten().max_by_key(|rule| rule.line)
    }
}

impl Patterns {
    /// Reads an ignore file. A pattern that git cannot match either is left out.
    pub fn new(content: &[u8]) -> Self {
        let mut patterns = Self::default();
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        for (line, text) in content.split(|byte| *byte == b'\n').enumerate() {
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
            if !text.starts_with(b"#") {
                patterns.add(line, without_trailing_spaces(text));
            }
        }
        patterns
    }

    fn add(&mut self, line: usize, text: &[u8]) {
        let (excludes, text) = text.strip_prefix(b"!").map_or((true, text), |text| (false, text));
        let (is_for_folders, text) = text.strip_suffix(b"/").map_or((false, text), |text| (true, text));
        let rule = Rule { line, excludes };
        let is_path = text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text);
        if text.is_empty() {
            return;
        }
        match (is_path, literal_length(text)) {
            (false, length) if length == text.len() => self.names.add(text, rule, is_for_folders),
            (true, length) if length == text.len() => self.paths.add(text, rule, is_for_folders),
            (false, 0) if text[0] == b'*' && literal_length(&text[1..]) == text.len() - 1 => {
                self.endings.add(&text[1..], rule, is_for_folders);
            }
            (false, length) => self.name_globs.add((text, length), rule, is_for_folders),
            (true, length) => self.path_globs.add((text, length), rule, is_for_folders),
        }
    }

    /// Whether the last pattern that matches a path excludes it; `None` if none does. The path is that from the file's
    /// folder.
    pub fn decision(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let endings = self.endings.lengths.iter().filter_map(|length| name.len().checked_sub(*length));
        let found = endings.map(|start| self.endings.last(&name[start..], is_folder));
        let literals = [self.names.last(name, is_folder), self.paths.last(path, is_folder)];
        let last = found.chain(literals).fold(None, Rule::later);
        let last = self.name_globs.last(name, is_folder, last);
        let last = self.path_globs.last(path, is_folder, last);
        last.map(|rule| rule.excludes)
    }
}

/// Texts without wildcards, with the last rules of each.
#[derive(Default)]
struct Literals {
    rules: HashMap<Box<[u8]>, LastRules>,
    lengths: BTreeSet<usize>,
}

/// The last rules of a text.
#[derive(Clone, Copy, Default)]
struct LastRules {
    /// The one for files and folders.
    of_all: Option<Rule>,
    /// The one for folders alone.
    of_folders: Option<Rule>,
}

impl Literals {
    /// Adds a rule behind all others.
    fn add(&mut self, text: &[u8], rule: Rule, is_for_folders: bool) {
        let LastRules { of_all, of_folders } = self.rules.entry(text.into()).or_default();
        *(if is_for_folders { of_folders } else { of_all }) = Some(rule);
        self.lengths.insert(text.len());
    }

    fn last(&self, text: &[u8], is_folder: bool) -> Option<Rule> {
        let LastRules { of_all, of_folders } = *self.rules.get(text)?;
        Rule::later(of_all, of_folders.filter(|_| is_folder))
    }
}

/// Three bytes of a text.
type Trigram = [u8; 3];

/// Patterns with wildcards.
#[derive(Default)]
struct Globs {
    /// By three bytes that every matching text contains.
    by_trigram: HashMap<Trigram, Vec<Glob>>,
    /// Those with less text between their wildcards, by the text before the first one.
    by_prefix: HashMap<Box<[u8]>, Vec<Glob>>,
    lengths: BTreeSet<usize>,
}

struct Glob {
    rule: Rule,
    is_for_folders: bool,
    /// The text before the first wildcard, and the pattern behind it, in which git sees no more of this text: `**` is
    /// between slashes there.
    prefix: Box<[u8]>,
    rest: Box<[u8]>,
}

impl Glob {
    fn matches(&self, text: &[u8], is_folder: bool) -> bool {
        (is_folder || !self.is_for_folders)
            && text.strip_prefix(&*self.prefix).is_some_and(|text| glob::matches(&self.rest, text))
    }
}

impl Globs {
    /// Adds a rule behind all others. The text before the first wildcard of the pattern has this length.
    fn add(&mut self, (pattern, length): (&[u8], usize), rule: Rule, is_for_folders: bool) {
        let (prefix, rest) = pattern.split_at(length);
        let glob = Glob { rule, is_for_folders, prefix: prefix.into(), rest: rest.into() };
        let count = |trigram: &Trigram| self.by_trigram.get(trigram).map_or(0, Vec::len);
        if let Some(rarest) = required_trigrams(pattern).min_by_key(count) {
            self.by_trigram.entry(rarest).or_default().push(glob);
            return;
        }
        self.by_prefix.entry(prefix.into()).or_default().push(glob);
        self.lengths.insert(length);
    }

    /// The last rule that matches, unless `found` is later.
    fn last(&self, text: &[u8], is_folder: bool, found: Option<Rule>) -> Option<Rule> {
        let mut found = found;
        let mut look = |globs: &[Glob]| {
            let mut later =
                globs.iter().rev().take_while(|glob| found.is_none_or(|rule| rule.line < glob.rule.line));
            found = later.find(|glob| glob.matches(text, is_folder)).map(|glob| glob.rule).or(found);
        };
        for length in self.lengths.iter().take_while(|length| **length <= text.len()) {
            self.by_prefix.get(&text[..*length]).map(Vec::as_slice).into_iter().for_each(&mut look);
        }
        if !self.by_trigram.is_empty() {
            trigrams_of(text)
                .filter_map(|trigram| self.by_trigram.get(&trigram))
                .for_each(|globs| look(globs));
        }
        found
    }
}

/// What every text that a pattern matches contains: of the literal texts before the first class or backslash, and
/// behind the last wildcard. `**/` also matches nothing, so that its slash does not count.
fn required_trigrams(pattern: &[u8]) -> impl Iterator<Item = Trigram> {
    let simple = pattern.iter().position(|byte| b"[\\".contains(byte)).unwrap_or(pattern.len());
    let last = pattern.iter().rposition(|byte| b"*?[]\\".contains(byte));
    let end = last.filter(|last| *last >= simple).and_then(|last| {
        // Behind a backslash, one byte is escaped; a class that is not closed matches nothing.
        let end = &pattern[last + 1..];
        if pattern[last] == b'\\' { end.get(1..) } else { Some(end) }
    });
    let runs = pattern[..simple].split(|byte| b"*?".contains(byte)).chain(end);
    runs.flat_map(|run| trigrams_of(run.strip_prefix(b"/").unwrap_or(run)))
}

fn trigrams_of(text: &[u8]) -> impl Iterator<Item = Trigram> {
    text.windows(3).filter_map(|bytes| bytes.try_into().ok())
}

/// Length of the text before the first character that is special in a pattern.
fn literal_length(pattern: &[u8]) -> usize {
    pattern.iter().position(|byte| b"*?[\\".contains(byte)).unwrap_or(pattern.len())
}

/// A line without the spaces at its end, except for one behind a backslash.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        if *byte != b' ' {
            end = at.min(line.len());
        }
    }
    &line[..end]
}
