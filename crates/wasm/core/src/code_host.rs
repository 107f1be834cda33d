//! Projects on disk as JavaScript passes them in: raw access to files, and the module that parses them.

use limbic_code::FileFacts;
use limbic_code_disk::{Disk, Entry, Failure, Kind, Parsers, ProjectFiles, Stat};
use limbic_protocol::from_bytes;
use limbic_tools::StaticVectors;
use wasm_bindgen::prelude::*;

use crate::file_host::whole;
use crate::source::text_of;

#[wasm_bindgen]
extern "C" {
    /// Synchronous access to source code; see `CodeHost` in `node/src/core/code-host.ts`.
    #[derive(Clone)]
    pub type CodeHost;

    #[wasm_bindgen(method, structural, catch, js_name = realPath)]
    fn real_path(this: &CodeHost, base: &str, path: &str) -> Result<String, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn list(this: &CodeHost, base: &str, folder: &str) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn stat(this: &CodeHost, base: &str, path: &str) -> Result<CodeStat, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn read(this: &CodeHost, base: &str, path: &str) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural)]
    fn home(this: &CodeHost) -> Option<String>;
    #[wasm_bindgen(method, structural)]
    fn pause(this: &CodeHost);
    #[wasm_bindgen(method, structural, catch)]
    fn extract(this: &CodeHost, path: &str, content: &[u8]) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural)]
    fn prepares(this: &CodeHost) -> bool;
    #[wasm_bindgen(method, structural)]
    fn prepare(this: &CodeHost, paths: &str, lengths: &[u32], contents: &[u8]);
    #[wasm_bindgen(method, structural, catch, js_name = clearRules)]
    fn clear_rules(this: &CodeHost) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = addRules)]
    fn add_rules(this: &CodeHost, folder: &str, name: &str, content: &[u8]) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn excluded(this: &CodeHost, paths: &str) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn subwords(this: &CodeHost) -> Result<Option<Vec<u8>>, JsValue>;

    type CodeStat;
    #[wasm_bindgen(method, structural, getter)]
    fn kind(this: &CodeStat) -> String;
    #[wasm_bindgen(method, structural, getter)]
    fn size(this: &CodeStat) -> f64;
    #[wasm_bindgen(method, structural, getter)]
    fn mtime(this: &CodeStat) -> i64;

    type CodeHostError;
    #[wasm_bindgen(method, structural, getter)]
    fn kind(this: &CodeHostError) -> Option<String>;
}

/// The folders below a root, over such a host.
pub type HostedFiles = ProjectFiles<CodeDisk, CodeParsers>;

/// Creates access to the folders below `root`.
pub fn below(root: &str, host: CodeHost) -> HostedFiles {
    let table = host.clone();
    let static_vectors = StaticVectors::new(move || table.subwords().map_err(|thrown| text_of(&thrown)));
    ProjectFiles::below(root, CodeDisk(host.clone()), CodeParsers(host)).with_static_vectors(static_vectors)
}

/// The host's disk.
pub struct CodeDisk(CodeHost);

/// The host's module.
pub struct CodeParsers(CodeHost);

impl Disk for CodeDisk {
    fn real_path(&self, base: &str, path: &str) -> Result<String, Failure> {
        self.0.real_path(base, path).map_err(failure)
    }

    fn list(&self, base: &str, folder: &str) -> Result<Vec<Entry>, Failure> {
        let bytes = self.0.list(base, folder).map_err(failure)?;
        let entries = bytes.strip_suffix(b"\0").map(|bytes| bytes.split(|byte| *byte == 0));
        let entry = |bytes: &[u8]| {
            let (kind, name) = bytes.split_first()?;
            let name = String::from_utf8(name.to_vec());
            let name = name.map_err(|name| String::from_utf8_lossy(name.as_bytes()).into_owned());
            Some(Entry { name, kind: kind_of(char::from(*kind)) })
        };
        Ok(entries.into_iter().flatten().filter_map(entry).collect())
    }

    fn stat(&self, base: &str, path: &str) -> Result<Stat, Failure> {
        let found = self.0.stat(base, path).map_err(failure)?;
        let kind = found.kind().chars().next().map_or(Kind::Other, kind_of);
        Ok(Stat { kind, size: whole(found.size()), mtime: found.mtime() })
    }

    fn read(&self, base: &str, path: &str) -> Result<Vec<u8>, Failure> {
        self.0.read(base, path).map_err(failure)
    }

    fn home(&self) -> Option<String> {
        self.0.home()
    }

    fn pause(&self) {
        self.0.pause();
    }
}

impl Parsers for CodeParsers {
    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String> {
        let facts = self.0.extract(path, bytes).map_err(|thrown| text_of(&thrown))?;
        let facts: Vec<FileFacts> = from_bytes(&facts).map_err(|error| error.to_string())?;
        facts.into_iter().next().ok_or_else(|| "the parser gave no facts".to_owned())
    }

    fn prepares(&self) -> bool {
        self.0.prepares()
    }

    fn prepare(&mut self, files: Vec<(String, Vec<u8>)>) {
        let paths: String = files.iter().map(|(path, _)| format!("{path}\0")).collect();
        // A file that is extracted has a megabyte at most.
        let lengths: Vec<u32> =
            files.iter().map(|(_, bytes)| u32::try_from(bytes.len()).unwrap_or_default()).collect();
        let contents = files.iter().map(|(_, bytes)| bytes.as_slice()).collect::<Vec<_>>().concat();
        self.0.prepare(&paths, &lengths, &contents);
    }

    fn clear_rules(&mut self) -> Result<(), String> {
        self.0.clear_rules().map_err(|thrown| text_of(&thrown))
    }

    fn add_rules(&mut self, folder: &str, name: &str, content: &[u8]) -> Result<(), String> {
        self.0.add_rules(folder, name, content).map_err(|thrown| text_of(&thrown))
    }

    fn excluded(&mut self, paths: &[(String, bool)]) -> Result<Vec<bool>, String> {
        let text: String = paths
            .iter()
            .map(|(path, is_folder)| format!("{path}{}\0", if *is_folder { "/" } else { "" }))
            .collect();
        let decisions = self.0.excluded(&text).map_err(|thrown| text_of(&thrown))?;
        match decisions.len() == paths.len() {
            true => Ok(decisions.into_iter().map(|decision| decision != 0).collect()),
            false => Err("the ignore rules did not decide about every path".to_owned()),
        }
    }
}

/// Converts the letter of a kind: `f` is a file, `d` a folder (directory), `l` a link, anything else none of them.
fn kind_of(letter: char) -> Kind {
    match letter {
        'f' => Kind::File,
        'd' => Kind::Folder,
        'l' => Kind::Link,
        _ => Kind::Other,
    }
}

fn failure(thrown: JsValue) -> Failure {
    let reason = text_of(&thrown);
    if thrown.is_null() || thrown.is_undefined() {
        return Failure::Other(reason);
    }
    match thrown.unchecked_into::<CodeHostError>().kind().as_deref() {
        Some("missing") => Failure::Missing,
        Some("denied") => Failure::Denied,
        Some("link-circle") => Failure::LinkCircle,
        Some("name-too-long") => Failure::NameTooLong,
        Some("not-unicode") => Failure::NotUnicode,
        _ => Failure::Other(reason),
    }
}
