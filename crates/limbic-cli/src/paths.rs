//! Paths as people write them in settings that no shell reads: with `~`, `$HOME` or `%APPDATA%` at their beginning.

use std::env;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Result, bail};

/// What SQLite takes for a database that is gone with the process.
const IN_MEMORY: &str = ":memory:";

/// The absolute path of a database.
pub fn database(path: &Path, named: &str) -> Result<PathBuf> {
    if path.as_os_str() == IN_MEMORY {
        bail!("{named} needs a file: a memory in {IN_MEMORY} would be gone as soon as this program ends");
    }
    expanded(path, named)
}

/// The absolute path. `named` says in errors where it comes from.
pub fn expanded(path: &Path, named: &str) -> Result<PathBuf> {
    // What is no text is meant as it stands.
    let Some(text) = path.to_str() else { return Ok(absolute(path)?) };
    let (first, rest) = text.find(is_separator).map_or((text, ""), |end| text.split_at(end));
    let variable = first
        .strip_prefix("${")
        .and_then(|name| name.strip_suffix('}'))
        .or_else(|| first.strip_prefix('%').and_then(|name| name.strip_suffix('%')))
        .or_else(|| first.strip_prefix('$'))
        .filter(|name| is_name(name));
    let folder = match variable {
        None if first == "~" => home(named, text)?,
        None if first.starts_with('~') && !rest.is_empty() => bail!(
            "{named} begins with {first}, and only ~ alone is known, your home folder: give the whole path, not {text:?}"
        ),
        None => return Ok(absolute(path)?),
        Some("HOME") => home(named, text)?,
        Some(name) => match env::var(name).ok().filter(|value| !value.is_empty()) {
            Some(folder) => folder.into(),
            None => bail!("{named} begins with {first}, a variable that is not set here: {text:?}"),
        },
    };
    let rest = rest.trim_start_matches(is_separator);
    Ok(absolute(if rest.is_empty() { folder } else { folder.join(rest) })?)
}

fn home(named: &str, text: &str) -> Result<PathBuf> {
    match env::home_dir().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => Ok(folder),
        None => bail!("{named} begins with the home folder, and none is known: {text:?}"),
    }
}

fn is_separator(letter: char) -> bool {
    letter == '/' || (cfg!(windows) && letter == '\\')
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Result<PathBuf, String> {
        database(Path::new(text), "--db").map_err(|error| error.to_string())
    }

    #[test]
    fn a_home_folder_or_a_variable_may_stand_first() {
        let home = env::home_dir().expect("whoever runs tests has a home folder");
        for text in ["~/m.db", "$HOME/m.db", "${HOME}/m.db", "%HOME%/m.db", "~//m.db"] {
            assert_eq!(expand(text), Ok(home.join("m.db")), "{text}");
        }
        assert_eq!(expand("~"), Ok(home));
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("m.db");
        assert_eq!(expand("%CARGO_MANIFEST_DIR%/m.db"), Ok(manifest.clone()));
        assert_eq!(expand("$CARGO_MANIFEST_DIR/m.db"), Ok(manifest));
    }

    #[test]
    fn other_paths_are_made_absolute_and_nothing_more() {
        let here = env::current_dir().expect("there is a working folder");
        for text in ["m.db", "a~/$HOME/m.db", "~m.db", "100%/m.db", "$/m.db", "./~/m.db"] {
            assert_eq!(expand(text), absolute(here.join(text)).map_err(|error| error.to_string()), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (text, says) in [
            ("~ada/m.db", "only ~ alone is known"),
            ("$LIMBIC_TEST_NOWHERE/m.db", "begins with $LIMBIC_TEST_NOWHERE, a variable that is not set"),
            ("%LIMBIC_TEST_NOWHERE%/m.db", "a variable that is not set"),
            (":memory:", "would be gone"),
        ] {
            assert!(expand(text).is_err_and(|reason| reason.contains(says)), "{text}");
        }
    }
}
