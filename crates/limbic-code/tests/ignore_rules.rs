//! Ignore files mean what they mean to git: every decision is compared with `git check-ignore`.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test runs git")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use limbic_code::IgnoreRules;
use limbic_protocol::SplitMix64;
use tempfile::TempDir;

/// Files of the repository. Folders are those above them.
const FILES: [&str; 46] = [
    "a",
    "b",
    "ab",
    "abc",
    "aab",
    "A",
    "a.log",
    "keep.log",
    "a b",
    "a ",
    "a  ",
    "a\t",
    "a\r",
    "#a",
    "!a",
    "^",
    "-",
    "]",
    "[",
    "[a]",
    "[[:alpha:]]",
    "{a,b}",
    "{a",
    "a,b",
    "a\\b",
    "a\\",
    "*",
    "**",
    "?",
    "é",
    "7",
    "foobar",
    "d/a",
    "d/b",
    "d/ab",
    "d/a.log",
    "d/e/a",
    "d/e/b",
    "d/e/f/a",
    "d/e/f/foo/bar",
    "foo/bar",
    "foo/x/bar",
    "foox/bar",
    "a,b.d/[a]/{a,b}",
    ".hidden",
    "build/out/x.o",
];

/// Single patterns.
const PATTERNS: &[&str] = &[
    "a",
    "/a",
    "a/",
    "d",
    "d/",
    "/d/",
    "/d",
    "d/a",
    "/d/a",
    "d/*",
    "d/**",
    "d/**/",
    "/d/**",
    "**/a",
    "**/d/a",
    "/**/a",
    "**",
    "**/",
    "/**",
    "*",
    "*/",
    "/*",
    "/*/",
    "*/a",
    "*/*/a",
    "*/**/a",
    "d/**/a",
    "d/**/f/a",
    "d/**e/a",
    "d**/a",
    "foo**/bar",
    "foo**bar",
    "foo/**bar",
    "foo**",
    "fo**o/bar",
    "/foo**/bar",
    "**foo/bar",
    "**/foo**",
    "***",
    "***/a",
    "d/***/a",
    "d/**/**/a",
    "d/**/*/a",
    "**/e/**",
    "e/**",
    "**/**",
    "d/e/f/**/bar",
    "d/*/f",
    "d/?/f",
    "d?e",
    "d/e/*",
    "*.log",
    "*.l*",
    "*.log/",
    "!*.log",
    "*.log\n!keep.log",
    "*\n!d\n!d/e\n!d/e/b",
    "*\n!*/\n!b",
    "/*\n!/d",
    "d\n!d/a",
    "d/*\n!d/e",
    "!a\na",
    "a\n!a",
    "a/\n!a",
    "{a,b}",
    "{a,b",
    "\\{a,b\\}",
    "a,b",
    "*{a,b}*",
    "d/{a,b}",
    "[ab]",
    "[!ab]",
    "[^ab]",
    "[a-c]",
    "[c-a]",
    "[a-]",
    "[-a]",
    "[--a]",
    "[]]",
    "[!]]",
    "[]a]",
    "[a",
    "a]",
    "[",
    "]",
    "[[]",
    "[[a]",
    "\\[a]",
    "[[]a[]]",
    "[[:alpha:]]",
    "[[:digit:]]",
    "[[:upper:]]",
    "[[:lower:]]b",
    "[![:alpha:]]",
    "[[:alnum:]]*",
    "[[:punct:]]",
    "[[:space:]]",
    "[[:blank:]]",
    "[[:cntrl:]]",
    "[[:graph:]]",
    "[[:print:]]",
    "[[:xdigit:]]",
    "a[[:space:]]",
    "a[[:cntrl:]]",
    "[[:nonsense:]]",
    "[[:alpha]",
    "[[:alpha:]",
    "[[::]]",
    "[[:]",
    "[:alpha:]",
    "[[:alpha:]-z]",
    "[a[:digit:]]",
    "d[/]a",
    "d[!x]a",
    "[[:alpha:][:digit:]]",
    "[\\]]",
    "[\\a]",
    "[a\\-c]",
    "[+-\\a]",
    "[\\+-a]",
    "[!a-z]",
    "[^-a]",
    "[[-a]",
    "[a-\\",
    "[\\",
    "a ",
    "a  ",
    "a\\ ",
    "a\\  ",
    "a \\ ",
    "a b",
    "a\\ b",
    " a",
    "a\t",
    "a\\\t",
    "a\r",
    "a\r\nb\r\n",
    "a\\\r",
    "a\\",
    "a\\\\",
    "a\\\\b",
    "a\\b",
    "\\a",
    "\\\\",
    "a/\\",
    "d\\/a",
    "d/\\a",
    "d/**\\/a",
    "\\*",
    "\\**",
    "*\\*",
    "\\?",
    "?",
    "??",
    "???",
    "a?",
    "?b",
    "d/?",
    "é",
    "??*",
    "[é]",
    "[!a]",
    "#a",
    "\\#a",
    "\\!a",
    "!!a",
    "!",
    "!/",
    "/",
    "//",
    "//a",
    "a//",
    "d//a",
    "d/./a",
    "./a",
    "../a",
    "d/../a",
    ".*",
    ".",
    "..",
    "/.hidden",
    "*hidden",
    "**a",
    "a**",
    "*a*",
    "*b*a*",
    "*o*o*b*r",
    "f*r",
    "foo*",
    "foo/*",
    "foo/*/bar",
    "foo/b?r",
    "[a-z]*[0-9]",
    "build",
    "build/",
    "build/*",
    "build/**/x.o",
    "out",
    "out/",
    "out/x.o",
    "**/out",
    "**/out/*",
    "build/out/",
    "*.o",
    "x.o",
    "/x.o",
    "A",
    "\u{feff}a",
    "a\0b",
    "",
];

struct Repository {
    folder: TempDir,
    /// Paths of files, and of folders.
    paths: BTreeMap<String, bool>,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().expect("a folder"), paths: paths() };
        for (path, is_folder) in &repository.paths {
            let full = repository.folder.path().join(path);
            if *is_folder {
                fs::create_dir(full).expect("there is nothing");
            } else {
                fs::write(full, "").expect("there is room");
            }
        }
        let made = repository.git(&["init", "--quiet"]).status().expect("this test needs git");
        assert!(made.success());
        repository
    }

    fn git(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(["-c", "core.excludesFile=", "-c", "core.ignoreCase=false"])
            .args(arguments)
            .current_dir(self.folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env_remove("GIT_DIR");
        command
    }

    /// The paths that git ignores.
    fn ignored_by_git(&self) -> Vec<&str> {
        let mut git = self
            .git(&["check-ignore", "--no-index", "-z", "-v", "-n", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this test needs git");
        let asked: String = self.paths.keys().map(|path| format!("{path}\0")).collect();
        git.stdin.take().expect("it is piped").write_all(asked.as_bytes()).expect("git reads");
        let output = git.wait_with_output().expect("git ends");
        let fields: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
        let answers = fields.chunks_exact(4);
        assert_eq!(answers.len(), self.paths.len(), "{}", String::from_utf8_lossy(&output.stderr));
        let is_ignored = |answer: &[&[u8]]| !answer[0].is_empty() && !answer[2].starts_with(b"!");
        let pairs = self.paths.keys().zip(answers);
        pairs.filter(|(_, answer)| is_ignored(answer)).map(|(path, _)| path.as_str()).collect()
    }

    fn ignored_by(&self, rules: &IgnoreRules) -> Vec<&str> {
        let excluded = |path: &&String| {
            let above = path.match_indices('/').any(|(end, _)| rules.exclude(&path[..end], true));
            above || rules.exclude(path, self.paths[*path])
        };
        self.paths.keys().filter(excluded).map(String::as_str).collect()
    }

    /// Compares the decisions about all paths, with ignore files by folder.
    fn compare(&self, files: &[(&str, &str)]) {
        let mut rules = IgnoreRules::default();
        for (folder, content) in files {
            fs::write(self.folder.path().join(folder).join(".gitignore"), content).expect("there is room");
            rules.add(folder, ".gitignore", content.as_bytes());
        }
        assert_eq!(self.ignored_by(&rules), self.ignored_by_git(), "by {files:?}");
        for (folder, _) in files {
            fs::remove_file(self.folder.path().join(folder).join(".gitignore")).expect("it was written");
        }
    }
}

fn paths() -> BTreeMap<String, bool> {
    let folders =
        FILES.iter().flat_map(|file| file.match_indices('/').map(|(end, _)| (file[..end].to_owned(), true)));
    let files = FILES.iter().map(|file| ((*file).to_owned(), false));
    folders.chain(files).collect()
}

#[test]
fn patterns_match_what_they_match_for_git() {
    let repository = Repository::new();
    for pattern in PATTERNS {
        repository.compare(&[("", &format!("{pattern}\n"))]);
    }
    repository.compare(&[("", "no line break at the end\na")]);
}

#[test]
fn made_patterns_match_what_they_match_for_git() {
    const PARTS: [&str; 34] = [
        "a",
        "b",
        "d",
        "e",
        "foo",
        "bar",
        "log",
        ".",
        "/",
        "/",
        "/",
        "*",
        "*",
        "**",
        "**/",
        "/**",
        "?",
        "[",
        "]",
        "[ab]",
        "[!a]",
        "[a-",
        "[[:alpha:]]",
        "[:",
        "!",
        "#",
        "\\",
        " ",
        "{",
        ",",
        "}",
        "-",
        "^",
        "\n",
    ];
    let repository = Repository::new();
    let mut random = SplitMix64::new(3);
    for _ in 0..400 {
        let mut content = || -> String {
            let count = 1 + random.index(9);
            (0..count).map(|_| random.one_of(&PARTS)).collect()
        };
        let (top, inner, deep) = (content(), content(), content());
        repository.compare(&[("", &top)]);
        repository.compare(&[("", &top), ("d", &inner), ("d/e", &deep)]);
    }
}
