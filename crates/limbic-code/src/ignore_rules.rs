//! The rules of ignore files, with git's syntax: text in, decisions out.

mod glob;
mod ignore_file;

use std::collections::BTreeMap;

use crate::MAX_IGNORE_BYTES;
use ignore_file::Patterns;

/// Which files and folders of a project its ignore files exclude.
#[derive(Default)]
pub struct IgnoreRules {
    folders: BTreeMap<String, Vec<(usize, Patterns)>>,
}

impl IgnoreRules {
    /// Names of the ignore files; the last one is that of a repository of git. Where one decides about a path, those
    /// behind it do not count.
    pub const FILES: [&str; 3] = [".memoryignore", ".gitignore", "info/exclude"];

    /// Adds the content of the ignore file of this name: `folder` is the path of the folder that it is about, with `/`
    /// between names; empty for the outermost one. The content of another file is left out, as is one that is longer
    /// than [`MAX_IGNORE_BYTES`]. Returns whether the rules count.
    pub fn add(&mut self, folder: &str, name: &str, content: &[u8]) -> bool {
        let file = Self::FILES.iter().position(|file| *file == name);
        let Some(file) = file.filter(|_| content.len() <= MAX_IGNORE_BYTES) else { return false };
        self.folders.entry(folder.to_owned()).or_default().push((file, Patterns::new(content)));
        true
    }

    /// Whether the ignore files of its folder and of those above it exclude a path. Whether they exclude a folder above
    /// it is not looked at: a walk does not enter such a folder.
    #[must_use]
    pub fn exclude(&self, path: &str, is_folder: bool) -> bool {
        (0..Self::FILES.len()).find_map(|file| self.decision(file, path, is_folder)).unwrap_or(false)
    }

    /// The decision of the ignore files of one name: that of the innermost folder that has one.
    fn decision(&self, file: usize, path: &str, is_folder: bool) -> Option<bool> {
        let mut end = path.len();
        loop {
            let above = path[..end].rfind('/');
            let (folder, inside) = above.map_or(("", path), |at| (&path[..at], &path[at + 1..]));
            let rules = self.folders.get(folder).into_iter().flatten();
            let mut decisions = rules
                .filter(|(name, _)| *name == file)
                .filter_map(|(_, patterns)| patterns.decision(inside.as_bytes(), is_folder));
            if let Some(decision) = decisions.next() {
                return Some(decision);
            }
            end = above?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_file_that_is_too_long_or_of_another_name_has_no_rules() {
        let mut rules = IgnoreRules::default();
        let long = "x\n".repeat(MAX_IGNORE_BYTES / 2);
        assert!(!rules.add("", ".gitignore", format!("{long}x").as_bytes()));
        assert!(!rules.add("", "gitignore", b"x\n"));
        assert!(!rules.exclude("x", false));
        assert!(rules.add("", ".gitignore", long.as_bytes()));
        assert!(rules.exclude("x", false));
    }

    /// Compared one by one, they would be 600 million comparisons.
    #[test]
    fn a_long_list_of_patterns_is_matched_by_their_ends() {
        let mut rules = IgnoreRules::default();
        let lines: String =
            (0..8_000).map(|at| format!("gen{at}/*.o\n/out/file{at}\n*.{at}\nname{at}\n")).collect();
        assert!(rules.add("", ".gitignore", &lines.as_bytes()[..MAX_IGNORE_BYTES]));
        let excluded = |path: &str| rules.exclude(path, false);
        assert!(excluded("gen7/a.o") && excluded("out/file70") && excluded("a/b.700") && excluded("a/name7"));
        assert!(
            !excluded("gen7/a/b.o") && !excluded("a/out/file70") && !excluded("a/b.c") && !excluded("a/name")
        );
        let count = (0..20_000).filter(|at| excluded(&format!("src/part{}/item{at}.rs", at % 100))).count();
        assert_eq!(count, 0);
    }

    /// Compared one by one, they would be 200 million comparisons.
    #[test]
    fn a_long_list_of_patterns_that_begin_with_wildcards_is_matched_by_their_texts() {
        let mut rules = IgnoreRules::default();
        let lines: String =
            (0..5_000).map(|at| format!("*gen{at}*\n**/out{at}/*.o\n*.g{at}.[ch]\n?{at}a\n")).collect();
        assert!(rules.add("", ".gitignore", lines.as_bytes()));
        let excluded = |path: &str| rules.exclude(path, false);
        for path in ["a/my_gen7_file", "gen4999", "out7/b.o", "a/b/out70/c.o", "a/b.g12.c", "x12a"] {
            assert!(excluded(path), "{path}");
        }
        for path in ["a/my_gen", "out7/b/c.o", "a/b.g12.x", "12b", "b.o"] {
            assert!(!excluded(path), "{path}");
        }
        let count = (0..10_000).filter(|at| excluded(&format!("src/part{}/item{at}.rs", at % 100))).count();
        assert_eq!(count, 0);
    }
}
