//! The rules of ignore files, with git's syntax: text in, decisions out.

mod glob;
mod patterns;

use std::collections::BTreeMap;

use patterns::Patterns;

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
    /// between names; empty for the outermost one. The content of another file is left out.
    pub fn add(&mut self, folder: &str, name: &str, content: &[u8]) {
        let Some(file) = Self::FILES.iter().position(|file| *file == name) else { return };
        self.folders.entry(folder.to_owned()).or_default().push((file, Patterns::new(content)));
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
}
