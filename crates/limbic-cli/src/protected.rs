//! Files that an export never replaces: databases of Limbic, and their journals, locks, tokens and keys.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use limbic_core::db::ownership;

use limbic_memory::key;

/// Suffixes of files beside a database.
const BESIDE: [&str; 6] = ["-journal", "-wal", "-shm", "-locks", "-tokens", "-encrypting"];

/// The size of a page of an encrypted database, in bytes.
const PAGE_BYTES: u64 = 4096;

/// Maximum length of the text of a key, in bytes.
const MAX_KEY_BYTES: u64 = 4096;

/// Returns why no export of this database may be written here, or `None` if it may. `replaces_memory` allows it in the
/// place of another memory, but not of what lies beside one.
pub fn refusal(out: &Path, database: Option<&Path>, replaces_memory: bool) -> Option<String> {
    let place = resolved(out);
    let is_mine = |database: &Path| {
        is_same(&place, database)
            || BESIDE.iter().any(|suffix| is_same(&place, &with(database, suffix)))
            || owners(&place).iter().any(|owner| is_same(owner, database))
    };
    if database.is_some_and(is_mine) {
        return Some("the file belongs to the database that is exported: name another file".to_owned());
    }
    if is_key(&place) {
        return Some(
            "the file holds the key of a database, which would be lost: name another file".to_owned(),
        );
    }
    let is_taken =
        (!replaces_memory && is_memory(&place)) || owners(&place).iter().any(|owner| is_memory(owner));
    is_taken.then(|| "the file belongs to a Limbic memory, which would be lost: name another file".to_owned())
}

/// Whether a file holds the key or the passphrase of a database: the environment names it, it is the next key or a
/// former one of the key file, or it has the form of a key.
fn is_key(place: &Path) -> bool {
    let is_passphrase = key::passphrase::files_of_environment().iter().any(|file| is_same(place, file));
    let is_of_file = key::source::file_of_environment().is_some_and(|file| {
        let rest = |suffix: &str| with(&file, suffix).to_string_lossy().into_owned();
        let name = place.to_string_lossy();
        is_same(place, &file)
            || name == rest(key::key_file::NEXT)
            || name.starts_with(&rest(key::key_file::OLD))
    });
    is_passphrase || is_of_file || has_key(place)
}

/// Whether the content of a file is the text of a key.
fn has_key(path: &Path) -> bool {
    let mut text = String::new();
    path.is_file()
        && File::open(path).and_then(|file| file.take(MAX_KEY_BYTES).read_to_string(&mut text)).is_ok()
        && limbic_encryption::key_of(&text).is_ok()
}

/// Returns the databases to which a file of this name, or in a folder of this name, would belong.
fn owners(place: &Path) -> Vec<PathBuf> {
    let folder = place.parent().into_iter();
    let stems = std::iter::once(place).chain(folder).flat_map(|path| {
        BESIDE.iter().filter_map(|suffix| {
            let name = path.file_name()?.to_str()?;
            let start = name.len().checked_sub(suffix.len())?;
            // File systems may ignore case.
            let is_beside = name.get(start..)?.eq_ignore_ascii_case(suffix);
            is_beside.then(|| path.with_file_name(&name[..start]))
        })
    });
    stems.collect()
}

/// Whether both are the same file, through links of both kinds, and ignoring case where the file system does.
fn is_same(left: &Path, right: &Path) -> bool {
    same_file::is_same_file(left, right).unwrap_or_else(|_| resolved(left) == resolved(right))
}

/// Resolves links; the last component need not exist.
fn resolved(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = resolved(path).into_os_string();
    name.push(suffix);
    name.into()
}

/// Whether a file is the database of a memory, which may be encrypted.
pub fn is_memory(path: &Path) -> bool {
    let mut head = Vec::new();
    let wanted = u64::try_from(ownership::HEADER_BYTES).unwrap_or(u64::MAX);
    path.is_file()
        && File::open(path).and_then(|file| file.take(wanted).read_to_end(&mut head)).is_ok()
        && (ownership::is_ours(&head) || is_encrypted(path, &head))
}

/// Whether a file may be an encrypted database: it has whole pages without SQLite's header, and a journal or a first
/// page that looks random.
fn is_encrypted(path: &Path, head: &[u8]) -> bool {
    let size = fs::metadata(path).map_or(0, |found| found.len());
    let has_pages = size > 0 && size.is_multiple_of(PAGE_BYTES) && !head.starts_with(b"SQLite format 3\0");
    let looks_random = || File::open(path).is_ok_and(|file| ownership::seems_encrypted(file, size));
    has_pages && (with(path, "-journal").is_file() || looks_random())
}
