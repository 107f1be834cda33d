//! Glob patterns for paths: `*.py`, `src/**`, `docs/`, `*.{ts,tsx}`, `*.[ch]`.

/// Maximum number of alternatives that braces expand to, so that nested braces stay cheap.
const MAX_ALTERNATIVES: usize = 64;

/// Whether a path, with `/` between its components, or one of its parent folders matches a pattern.
///
/// A pattern with a slash is relative to the root; one without matches a name at any depth. `*` and `?` match
/// characters within a name, `[a-c]` one of these characters and `[!a-c]` another one, `**` any folders, `{a,b}` either
/// alternative; with a slash at the end it matches folders only. A name with the brackets themselves matches, too:
/// frameworks name folders like `[id]`.
#[must_use]
pub fn matches(pattern: &str, path: &str) -> bool {
    alternatives(pattern.trim()).iter().any(|pattern| matches_one(pattern, path))
}

/// The number of characters that a pattern has with its braces expanded: the time of [`matches()`] is proportional to
/// it.
#[must_use]
pub fn expanded_chars(pattern: &str) -> usize {
    alternatives(pattern.trim()).iter().map(|pattern| pattern.chars().count()).sum()
}

/// Why a text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It begins a set of characters that does not end.
    OpenSet,
    /// It begins alternatives that do not end.
    OpenAlternatives,
    /// It ends alternatives that have not begun.
    ClosedAlternatives,
    /// It has a backslash.
    Backslash,
    /// It has no name.
    NoName,
}

impl Problem {
    /// What is wrong with the pattern, as the end of a sentence.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::OpenSet => "has a [ without ]: use ? for a bracket",
            Self::OpenAlternatives => "has a { without }",
            Self::ClosedAlternatives => "has a } without {",
            Self::Backslash => r"separates folders with \: use /",
            Self::NoName => "fits no path",
        }
    }
}

/// Returns why a text is no pattern; `None` if it is one.
#[must_use]
pub fn problem(pattern: &str) -> Option<Problem> {
    let mut depth = 0_usize;
    let mut rest = pattern.trim().chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => return Some(Problem::Backslash),
            '[' if !rest.as_str().contains(']') => return Some(Problem::OpenSet),
            '{' => depth += 1,
            '}' if depth == 0 => return Some(Problem::ClosedAlternatives),
            '}' => depth -= 1,
            _ => {}
        }
    }
    let has_name = |alternative: &String| alternative.split('/').any(|part| !part.is_empty() && part != ".");
    match depth {
        0 if !alternatives(pattern.trim()).iter().any(has_name) => Some(Problem::NoName),
        0 => None,
        _ => Some(Problem::OpenAlternatives),
    }
}

fn matches_one(pattern: &str, path: &str) -> bool {
    let is_folder = pattern.ends_with('/');
    let pattern = pattern.trim_end_matches('/');
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let is_anchored = pattern.contains('/');
    let pattern: Vec<&str> = pattern.trim_start_matches('/').split('/').collect();
    let parts: Vec<&str> = path.split('/').collect();
    if pattern == [""] {
        return false;
    }
    let parts = if is_folder { &parts[..parts.len() - 1] } else { &parts[..] };
    if is_anchored {
        fits_start(&pattern, parts)
    } else {
        parts.iter().any(|part| name_fits(pattern[0], part))
    }
}

/// Whether the components of a pattern match one or more of the first components of a path completely, in time
/// proportional to the product of their lengths.
fn fits_start(pattern: &[&str], parts: &[&str]) -> bool {
    // Whether the components of the pattern so far match the first `count` components of the path.
    let mut fits = vec![false; parts.len() + 1];
    fits[0] = true;
    for (index, component) in pattern.iter().enumerate() {
        let Some(first) = fits.iter().position(|fits| *fits) else { return false };
        if *component == "**" {
            // At the end it matches what is in a folder, but not the folder.
            let is_last = index + 1 == pattern.len();
            fits[first] = !is_last;
            fits[first + 1..].fill(true);
        } else {
            for count in (1..fits.len()).rev() {
                fits[count] = fits[count - 1] && name_fits(component, parts[count - 1]);
            }
            fits[0] = false;
        }
    }
    fits[1..].contains(&true)
}

/// Whether a name matches a component of a pattern, by its sets of characters or by their brackets.
fn name_fits(pattern: &str, name: &str) -> bool {
    let letters = |pattern: &str| pattern.chars().map(Part::of_letter).collect::<Vec<_>>();
    parts_fit(&letters(pattern), name) || (pattern.contains('[') && parts_fit(&with_sets(pattern), name))
}

/// A part of a pattern for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Any characters.
    Many,
    /// Any character.
    Any,
    Letter(char),
    /// A character in one of the ranges, or in none of them.
    Set {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
}

impl Part {
    fn of_letter(letter: char) -> Self {
        match letter {
            '*' => Self::Many,
            '?' => Self::Any,
            letter => Self::Letter(letter),
        }
    }

    fn fits(&self, letter: char) -> bool {
        match self {
            Self::Many | Self::Any => true,
            Self::Letter(own) => *own == letter,
            Self::Set { ranges, is_negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&letter)) != *is_negated
            }
        }
    }
}

/// The parts of a pattern with sets. A bracket that begins none is a letter.
fn with_sets(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let set = if letter == '[' { set_at_start(rest) } else { None };
        parts.push(match set {
            Some((set, after)) => {
                rest = after;
                set
            }
            None => Part::of_letter(letter),
        });
    }
    parts
}

/// The set whose opening bracket stands before a text, and what follows it.
fn set_at_start(text: &str) -> Option<(Part, &str)> {
    let inner = text.strip_prefix(['!', '^']).unwrap_or(text);
    // A bracket that comes first belongs to the set.
    let first = inner.chars().next()?;
    let end = first.len_utf8() + inner[first.len_utf8()..].find(']')?;
    let letters: Vec<char> = inner[..end].chars().collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let has_range = letters.get(at + 1) == Some(&'-') && at + 2 < letters.len();
        let last = if has_range { at + 2 } else { at };
        ranges.push((letters[at], letters[last]));
        at = last + 1;
    }
    Some((Part::Set { ranges, is_negated: inner.len() < text.len() }, &inner[end + 1..]))
}

/// Whether a name matches parts, in time proportional to the product of their lengths.
fn parts_fit(pattern: &[Part], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut star) = ((0, 0), None);
    while at.1 < name.len() {
        match pattern.get(at.0) {
            Some(Part::Many) => {
                star = Some(at);
                at.0 += 1;
            }
            Some(part) if part.fits(name[at.1]) => at = (at.0 + 1, at.1 + 1),
            _ => match &mut star {
                Some(place) => {
                    place.1 += 1;
                    at = (place.0 + 1, place.1);
                }
                None => return false,
            },
        }
    }
    pattern[at.0..].iter().all(|part| *part == Part::Many)
}

/// Expands the braces of a pattern.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        let inner = next.find('}').and_then(|end| Some((next[..end].rfind('{')?, end)));
        match inner {
            Some((start, end)) if open.len() + done.len() < MAX_ALTERNATIVES => {
                for choice in next[start + 1..end].split(',') {
                    open.push(format!("{}{choice}{}", &next[..start], &next[end + 1..]));
                }
            }
            _ => done.push(next),
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_pattern_is_that_of_its_alternatives() {
        assert_eq!(expanded_chars(" *.rs "), 4);
        assert_eq!(expanded_chars("*.{ts,tsx}"), 4 + 5);
        assert_eq!(expanded_chars("{a,b}{c,d}"), 4 * 2);
    }

    #[test]
    fn patterns_match_as_in_gitignore_files() {
        for (pattern, path) in [
            ("*.py", "src/a.py"),
            ("docs/", "docs/a/b.md"),
            ("docs", "x/docs/a.md"),
            ("src/**", "src/a/b.rs"),
            ("src/*.rs", "src/a.rs"),
            ("**/gen/*.ts", "a/b/gen/c.ts"),
            ("/build", "build/x.o"),
            ("*.{ts,tsx}", "a/b.tsx"),
            ("./src/a.rs", "src/a.rs"),
            ("a?c", "abc"),
            ("src/**/**/*.rs", "src/a.rs"),
            ("**/a/**/b/**", "a/x/a/b/c"),
            ("**", "a"),
            ("/**/a/", "b/a/c"),
            ("*.[ch]", "src/a.h"),
            ("[a-c]?[!0-9]", "b1x"),
            ("[]x]", "]"),
            ("[^a]", "b"),
            ("app/[id]/*", "app/[id]/page.tsx"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.py", "src/a.pyc"),
            ("docs/", "docs"),
            ("src/*.rs", "src/a/b.rs"),
            ("/build", "a/build"),
            ("", "a"),
            ("a?c", "ac"),
            ("*.{ts,tsx}", "a.t"),
            ("src/**", "src"),
            ("**/a/**/b/**", "a/x/a/b"),
            ("/**/a/", "b/a"),
            ("*.[ch]", "src/a.cc"),
            ("[a-c]?[!0-9]", "b12"),
            ("[^a]", "a"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
        let hostile = "*a".repeat(60);
        assert!(!matches(&hostile, &"a".repeat(50)));
        assert!(!matches(&"{a,b}".repeat(30), "nothing"));
        let path = format!("{}y", "a/".repeat(30));
        for hostile in ["**/a/".repeat(40), "**/".repeat(100), "{**,*}/".repeat(40)] {
            assert!(!matches(&format!("{hostile}z"), &path), "{hostile}");
        }
    }
}
