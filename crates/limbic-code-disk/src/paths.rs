//! Paths of a disk, as `Disk::real_path` gives them.

/// Whether a character separates the names in a path of the disk.
pub fn is_separator(letter: char) -> bool {
    letter == '/' || (cfg!(windows) && letter == '\\')
}

/// The folder above a path; `None` for the disk itself.
pub fn above(path: &str) -> Option<&str> {
    let name = name_of(path)?;
    let end = path.trim_end_matches(is_separator).len() - name.len();
    let folder = path[..end].trim_end_matches(is_separator);
    Some(if folder.is_empty() { &path[..end] } else { folder }).filter(|folder| !folder.is_empty())
}

/// The path from a folder to a file below it, with `/` between names; empty for the folder itself. Both are real paths.
pub fn below(folder: &str, path: &str) -> Option<String> {
    let rest = path.strip_prefix(folder.trim_end_matches(is_separator))?;
    if !rest.is_empty() && !rest.starts_with(is_separator) {
        return None;
    }
    let rest = rest.trim_start_matches(is_separator);
    Some(if cfg!(windows) { rest.replace('\\', "/") } else { rest.to_owned() })
}

/// The last name of a path; none for the disk itself.
pub fn name_of(path: &str) -> Option<&str> {
    path.trim_end_matches(is_separator).rsplit(is_separator).next().filter(|name| !name.is_empty())
}
