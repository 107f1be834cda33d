//! A folder as one source: its JSON files, those of its direct subfolders, and its Markdown files.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use limbic_tools::{FolderFile, Source};

use super::bounds::Bounds;
use super::file::FileSource;
use super::reasons::reason;

/// Maximum number of files: a folder with more is rejected.
const MAX_FILES: usize = 10_000;

/// Maximum number of visited entries, including those of other kinds.
const MAX_ENTRIES: usize = 200_000;

/// Maximum depth of Markdown files; JSON files are read from the folder and its direct subfolders.
const MAX_DEPTH: usize = 8;

/// A folder of packages, which holds the notes of other people.
const PACKAGES: &str = "node_modules";

/// A folder as listed.
pub struct FolderSource {
    path: PathBuf,
    bounds: Bounds,
    files: Vec<FolderFile>,
    /// The file read last.
    open: Option<(usize, FileSource)>,
}

impl FolderSource {
    /// Lists a folder; the error is a sentence. Files and folders outside of the bounds, behind links, are left out.
    pub fn list(path: &Path, bounds: Bounds) -> Result<Self, String> {
        let mut files = Vec::new();
        let (mut folders, mut seen) = (vec![(String::new(), 0)], 0);
        while let Some((folder, depth)) = folders.pop() {
            let listed = match entries(&path.join(&folder)) {
                // Unreadable subfolders are omitted.
                Err(_) if depth > 1 => continue,
                listed => listed?,
            };
            seen += listed.len();
            for (name, entry) in listed {
                if !bounds.include(&entry.path()) {
                    continue;
                }
                let inner = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                // Links to folders are followed in the first folder only: deeper ones may form cycles.
                let is_folder = if depth == 0 {
                    entry.path().is_dir()
                } else {
                    entry.file_type().is_ok_and(|kind| kind.is_dir())
                };
                if is_folder {
                    if depth < MAX_DEPTH && !name.starts_with('.') && name != PACKAGES {
                        folders.push((inner, depth + 1));
                    }
                } else {
                    files.extend(file_to_read(inner, depth, &entry)?);
                }
            }
            if files.len() > MAX_FILES || seen > MAX_ENTRIES {
                return Err(format!("it is a folder with over {MAX_FILES} JSON and Markdown files"));
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { path: path.to_owned(), bounds, files, open: None })
    }

    /// Returns the file at an offset, and the offset within it.
    fn locate(&self, offset: u64) -> Option<(usize, u64)> {
        let mut start = 0;
        for (number, file) in self.files.iter().enumerate() {
            if offset < start + file.size_bytes {
                return Some((number, offset - start));
            }
            start += file.size_bytes;
        }
        None
    }

    fn open(&mut self, number: usize) -> Result<&mut FileSource, String> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != number) {
            let path = &self.files[number].path;
            let file = FileSource::open(&self.path.join(path), self.bounds.clone())
                .map_err(|reason| format!("{path}: {reason}"))?;
            self.open = Some((number, file));
        }
        Ok(&mut self.open.as_mut().expect("it was opened above").1)
    }
}

impl Source for FolderSource {
    fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size_bytes).sum()
    }

    fn files(&self) -> Option<&[FolderFile]> {
        Some(&self.files)
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        let mut done = 0;
        while done < buffer.len() {
            let Some((number, at)) = self.locate(offset + u64::try_from(done).unwrap_or_default()) else {
                break;
            };
            let left = usize::try_from(self.files[number].size_bytes - at).unwrap_or(usize::MAX);
            let wanted = left.min(buffer.len() - done);
            let count = self.open(number)?.read_at(&mut buffer[done..done + wanted], at)?;
            done += count;
            if count < wanted {
                break;
            }
        }
        Ok(done)
    }
}

fn entries(folder: &Path) -> Result<Vec<(String, DirEntry)>, String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| reason(&error))? {
        let entry = entry.map_err(|error| reason(&error))?;
        // Names that are not UTF-8 are skipped.
        if let Ok(name) = entry.file_name().into_string() {
            found.push((name, entry));
        }
    }
    Ok(found)
}

fn file_to_read(path: String, depth: usize, entry: &DirEntry) -> Result<Option<FolderFile>, String> {
    let lower = path.to_lowercase();
    let is_markdown = lower.ends_with(".md") || lower.ends_with(".markdown");
    let is_json = depth <= 1 && path.ends_with(".json");
    if !is_markdown && !is_json {
        return Ok(None);
    }
    let found = match fs::metadata(entry.path()) {
        // Broken links are skipped.
        Err(error) if is_markdown && error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(|error| format!("{path}: {}", reason(&error)))?,
    };
    Ok(found.is_file().then_some(FolderFile { path, size_bytes: found.len() }))
}
