//! The export as Markdown, edited and imported again: editors and formatters change nothing by themselves, and what a
//! person changes is taken or reported.

use anyhow::{Context, Result, ensure};
use limbic_tests::transcript::{self, ensure_same};
use limbic_tests::{
    export_import::{export, import},
    memory::Native,
    memory_file::ask,
};
use limbic_tools::CallerKind;
use serde_json::{Value, json};

use crate::notes_import::{memories, problems, with_text};

/// Texts that Markdown would read in another way, or editors would change.
const TEXTS: [&str; 20] = [
    "- a\n  - b\n    - c",
    "* star\n+ plus\n- minus",
    "1. one\n2. two\n\n   of it",
    "```sh\n# x\n\n\tmake\n```",
    "    indented code\n\n    more",
    "# Heading\n\n## Sub\n\n### Third",
    "---\nlimbic: memories\nversion: 2\n---\n\n# general",
    "title: x\n---\ny",
    "a hard break  \nthe end \t",
    "ends with blank lines\n\n\n",
    "\n\nbegins with blank lines",
    "blank \n   \n \t\nlines",
    "<!-- a comment -->\ntext\n<!-- limbic {\"id\":\"x\"} -->",
    "<!-- of\n\ntwo lines -->",
    "text --> <!-- limbic-domain {\"id\":\"x\",\"name\":\"x\"} -->",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "> quote\n> of lines\n***",
    "tabs\tand \u{1} control \u{2028} separators\r\nof Windows",
    "\\- escaped &amp; <b>html</b> [x](y)",
    "@docs/style.md",
];

/// A memory with these texts, some below subjects and in another domain.
fn odd() -> Result<Native> {
    let mut lines = vec![
        json!({ "record": "export", "format": "limbic", "version": 1 }).to_string(),
        json!({ "record": "domain", "id": "work", "name": "Work & play", "created": "2025-01-01T00:00:00Z" })
            .to_string(),
    ];
    for (number, text) in TEXTS.iter().enumerate() {
        let mut memory = json!({
            "record": "memory", "id": format!("m{number:02}"), "content": text, "domain": "general",
            "created_at": "2025-01-01T00:00:00.000Z", "tags": ["a--b", "<x>"]
        });
        if number % 3 > 0 {
            memory["subject"] = ["", "release", "a  # b"][number % 3].into();
        }
        if number % 2 > 0 {
            memory["domain"] = "work".into();
        }
        lines.push(memory.to_string());
    }
    lines.push(json!({ "record": "end", "records": lines.len() - 1 }).to_string());
    let mut memory = Native::in_memory()?;
    let answer = import(&mut memory, (lines.join("\n") + "\n").as_bytes(), false)?;
    ensure!(answer["memories_imported"] == TEXTS.len(), "{answer}");
    Ok(memory)
}

fn markdown(memory: &mut Native) -> Result<String> {
    Ok(String::from_utf8(export(memory, "markdown")?)?)
}

fn without_blanks(text: &str) -> String {
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// An export with other blanks before the comments of its memories, not before those in their texts.
fn with_comments(text: &str, before: &str) -> String {
    ["<!-- limbic {\"id\":\"m", "<!-- limbic {\"created_at\""]
        .iter()
        .fold(text.to_owned(), |text, comment| {
            text.replace(&format!("\n  {comment}"), &format!("{before}{comment}"))
        })
}

#[test]
fn what_editors_change_by_themselves_changes_nothing() -> Result<()> {
    let first = markdown(&mut odd()?)?;
    for (what, edited) in [
        ("nothing", first.clone()),
        ("blanks at the ends of lines", without_blanks(&first)),
        ("no end of the last line", first.trim_end().to_owned()),
        ("the line ends of Windows", first.replace('\n', "\r\n")),
        ("a byte order mark", format!("\u{feff}{first}")),
        ("further front matter", first.replacen("---\n", "---\ntags: [notes]\n", 1)),
        ("another mark of bullets", first.replace("\n\n- ", "\n\n* ")),
        ("a blank line below headings", first.replace("\n<!-- limbic-domain", "\n\n<!-- limbic-domain")),
        ("a blank line before comments", with_comments(&first, "\n\n  ")),
        ("no indentation of comments", with_comments(&first, "\n")),
    ] {
        let mut memory = odd()?;
        let answer = import(&mut memory, edited.as_bytes(), false)?;
        ensure!(answer["memories_imported"] == 0, "{what}: {answer}");
        ensure_same(&answer["problems"], &json!([]), &answer)?;
        let after = markdown(&mut memory)?;
        ensure!(after == first, "{what}: {}", transcript::difference(&first, &after));
        // Into an empty memory: every text exactly.
        let mut copy = Native::in_memory_later(3)?;
        let answer = import(&mut copy, edited.as_bytes(), false)?;
        ensure_same(&answer["problems"], &json!([]), &answer)?;
        let found = memories(&mut copy)?;
        for text in TEXTS {
            with_text(&found, text)?;
        }
        let after = markdown(&mut copy)?;
        ensure!(after == first, "{what}: {}", transcript::difference(&first, &after));
    }
    Ok(())
}

/// A memory with three memories below two subjects.
fn three() -> Result<Native> {
    let mut memory = Native::in_memory()?;
    for (id, text, subject) in [
        ("a", "Ships on Mondays", "release"),
        ("b", "Rolls back at night", "release"),
        ("c", "Uses tabs", "style"),
    ] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": text, "subject": subject }))?;
    }
    Ok(memory)
}

/// The part of an export from one text to the next bullet or heading.
fn bullet_of(text: &str, content: &str) -> Result<String> {
    let start = text.find(&format!("- {content}")).context("the bullet")?;
    let end = text[start..].find("-->\n").map_or(text.len(), |end| start + end + 4);
    Ok(text[start..end].to_owned())
}

/// Imports an edited export. Returns the answer, after another export of it has proved stable.
fn edited(memory: &mut Native, text: &str) -> Result<Value> {
    let answer = import(memory, text.as_bytes(), false)?;
    let after = markdown(memory)?;
    let again = import(memory, after.as_bytes(), false)?;
    ensure!(again["memories_imported"] == 0 && again["problems"] == json!([]), "{again}");
    ensure!(markdown(memory)? == after, "{}", transcript::difference(&after, &markdown(memory)?));
    // The edited file itself changes nothing more.
    let again = import(memory, text.as_bytes(), false)?;
    ensure!(again["memories_imported"] == 0, "{again}");
    ensure!(markdown(memory)? == after, "{}", transcript::difference(&after, &markdown(memory)?));
    Ok(answer)
}

#[test]
fn a_bullet_that_is_moved_gets_the_subject_above_it() -> Result<()> {
    let mut memory = three()?;
    let text = markdown(&mut memory)?;
    let moved = bullet_of(&text, "Rolls back at night")?;
    let text = text.replace(&moved, "") + "\n" + &moved;
    let answer = edited(&mut memory, &text)?;
    ensure!(answer["memories_imported"] == 1, "{answer}");
    let found = memories(&mut memory)?;
    ensure!(with_text(&found, "Rolls back at night")?["subject"] == "style", "{found:#?}");
    ensure!(with_text(&found, "Ships on Mondays")?["subject"] == "release", "{found:#?}");
    // A memory that has changed here since stays as it is.
    ask(&mut memory, "memory_update", &json!({ "id": "b", "subject": "release" }))?;
    let answer = import(&mut memory, text.as_bytes(), false)?;
    ensure!(problems(&answer).contains("changed here since the export"), "{answer}");
    Ok(())
}

#[test]
fn a_heading_that_a_formatter_escapes_moves_nothing() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (id, subject) in [("a", "a*b"), ("b", "a*b"), ("c", r"c\*d_e")] {
        let stated = json!({ "id": id, "content": format!("Text {id}"), "subject": subject });
        ask(&mut memory, "memory_store", &stated)?;
    }
    let text = markdown(&mut memory)?;
    let escaped = text.replace("## a*b", r"## a\*b").replace(r"## c\*d_e", r"## c\\\*d\_e");
    ensure!(escaped != text, "{text}");
    let answer = import(&mut memory, escaped.as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 0 && answer["problems"] == json!([]), "{answer}");
    ensure!(markdown(&mut memory)? == text);
    // A new bullet gets the subject of those above it.
    let bullet = bullet_of(&escaped, "Text b")?;
    let added = escaped.replace(&bullet, &format!("{bullet}\n- New text\n"));
    let answer = edited(&mut memory, &added)?;
    ensure!(answer["memories_imported"] == 1, "{answer}");
    ensure!(with_text(&memories(&mut memory)?, "New text")?["subject"] == "a*b", "{answer}");
    Ok(())
}

#[test]
fn a_bullet_in_another_domain_is_reported() -> Result<()> {
    let mut memory = three()?;
    ask(&mut memory, "create_domain", &json!({ "id": "home" }))?;
    let text = markdown(&mut memory)?;
    let moved = bullet_of(&text, "Uses tabs")?;
    let text = text.replace(&moved, "") + "\n# home\n\n## style\n\n" + &moved;
    let answer = edited(&mut memory, &text)?;
    ensure!(
        problems(&answer).contains(
            "it is in the domain \\\"general\\\", and an import does not move it: use memory_update"
        ),
        "{answer}"
    );
    // Nothing is said of the stored memory if the edited one is refused.
    let mut memory = three()?;
    ask(&mut memory, "create_domain", &json!({ "id": "home" }))?;
    let secret = text.replace("Uses tabs", "The admin password is Sunfl0wer!");
    let answer = import(&mut memory, secret.as_bytes(), false)?;
    ensure!(answer["skipped"].as_u64() >= Some(1) && problems(&answer).contains("secret"), "{answer}");
    ensure!(!problems(&answer).contains("general"), "{answer}");
    Ok(())
}

#[test]
fn fields_that_are_edited_in_a_comment_are_stored_or_reported() -> Result<()> {
    let mut memory = Native::in_memory_later(3)?;
    let stored = json!({ "id": "a", "content": "Ships on Mondays", "tags": ["x"], "category": "decision" });
    ask(&mut memory, "memory_store", &stored)?;
    let first = markdown(&mut memory)?;
    ensure!(first.contains(r#"["x"]"#) && first.contains("decision"), "{first}");
    for (from, to, field, expected) in [
        (r#"["x"]"#, r#"["x","y"]"#, "tags", json!(["x", "y"])),
        ("decision", "convention", "category", json!("convention")),
    ] {
        let before = markdown(&mut memory)?;
        let answer = edited(&mut memory, &before.replace(from, to))?;
        ensure!(answer["memories_imported"] == 1, "{answer}");
        let found = memories(&mut memory)?;
        ensure_same(&with_text(&found, "Ships on Mondays")?[field], &expected, &answer)?;
    }
    // Without an edit, an earlier export changes nothing.
    let answer = import(&mut memory, first.as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 0 && answer["problems"] == json!([]), "{answer}");
    Ok(())
}

/// A memory that an import has brought, with all fields that a person may edit in an export, and its text in one.
fn with_all_fields() -> Result<(Native, String)> {
    let mut memory = Native::in_memory_later(3)?;
    let record = json!({
        "record": "memory", "id": "a", "content": "Ships on Mondays", "domain": "general", "importance": 3.0,
        "metadata": "{\"ticket\":7}", "memory_type": "episodic", "created_at": "2025-01-01T00:00:00.000Z",
        "event_time": "2025-01-01T00:00:00.000Z", "valid_from": "2025-01-02T00:00:00.000Z",
        "ingestion_time": "2025-01-03T00:00:00.000Z", "expires_at": "2099-01-04T00:00:00.000Z",
    });
    let head = json!({ "record": "export", "format": "limbic", "version": 1 });
    let end = json!({ "record": "end", "records": 1 });
    let answer = import(&mut memory, format!("{head}\n{record}\n{end}\n").as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 1, "{answer}");
    let text = markdown(&mut memory)?;
    Ok((memory, text))
}

#[test]
fn each_field_that_is_edited_in_a_comment_is_stored() -> Result<()> {
    for (from, to, field, expected) in [
        (r#""importance":3.0"#, r#""importance":7"#, "importance", json!(7.0)),
        (r#"\"ticket\":7"#, r#"\"ticket\":8"#, "metadata", json!(r#"{"ticket":8}"#)),
        (r#""episodic""#, r#""procedural""#, "memory_type", json!("procedural")),
        (
            r#""event_time":"2025-01-01"#,
            r#""event_time":"2024-05-06"#,
            "event_time",
            json!("2024-05-06T00:00:00.000Z"),
        ),
        ("2025-01-02T00:00:00.000Z", "2024-05-06", "valid_from", json!("2024-05-06T00:00:00.000Z")),
        ("2099-01-04T00:00:00.000Z", "2099-02-01", "expires_at", json!("2099-02-01T00:00:00.000Z")),
    ] {
        let (mut memory, text) = with_all_fields()?;
        ensure!(text.contains(from), "{field}: {text}");
        let answer = edited(&mut memory, &text.replace(from, to))?;
        ensure!(answer["memories_imported"] == 1 && answer["problems"] == json!([]), "{field}: {answer}");
        let found = memories(&mut memory)?;
        ensure_same(&with_text(&found, "Ships on Mondays")?[field], &expected, field)?;
    }
    Ok(())
}

#[test]
fn an_edited_date_that_cannot_be_read_is_refused_and_changes_nothing() -> Result<()> {
    for (from, field) in [
        ("2099-01-04T00:00:00.000Z", "expires_at"),
        ("2025-01-02T00:00:00.000Z", "valid_from"),
        (r#""event_time":"2025-01-01T00:00:00.000Z"#, "event_time"),
    ] {
        let (mut memory, text) = with_all_fields()?;
        let wrong = from.replace(from.rsplit('"').next().unwrap_or(from), "next week");
        // Nothing else of the record is stored either.
        let file = text.replace(from, &wrong).replace("Mondays", "Tuesdays");
        let line = file.lines().position(|line| line.starts_with("- Ships")).context("the bullet")? + 1;
        let answer = import(&mut memory, file.as_bytes(), false)?;
        ensure!(answer["memories_imported"] == 0 && answer["skipped"] == 1, "{field}: {answer}");
        let reported = problems(&answer);
        ensure!(answer["problems"].as_array().map(Vec::len) == Some(1), "{field}: {reported}");
        for part in [&format!("line {line}: "), field, "next week", "2026-01-31"] {
            ensure!(reported.contains(part), "{field}: {part}: {reported}");
        }
        ensure!(markdown(&mut memory)? == text, "{field}");
    }
    Ok(())
}

#[test]
fn an_edit_that_an_import_does_not_take_over_is_reported() -> Result<()> {
    for (from, to, field) in [
        (r#""created_at":"2025-01-01"#, r#""created_at":"2024-01-01"#, "created_at"),
        ("2025-01-03", "2024-01-03", "ingestion_time"),
        (r#""id":"a""#, r#""id":"a","invalidation_reason":"Old""#, "invalidation_reason"),
    ] {
        let (mut memory, text) = with_all_fields()?;
        ensure!(text.contains(from), "{field}: {text}");
        let answer = import(&mut memory, text.replace(from, to).as_bytes(), false)?;
        ensure!(answer["memories_imported"] == 0 && problems(&answer).contains(field), "{field}: {answer}");
        ensure!(markdown(&mut memory)? == text, "{field}");
    }
    Ok(())
}

#[test]
fn a_second_edit_of_the_same_comment_is_stored_or_reported() -> Result<()> {
    let edits = [
        (r#"["x"]"#, r#"["x","y"]"#, "tags", json!(["x", "y"])),
        (r#"["x","y"]"#, r#"["x","y","z"]"#, "tags", json!(["x", "y", "z"])),
        ("decision", "convention", "category", json!("convention")),
        (r#""category""#, r#""pinned":true,"category""#, "pinned", json!(true)),
    ];
    for is_confirmed in [false, true] {
        let mut memory = Native::in_memory_later(3)?;
        crate::rejections::enter(&mut memory, CallerKind::Cli, "");
        let stored =
            json!({ "id": "a", "content": "Ships on Mondays", "tags": ["x"], "category": "decision" });
        ask(&mut memory, "memory_store", &stored)?;
        let first = markdown(&mut memory)?;
        let mut file = first.clone();
        for (from, to, field, expected) in &edits {
            ensure!(file.contains(from), "{file}");
            file = file.replace(from, to);
            let answer = import(&mut memory, file.as_bytes(), false)?;
            if is_confirmed && (from, field) != (&r#"["x"]"#, &"tags") {
                ensure!(problems(&answer).contains("changed here since the export"), "{answer}");
                continue;
            }
            ensure!(answer["memories_imported"] == 1 && answer["problems"] == json!([]), "{to}: {answer}");
            let found = memories(&mut memory)?;
            ensure_same(&with_text(&found, "Ships on Mondays")?[*field], expected, &answer)?;
            // The same file once more changes nothing.
            let answer = import(&mut memory, file.as_bytes(), false)?;
            ensure!(answer["memories_imported"] == 0 && answer["problems"] == json!([]), "{to}: {answer}");
            if is_confirmed {
                ask(&mut memory, "memory_update", &json!({ "id": "a", "source": "a person" }))?;
            }
        }
        // Nor does the export as it was.
        let answer = import(&mut memory, first.as_bytes(), false)?;
        ensure!(answer["memories_imported"] == 0 && answer["problems"] == json!([]), "{answer}");
    }
    Ok(())
}

#[test]
fn what_an_edited_export_adds_is_stored_or_reported() -> Result<()> {
    let mut memory = three()?;
    let text = markdown(&mut memory)?;
    let copy = bullet_of(&text, "Uses tabs")?.replace("tabs", "two spaces");
    let text = format!(
        "{text}\n* Tags are signed\n+ Branches are short\n-\n\nProse in between\nof two lines.\n\n### Third\n<<<<<<< HEAD\n\n{copy}"
    );
    let answer = edited(&mut memory, &text)?;
    ensure!(answer["memories_imported"] == 2, "{answer}");
    let list = answer["problems"].as_array().context("problems")?;
    for (wanted, reason) in [
        ("-", "must not be empty"),
        ("Prose", "neither a heading nor a bullet"),
        ("### Third", "neither a heading nor a bullet"),
        ("- Uses two spaces", "an earlier bullet has the same id"),
    ] {
        let is_wanted = |line: &str| if wanted == "-" { line == "-" } else { line.starts_with(wanted) };
        let index = text.lines().position(is_wanted).context(wanted)?;
        let start = format!("line {}: ", index + 1);
        let is_reported = |problem: &Value| {
            problem.as_str().is_some_and(|text| text.starts_with(&start) && text.contains(reason))
        };
        ensure!(list.iter().any(is_reported), "{start}{wanted}: {answer}");
    }
    ensure!(answer["skipped"].as_u64() >= Some(4), "{answer}");
    let found = memories(&mut memory)?;
    for text in ["Tags are signed", "Branches are short", "Uses tabs"] {
        ensure!(with_text(&found, text)?["subject"] == "style", "{found:#?}");
    }
    Ok(())
}

#[test]
fn an_export_of_another_version_is_not_read_as_other_markdown() -> Result<()> {
    let mut memory = three()?;
    let before = markdown(&mut memory)?;
    let answer = import(&mut memory, before.replace("version: 1", "version: 2").as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 0 && problems(&answer).contains("expected version 1"), "{answer}");
    ensure!(markdown(&mut memory)? == before);
    Ok(())
}

#[test]
fn exports_of_earlier_versions_are_read() -> Result<()> {
    // Their hash counted blanks at the ends of lines, and no text was kept beside such a text.
    let content = "a hard break  \nthe end";
    let sum = format!("{:016x}", limbic_protocol::fnv1a(content.bytes()));
    let text = format!(
        "---\nlimbic: memories\nversion: 1\n---\n\n# general\n<!-- limbic-domain {{\"id\":\"general\",\"name\":\"general\"}} -->\n\n\
         - a hard break  \n  the end\n  <!-- limbic {{\"id\":\"a\",\"created_at\":\"2025-01-01T00:00:00.000Z\",\"sum\":\"{sum}\"}} -->\n"
    );
    let mut memory = Native::in_memory()?;
    let answer = import(&mut memory, text.as_bytes(), false)?;
    ensure_same(&answer["problems"], &json!([]), &answer)?;
    let found = memories(&mut memory)?;
    ensure!(with_text(&found, content)?["updated_at"].is_null(), "{found:?}");
    Ok(())
}
