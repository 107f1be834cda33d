//! Source code in answers, without secrets.

use limbic_guard::find_secret;

/// Replaces lines that contain a secret by a note of its kind; the whole text if the secret spans lines.
pub fn redacted(text: String) -> String {
    let Some(kind) = find_secret(&text) else { return text };
    let lines: Vec<String> = text
        .lines()
        .map(|line| match find_secret(line) {
            Some(kind) => format!("[redacted: {}]", kind.name()),
            None => line.to_owned(),
        })
        .collect();
    let text = lines.join("\n");
    if find_secret(&text).is_some() { format!("[redacted: {}]", kind.name()) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_secrets_are_replaced() {
        let text = "let a = 1;\nlet password = \"kestrel-99-Blue\";\nlet b = 2;";
        let shown = redacted(text.to_owned());
        assert!(shown.starts_with("let a = 1;\n[redacted: ") && shown.ends_with("let b = 2;"), "{shown}");
        assert_eq!(redacted("fn main() {}".to_owned()), "fn main() {}");
    }
}
