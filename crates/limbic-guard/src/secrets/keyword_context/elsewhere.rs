//! Values that do not follow their name directly: block scalars, and entries with a field for each.

/// Returns the value where it does not follow the name directly: in a block scalar of YAML (`password: |`), and in an
/// entry with two fields (`name: DB_PASSWORD`, then `value: …`), of YAML, JSON or HCL.
pub(super) fn value_elsewhere<'a>(after: &'a str, before: &str) -> Option<&'a str> {
    const SCALARS: [&str; 6] = ["|", ">", "|-", ">-", "|+", ">+"];
    let quotes = ['"', '\''];
    // An element of XML with attributes.
    if before.ends_with('<') && after.starts_with(' ') {
        return after.lines().next().and_then(|line| line.split_once('>')).map(|(_, content)| content);
    }
    let (line, next) = after.split_once('\n').unwrap_or((after, ""));
    let sign = line.trim_start_matches(quotes).trim().strip_prefix(':').map(str::trim);
    if sign.is_some_and(|sign| SCALARS.contains(&sign)) {
        return next.lines().next();
    }
    if !before.trim_end_matches(['"', '\'', ' ']).ends_with([':', '=']) {
        return None;
    }
    let field = after.trim_start_matches(quotes).trim_start_matches([',', ' ', '\t', '\r', '\n', '"', '\'']);
    let field = after_short_fields(field);
    let sign = field.strip_prefix("value")?.trim_start_matches(quotes).trim_start();
    sign.strip_prefix([':', '='])?.lines().next()
}

/// Returns the text after at most two short fields between a name and its value: `"type": "string",`.
fn after_short_fields(field: &str) -> &str {
    const MAX_BYTES: usize = 40;
    let mut rest = field;
    for _ in 0..2 {
        if rest.starts_with("value") {
            return rest;
        }
        // The next entry.
        if rest.starts_with('-') {
            break;
        }
        let Some(end) = rest.bytes().take(MAX_BYTES).position(|byte| matches!(byte, b',' | b'\n')) else {
            break;
        };
        if !rest[..end].contains([':', '=']) || rest[..end].contains(['}', ']']) {
            break;
        }
        rest = rest[end..].trim_start_matches([',', ' ', '\t', '\r', '\n', '"', '\'']);
    }
    if rest.starts_with("value") { rest } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_entries_and_scalars_are_found() {
        for (before, after, value) in [
            ("", ": |\n  q83k", Some("  q83k")),
            ("- name: ", "\n  value: q83k", Some(" q83k")),
            ("{\"key\":\"", "\",\"type\":\"string\",\"value\":\"q83k\"}", Some("\"q83k\"}")),
            ("- name: ", "\n  valueFrom:", None),
            ("- name: ", "\n- name: B\n  value: 2", None),
            ("the ", " is the value: of it", None),
        ] {
            assert_eq!(value_elsewhere(after, before), value, "{before}…{after}");
        }
    }
}
