//! Wildcards of ignore files: what `wildmatch.c` of git matches, in a time that no pattern makes exponential. Patterns
//! and paths are bytes, as there.

/// The text that a `**` may be followed by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The rest of the pattern begins behind a slash.
    Folder,
    /// The rest of the pattern may begin anywhere.
    Anything,
}

/// Whether a pattern matches a whole path.
///
/// `*` and `?` match no slash. `**` does between slashes or ends. A failure behind a wildcard can only be mended by a
/// longer match of the last `*` in the same folder or else of the last `**`: a longer match of one before leads to
/// nothing else.
pub fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (mut at, mut in_path) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize, Next)> = None;
    loop {
        let byte = path.get(in_path).copied();
        let step = match (pattern.get(at), byte) {
            (None, None) => return true,
            (None, Some(_)) => None,
            (Some(b'*'), _) => {
                let stars = pattern[at..].iter().take_while(|byte| **byte == b'*').count();
                let rest = &pattern[at + stars..];
                let is_deep = stars > 1
                    && (at == 0 || pattern[at - 1] == b'/')
                    && (rest.is_empty() || rest[0] == b'/' || rest.starts_with(b"\\/"));
                at += stars;
                if rest.is_empty() {
                    // What is left of the path may be anything, or else anything in one folder.
                    if is_deep || !path[in_path..].contains(&b'/') {
                        return true;
                    }
                    None
                } else if is_deep {
                    let next = if rest[0] == b'/' { Next::Folder } else { Next::Anything };
                    at += usize::from(next == Next::Folder);
                    (star, deep) = (None, Some((at, in_path, next)));
                    continue;
                } else {
                    star = Some((at, in_path));
                    continue;
                }
            }
            // A longer match of a wildcard leaves less of the path.
            (Some(_), None) => return false,
            (Some(b'?'), Some(byte)) => (byte != b'/').then_some(1),
            (Some(b'['), Some(byte)) => match class(pattern, at + 1, byte) {
                None => return false,
                Some((is_in, end)) => (is_in && byte != b'/').then_some(end - at),
            },
            (Some(b'\\'), Some(byte)) => (pattern.get(at + 1) == Some(&byte)).then_some(2),
            (Some(literal), Some(byte)) => (*literal == byte).then_some(1),
        };
        if let Some(step) = step {
            at += step;
            in_path += 1;
            continue;
        }
        if let Some((rest, start)) = star
            && path.get(start).is_some_and(|byte| *byte != b'/')
        {
            (at, in_path) = (rest, start + 1);
            star = Some((rest, in_path));
            continue;
        }
        let Some((rest, start, next)) = deep else { return false };
        let skipped = match next {
            Next::Folder => path[start..].iter().position(|byte| *byte == b'/'),
            Next::Anything => (start < path.len()).then_some(0),
        };
        let Some(skipped) = skipped else { return false };
        (at, in_path) = (rest, start + skipped + 1);
        (star, deep) = (None, Some((rest, in_path, next)));
    }
}

/// Whether a byte is in the class that begins at an index of a pattern, behind its bracket; with the index behind the
/// class. `None` if it is none.
fn class(pattern: &[u8], start: usize, byte: u8) -> Option<(bool, usize)> {
    let is_negated = matches!(pattern.get(start), Some(b'!' | b'^'));
    let mut at = start + usize::from(is_negated);
    let mut is_in = false;
    // The byte before a hyphen; 0 where it begins no range.
    let mut previous = 0;
    loop {
        let mut member = *pattern.get(at)?;
        let after = pattern.get(at + 1).copied();
        match member {
            b'\\' => {
                at += 1;
                member = after?;
                is_in |= byte == member;
            }
            b'-' if previous != 0 && after.is_some_and(|after| after != b']') => {
                at += 1;
                let mut last = after?;
                if last == b'\\' {
                    at += 1;
                    last = *pattern.get(at)?;
                }
                is_in |= (previous..=last).contains(&byte);
                member = 0;
            }
            b'[' if after == Some(b':') => {
                let name = &pattern[at + 2..];
                let length = name.iter().position(|byte| *byte == b']')?;
                match name[..length].strip_suffix(b":") {
                    Some(name) => {
                        is_in |= is_of_kind(name, byte)?;
                        at += 2 + length;
                        member = 0;
                    }
                    None => is_in |= byte == b'[',
                }
            }
            _ => is_in |= byte == member,
        }
        previous = member;
        at += 1;
        if *pattern.get(at)? == b']' {
            return Some((is_in != is_negated, at + 1));
        }
    }
}

/// Whether a byte is of a named class of ASCII; `None` if there is no class of that name.
fn is_of_kind(name: &[u8], byte: u8) -> Option<bool> {
    Some(match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_with_many_wildcards_takes_no_exponential_time() {
        let path = "a/".repeat(500);
        assert!(!matches("**/*a*a*a*a*a*b".repeat(30).as_bytes(), path.as_bytes()));
        assert!(!matches("a*".repeat(2_000).as_bytes(), "a".repeat(1_500).as_bytes()));
        assert!(matches("**/a/".repeat(200).as_bytes(), path.as_bytes()));
    }
}
