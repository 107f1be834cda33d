//! Glob patterns for paths: `*.py`, `src/**`, `docs/`, `*.{ts,tsx}`.

/// Maximum number of alternatives that braces expand to, so that nested braces stay cheap.
const MAX_ALTERNATIVES: usize = 64;

/// Whether a path, with `/` between its components, or one of its parent folders matches a pattern.
///
/// A pattern with a slash is relative to the root; one without matches a name at any depth. `*` and `?` match
/// characters within a name, `**` any folders, `{a,b}` either alternative; with a slash at the end it matches folders
/// only.
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

/// Whether a name matches a pattern with `*` and `?`, in time proportional to the product of their lengths.
fn name_fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut star) = ((0, 0), None);
    while at.1 < name.len() {
        match pattern.get(at.0) {
            Some('*') => {
                star = Some(at);
                at.0 += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[at.1] => at = (at.0 + 1, at.1 + 1),
            _ => match &mut star {
                Some(place) => {
                    place.1 += 1;
                    at = (place.0 + 1, place.1);
                }
                None => return false,
            },
        }
    }
    pattern[at.0..].iter().all(|letter| *letter == '*')
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
