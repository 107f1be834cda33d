//! Files at the limits of an import, and over them: none takes much more memory than its size.

#![allow(unsafe_code, reason = "only an allocator can tell what memory is in use")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fmt::Write,
    fs,
};

use anyhow::{Result, ensure};
use limbic_tests::{BackEnd, memory::Native};
use serde_json::json;
use tempfile::tempdir;

/// What an import may take, in bytes, of texts and of JSON, which is smaller here than it may be.
const OF_TEXTS: usize = 450_000_000;
const OF_JSON: usize = 150_000_000;
const OF_MEMORY_GRAPH: usize = 450_000_000;

/// Somewhat less than the maximum size of a text file.
const TEXT_BYTES: usize = 7_900_000;

thread_local! {
    /// Bytes in use by this thread, and the maximum of them. What another thread frees is not subtracted.
    static IN_USE: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// The allocator of the system, which counts.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(added: usize, freed: usize) {
    // A thread that ends has no count any more.
    let _ = IN_USE.try_with(|in_use| {
        let (now, peak) = in_use.get();
        let now = (now + added).saturating_sub(freed);
        in_use.set((now, peak.max(now)));
    });
}

// SAFETY: every call is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promises are those of the allocator of the system.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // WebAssembly copies a block that grows.
        count(size, 0);
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// Returns what a dry run takes of memory at most, and its answer.
fn peak_of(path: &std::path::Path) -> Result<(usize, String)> {
    let mut memory = Native::in_memory()?;
    let before = IN_USE.with(|in_use| {
        in_use.set((in_use.get().0, in_use.get().0));
        in_use.get().0
    });
    let call = json!({ "source_path": path, "dry_run": true }).to_string();
    let (_, answer) = memory.call("migrate", &call)?;
    Ok((IN_USE.with(Cell::get).1 - before, answer))
}

/// Asserts that a file with this text takes little memory, and is answered so.
fn ensure_small(name: &str, text: &str, expected: &str, most: usize) -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join(name);
    fs::write(&path, text)?;
    let (peak, answer) = peak_of(&path)?;
    let start: String = text.chars().take(60).collect();
    let sentence: String = answer.chars().take(300).collect();
    eprintln!("{:4} MB, {start:?}: {sentence}", peak / 1_000_000);
    ensure!(answer.contains(expected), "{start:?}: {sentence}");
    ensure!(peak < most, "{start:?} took {peak} bytes: {sentence}");
    Ok(())
}

fn filled(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len())
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        // A text can always be written to.
        let _ = writeln!(text, "{}", line(number));
        text
    })
}

#[test]
fn texts_take_memory_in_proportion_to_their_size() -> Result<()> {
    let bullets = filled("- a\n", TEXT_BYTES);
    let facts = numbered(15_000, |number| format!("- fact {number}"));
    let tags = (0..100).map(|number| format!("tag{number}{}", "x".repeat(90))).collect::<Vec<_>>().join(", ");
    let headings: String =
        (1..=6).map(|level| format!("{} {}\n", "#".repeat(level), "h ".repeat(500_000))).collect();
    let exported = "---\nlimbic: memories\nversion: 1\n---\n";
    for (name, text, expected) in [
        ("bullets.md", bullets.clone(), "divide it"),
        ("empty.md", filled("-\n", TEXT_BYTES), "divide it"),
        ("labels.md", filled("- a:\n", TEXT_BYTES), "divide it"),
        ("headings.md", filled("# a\n", TEXT_BYTES), "divide it"),
        ("brackets.md", format!("- {}", filled("[", TEXT_BYTES)), "divide it"),
        ("marks.md", format!("- {}", filled("a[aaaaaa", TEXT_BYTES)), "memories_imported"),
        ("lines.md", format!("# a\n\n{}", filled("aaaaaaaa\n", TEXT_BYTES)), "memories_imported"),
        (
            "links.md",
            format!("---\npermalink: a\n---\n\n{}", filled("[[a]] aaaaaaaaaaaaaaaa ", TEXT_BYTES)),
            "divide it",
        ),
        ("tags.md", format!("---\ntags: [{tags}]\n---\n{facts}"), "divide it"),
        ("date.md", format!("---\ndate: {}\n---\n{facts}", "1".repeat(60_000)), "divide it"),
        ("long.md", format!("{headings}{facts}"), "memories_imported"),
        ("front.md", format!("---\na: {}\n---\n- a\n", filled("[", TEXT_BYTES)), "divide it"),
        ("domains.md", format!("{exported}{}", filled("# a\n", TEXT_BYTES)), "50000 domains"),
        ("exported.md", format!("{exported}{bullets}"), "50000 memories"),
        ("blank.md", format!("{exported}- a\n{}", filled("\n", TEXT_BYTES)), "memories_imported"),
        ("dated.txt", filled("[2024-01-01] - a\n", TEXT_BYTES), "50000 memories"),
        ("sentences.txt", filled("User a\n", TEXT_BYTES), "divide it"),
    ] {
        ensure_small(name, &text, expected, OF_TEXTS)?;
    }
    Ok(())
}

#[test]
fn json_takes_memory_in_proportion_to_its_size() -> Result<()> {
    let of = |unit: &str| filled(unit, 10_000_000);
    let ones = of("1,");
    let texts = of("\"\",");
    let server = r#"{"id":"memories:a","content":"a b","memory_type":"note","#;
    let node = r#""a":{"id":"a","content":"","timestamp":""},"#;
    for (name, text, expected) in [
        ("metadata.json", format!(r#"[{{"memory":"a b","metadata":{{"a":[{ones}1]}}}}]"#), "skipped"),
        ("id.json", format!(r#"[{{"memory":"a b","id":[{ones}1]}}]"#), "memories_imported"),
        ("tags.json", format!(r#"[{{"memory":"a b","tags":[{texts}""]}}]"#), "memories_imported"),
        (
            "blocks.json",
            format!(r#"{{"agents":[{{"name":"a","block_ids":[{texts}""]}}],"blocks":[]}}"#),
            "letta",
        ),
        (
            "projects.json",
            format!(
                r#"[{{"conversations_memory":"- a","project_memories":{{{}"b":""}}}}]"#,
                of(r#""a":"","#)
            ),
            "skipped",
        ),
        ("claude.json", format!(r#"[{{"conversations_memory":"{}"}}]"#, of("- a\\n")), "divide it"),
        (
            "nodes.json",
            format!("{{\"nodes\":\n{{{}\"b\":1}},\"edges\":[]}}", filled(node, 40_000_000)),
            "352 MB",
        ),
        (
            "observations.jsonl",
            format!(r#"{{"type":"entity","name":"A","observations":[{texts}""]}}"#)
                + "\n{\"type\":\"entity\",\"name\":\"B\"}\n",
            "skipped",
        ),
        ("server.jsonl", format!("{server}\"metadata\":{{\"a\":[{ones}1]}}}}\n"), "skipped"),
        ("ids.jsonl", format!("{server}\"in\":{{\"id\":[{ones}1]}}}}\n{server}\"in\":\"b\"}}\n"), "skipped"),
    ] {
        let most = if name == "nodes.json" { OF_MEMORY_GRAPH } else { OF_JSON };
        ensure_small(name, &text, expected, most)?;
    }
    Ok(())
}
