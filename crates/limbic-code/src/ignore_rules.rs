//! The rules of ignore files, with git's syntax: text in, decisions out.

use std::collections::BTreeMap;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A placeholder for the folder to which patterns and paths are relative.
const ROOT: &str = "/";

/// Which files and folders of a project its ignore files exclude.
#[derive(Default)]
pub struct IgnoreRules {
    folders: BTreeMap<String, Vec<(usize, Gitignore)>>,
}

impl IgnoreRules {
    /// Names of the ignore files; the last one is that of a repository of git. Where one decides about a path, those
    /// behind it do not count.
    pub const FILES: [&str; 3] = [".memoryignore", ".gitignore", "info/exclude"];

    /// Adds the content of the ignore file of this name: `folder` is the path of the folder that it is about, with `/`
    /// between names; empty for the outermost one. A pattern that is none, or that is too large, is left out, as is the
    /// content of another file.
    pub fn add(&mut self, folder: &str, name: &str, content: &[u8]) {
        let Some(file) = Self::FILES.iter().position(|file| *file == name) else { return };
        let text = String::from_utf8_lossy(content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content));
        let lines: Vec<&str> = text.lines().collect();
        self.add_lines(folder, file, &lines);
    }

    /// Adds lines of an ignore file. All are compiled together; where one makes that fail, each half by itself, the
    /// last one first, because the last line that matches decides.
    fn add_lines(&mut self, folder: &str, file: usize, lines: &[&str]) {
        let mut builder = GitignoreBuilder::new(format!("{ROOT}{folder}"));
        for line in lines {
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(rules) => self.folders.entry(folder.to_owned()).or_default().push((file, rules)),
            Err(_) if lines.len() > 1 => {
                let (first, last) = lines.split_at(lines.len() / 2);
                self.add_lines(folder, file, last);
                self.add_lines(folder, file, first);
            }
            Err(_) => {}
        }
    }

    /// Whether the ignore files of its folder and of those above it exclude a path. Whether they exclude a folder above
    /// it is not looked at: a walk does not enter such a folder.
    #[must_use]
    pub fn exclude(&self, path: &str, is_folder: bool) -> bool {
        let full = format!("{ROOT}{path}");
        (0..Self::FILES.len())
            .find_map(|file| match self.decision(file, path, &full, is_folder) {
                Match::None => None,
                Match::Ignore(()) => Some(true),
                Match::Whitelist(()) => Some(false),
            })
            .unwrap_or(false)
    }

    /// The decision of the ignore files of one name: that of the innermost folder that has one.
    fn decision(&self, file: usize, path: &str, full: &str, is_folder: bool) -> Match<()> {
        let mut folder = path;
        while !folder.is_empty() {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            let rules = self.folders.get(folder).into_iter().flatten();
            for (_, rules) in rules.filter(|(name, _)| *name == file) {
                let decision = rules.matched(full, is_folder).map(|_| ());
                if !decision.is_none() {
                    return decision;
                }
            }
        }
        Match::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_compiled_leaves_the_others() {
        let mut rules = IgnoreRules::default();
        let huge = "?".repeat(200_000);
        assert!(GitignoreBuilder::new(ROOT).add_line(None, &huge).expect("it is a pattern").build().is_err());
        rules.add("", ".gitignore", format!("*.log\n{huge}\nbuild/\n!keep.log\n{huge}a\n").as_bytes());
        for (path, is_folder, expected) in [
            ("x.log", false, true),
            ("keep.log", false, false),
            ("build", true, true),
            ("x.rs", false, false),
        ] {
            assert_eq!(rules.exclude(path, is_folder), expected, "{path}");
        }
    }

    #[test]
    fn the_rules_of_a_repository_come_last() {
        let mut rules = IgnoreRules::default();
        rules.add("", "info/exclude", b"*.log\nnotes/\n");
        rules.add("a", ".gitignore", b"!keep.log\n");
        for (path, is_folder, expected) in [
            ("x.log", false, true),
            ("a/x.log", false, true),
            ("a/keep.log", false, false),
            ("a/notes", true, true),
        ] {
            assert_eq!(rules.exclude(path, is_folder), expected, "{path}");
        }
    }

    #[test]
    fn the_innermost_file_decides_and_memoryignore_before_gitignore() {
        let mut rules = IgnoreRules::default();
        rules.add("", ".gitignore", b"\xef\xbb\xbfbuild/\n*.tmp\n/top.rs\n\n# a comment\n[\n");
        rules.add("a", ".gitignore", b"!keep.tmp\nlocal.rs\n");
        rules.add("", ".memoryignore", b"private/\n!a/b.tmp\n");
        let cases = [
            ("build", true, true),
            ("build", false, false),
            ("a/build", true, true),
            ("x.tmp", false, true),
            ("a/x.tmp", false, true),
            ("a/keep.tmp", false, false),
            ("a/b.tmp", false, false),
            ("a/local.rs", false, true),
            ("local.rs", false, false),
            ("top.rs", false, true),
            ("a/top.rs", false, false),
            ("a/private", true, true),
        ];
        for (path, is_folder, expected) in cases {
            assert_eq!(rules.exclude(path, is_folder), expected, "{path}");
        }
    }
}
