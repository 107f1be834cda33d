//! The rules of a walk, on a simulated disk: unreadable folders, the limit of files, and omissions.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, ensure};
use limbic_code::{FileFacts, IgnoreRules};
use limbic_code_disk::{Disk, Entry, Failure, Kind, Parsers, ProjectFiles, Stat};
use limbic_tools::{CodeFiles, FolderProblem, Found, PathState};

/// Files by absolute path; a path that ends in `/` is a folder, and one whose content is `None` may not be read.
struct MadeDisk(BTreeMap<&'static str, Option<&'static str>>);

impl MadeDisk {
    fn at(base: &str, path: &str) -> String {
        if path.is_empty() { base.to_owned() } else { format!("{}/{path}", base.trim_end_matches('/')) }
    }

    fn kind(&self, path: &str) -> Option<Kind> {
        let is_folder = self.0.contains_key(format!("{path}/").as_str());
        if is_folder { Some(Kind::Folder) } else { self.0.contains_key(path).then_some(Kind::File) }
    }
}

impl Disk for MadeDisk {
    fn real_path(&self, base: &str, path: &str) -> Result<String, Failure> {
        let path = if path.starts_with('/') { path.to_owned() } else { Self::at(base, path) };
        self.kind(&path).map(|_| path).ok_or(Failure::Missing)
    }

    fn list(&self, base: &str, folder: &str) -> Result<Vec<Entry>, Failure> {
        let start = format!("{}/", Self::at(base, folder));
        self.0.get(start.as_str()).ok_or(Failure::Missing)?.ok_or(Failure::Denied)?;
        let below = self.0.keys().filter_map(|path| path.strip_prefix(start.as_str()));
        let entries = below.filter(|rest| !rest.is_empty() && !rest.trim_end_matches('/').contains('/'));
        Ok(entries
            .map(|rest| Entry {
                name: Ok(rest.trim_end_matches('/').to_owned()),
                kind: if rest.ends_with('/') { Kind::Folder } else { Kind::File },
            })
            .collect())
    }

    fn stat(&self, base: &str, path: &str) -> Result<Stat, Failure> {
        let kind = self.kind(&Self::at(base, path)).ok_or(Failure::Missing)?;
        Ok(Stat { kind, size: 3, mtime: 5 })
    }

    fn read(&self, base: &str, path: &str) -> Result<Vec<u8>, Failure> {
        let content = self.0.get(Self::at(base, path).as_str()).ok_or(Failure::Missing)?;
        Ok(content.ok_or(Failure::Denied)?.as_bytes().to_vec())
    }

    fn home(&self) -> Option<String> {
        Some("/disk".to_owned())
    }

    fn pause(&self) {}
}

#[derive(Default)]
struct RulesAlone(IgnoreRules);

impl Parsers for RulesAlone {
    fn extract(&mut self, _: &str, _: &[u8]) -> Result<FileFacts, String> {
        Err("nothing is parsed here".to_owned())
    }

    fn clear_rules(&mut self) -> Result<(), String> {
        self.0 = IgnoreRules::default();
        Ok(())
    }

    fn add_rules(&mut self, folder: &str, name: &str, content: &[u8]) -> Result<(), String> {
        self.0.add(folder, name, content);
        Ok(())
    }

    fn excluded(&mut self, paths: &[(String, bool)]) -> Result<Vec<bool>, String> {
        Ok(paths.iter().map(|(path, is_folder)| self.0.exclude(path, *is_folder)).collect())
    }
}

fn project() -> ProjectFiles<MadeDisk, RulesAlone> {
    let disk = MadeDisk(BTreeMap::from([
        ("/disk/", Some("")),
        ("/disk/shop/", Some("")),
        ("/disk/shop/.gitignore", Some("*.log\nbuild/\n")),
        ("/disk/shop/a.rs", Some("a")),
        ("/disk/shop/b.log", Some("b")),
        ("/disk/shop/build/", Some("")),
        ("/disk/shop/build/c.rs", Some("c")),
        ("/disk/shop/closed/", None),
        ("/disk/shop/closed/d.rs", Some("d")),
        ("/disk/shop/node_modules/", Some("")),
        ("/disk/shop/node_modules/e.js", Some("e")),
        ("/disk/shop/private.rs", None),
        ("/disk/shopping/", Some("")),
        ("/disk/shopping/f.rs", Some("f")),
    ]));
    ProjectFiles::below("/disk/shop", disk, RulesAlone::default())
}

/// Wants every file.
fn all(_: &str) -> bool {
    true
}

#[test]
fn a_folder_that_may_not_be_read_is_reported_and_the_others_are_walked() -> Result<()> {
    let walk = project().walk("/disk/shop", &all, 100).map_err(|reason| anyhow!(reason))?;
    let mut paths: Vec<&str> = walk.files.iter().map(|(path, _)| path.as_str()).collect();
    paths.sort_unstable();
    ensure!(paths == [".gitignore", "a.rs", "private.rs"], "{paths:?}");
    let reason = "you may not read it".to_owned();
    ensure!(walk.unreadable == [("closed".to_owned(), reason.clone())], "{:?}", walk.unreadable);
    ensure!(!walk.is_cut);
    ensure!(project().read("/disk/shop", "private.rs") == Found::Unreadable(reason));
    Ok(())
}

#[test]
fn a_walk_stops_at_the_limit_of_files() -> Result<()> {
    let cut = |limit| project().walk("/disk/shop", &all, limit).map(|walk| (walk.files.len(), walk.is_cut));
    ensure!(cut(2) == Ok((3, true)), "{:?}", cut(2));
    ensure!(cut(3) == Ok((3, false)), "{:?}", cut(3));
    Ok(())
}

#[test]
fn files_that_are_not_wanted_have_a_limit_of_their_own() -> Result<()> {
    let is_source = |path: &str| path.ends_with(".rs");
    let walk = project().walk("/disk/shop", &is_source, 2).map_err(|reason| anyhow!(reason))?;
    ensure!(walk.files.len() == 2 && !walk.is_cut, "{:?}", walk.files);
    let none = project().walk("/disk/shop", &|_| false, 0).map_err(|reason| anyhow!(reason))?;
    ensure!(none.files.is_empty() && none.is_cut, "{:?}", none.files);
    Ok(())
}

#[test]
fn folders_outside_of_the_root_are_refused_even_if_their_name_begins_like_it() -> Result<()> {
    let outside = project().project("/disk/shopping");
    ensure!(outside == Err(FolderProblem::Outside { root: "/disk/shop/".to_owned() }), "{outside:?}");
    ensure!(!project().reaches("/disk/shopping") && project().walk("/disk/shopping", &all, 100).is_err());
    ensure!(project().project("~/shop").map(|folder| folder.name) == Ok("shop".to_owned()));
    ensure!(project().project("a.rs") == Err(FolderProblem::NotAFolder));
    ensure!(project().project("none") == Err(FolderProblem::Missing));
    Ok(())
}

/// A repository with a linked work tree, both in a folder with rules that are none of theirs.
fn repository(root: &str) -> ProjectFiles<MadeDisk, RulesAlone> {
    let disk = MadeDisk(BTreeMap::from([
        ("/disk/", Some("")),
        ("/disk/.gitignore", Some("a.rs\n")),
        ("/disk/repo/", Some("")),
        ("/disk/repo/.git/", Some("")),
        ("/disk/repo/.git/info/", Some("")),
        ("/disk/repo/.git/info/exclude", Some("mine.rs\nkept.rs\n")),
        ("/disk/repo/.git/worktrees/", Some("")),
        ("/disk/repo/.git/worktrees/tree/", Some("")),
        ("/disk/repo/.git/worktrees/tree/commondir", Some("/disk/repo/.git\n")),
        ("/disk/repo/.gitignore", Some("*.log\n/shop/made/\n/made/\n!kept.rs\n")),
        ("/disk/repo/.memoryignore", Some("private/\n")),
        ("/disk/repo/shop/", Some("")),
        ("/disk/repo/shop/.gitignore", Some("!own.log\n/server/local.rs\n")),
        ("/disk/repo/shop/a.rs", Some("a")),
        ("/disk/repo/shop/b.log", Some("b")),
        ("/disk/repo/shop/kept.rs", Some("k")),
        ("/disk/repo/shop/made/", Some("")),
        ("/disk/repo/shop/made/c.rs", Some("c")),
        ("/disk/repo/shop/mine.rs", Some("m")),
        ("/disk/repo/shop/own.log", Some("o")),
        ("/disk/repo/shop/private/", Some("")),
        ("/disk/repo/shop/private/p.rs", Some("p")),
        ("/disk/repo/shop/server/", Some("")),
        ("/disk/repo/shop/server/d.log", Some("d")),
        ("/disk/repo/shop/server/e.rs", Some("e")),
        ("/disk/repo/shop/server/local.rs", Some("l")),
        ("/disk/repo/shop/server/made/", Some("")),
        ("/disk/repo/shop/server/made/f.rs", Some("f")),
        ("/disk/tree/", Some("")),
        ("/disk/tree/.git", Some("gitdir: /disk/repo/.git/worktrees/tree\n")),
        ("/disk/tree/shop/", Some("")),
        ("/disk/tree/shop/a.rs", Some("a")),
        ("/disk/tree/shop/b.log", Some("b")),
        ("/disk/tree/shop/mine.rs", Some("m")),
    ]));
    ProjectFiles::below(root, disk, RulesAlone::default())
}

#[test]
fn a_folder_of_a_repository_obeys_the_rules_above_it_up_to_the_top_of_the_work_tree() -> Result<()> {
    let cases: [(&str, &[&str]); 3] = [
        ("/disk/repo/shop", &[".gitignore", "a.rs", "kept.rs", "own.log", "server/e.rs", "server/made/f.rs"]),
        ("/disk/repo/shop/server", &["e.rs", "made/f.rs"]),
        ("/disk/tree/shop", &["a.rs", "b.log"]),
    ];
    for (root, expected) in cases {
        let mut files = repository(root);
        let walk = files.walk(root, &all, 100).map_err(|reason| anyhow!(reason))?;
        let mut paths: Vec<&str> = walk.files.iter().map(|(path, _)| path.as_str()).collect();
        paths.sort_unstable();
        ensure!(paths == expected, "{root}: {paths:?}");
        for path in paths {
            let state = files.path_state(root, path);
            ensure!(matches!(state, Ok(PathState::File(_))), "{root}/{path}: {state:?}");
        }
    }
    for (root, path) in [
        ("/disk/repo/shop", "b.log"),
        ("/disk/repo/shop", "mine.rs"),
        ("/disk/repo/shop", "made"),
        ("/disk/repo/shop", "private/p.rs"),
        ("/disk/repo/shop/server", "d.log"),
        ("/disk/repo/shop/server", "local.rs"),
        ("/disk/tree/shop", "mine.rs"),
    ] {
        let state = repository(root).path_state(root, path);
        ensure!(state == Ok(PathState::Excluded), "{root}/{path}: {state:?}");
    }
    Ok(())
}
