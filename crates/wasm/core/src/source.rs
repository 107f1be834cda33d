//! Files and folders to import, which JavaScript passes in as objects: the core reads them in chunks, by their methods.

use js_sys::{Array, Function, Reflect};
use limbic_tools::{FolderFile, Neighbour, Source};
use wasm_bindgen::prelude::*;

use crate::file_host::{number, whole};

#[wasm_bindgen]
extern "C" {
    /// `{ readonly size: number; readonly files?: { path: string; size: number }[]; readAt(buffer: Uint8Array, offset:
    /// number): number }`: fills the buffer, returns the number of bytes read, and throws if the file cannot be read.
    /// `files` are those of a folder. `sidecar?(suffix: string)` returns the file whose name is this one's with a
    /// suffix, in the same form, or nothing if it does not exist; without this method it is unknown whether it exists.
    pub type JsSource;

    #[wasm_bindgen(method, structural, getter)]
    fn size(this: &JsSource) -> f64;
    #[wasm_bindgen(method, structural, getter)]
    fn files(this: &JsSource) -> Option<Array>;
    #[wasm_bindgen(method, structural, catch, js_name = readAt)]
    fn read_at(this: &JsSource, buffer: &mut [u8], offset: f64) -> Result<f64, JsValue>;

    type JsFile;
    #[wasm_bindgen(method, structural, getter)]
    fn path(this: &JsFile) -> String;
    #[wasm_bindgen(method, structural, getter)]
    fn size(this: &JsFile) -> f64;

    type Thrown;
    #[wasm_bindgen(method, structural, getter)]
    fn message(this: &Thrown) -> Option<String>;
}

/// A file of JavaScript with the interface of the core.
pub struct FileSource {
    source: JsSource,
    size_bytes: u64,
    files: Option<Vec<FolderFile>>,
}

impl FileSource {
    /// Wraps the object of the shell.
    pub fn new(source: JsSource) -> Self {
        let size_bytes = whole(source.size());
        let files = source.files().map(|files| {
            let file = |file: JsValue| {
                let file = file.unchecked_ref::<JsFile>();
                FolderFile { path: file.path(), size_bytes: whole(file.size()) }
            };
            files.iter().map(file).collect()
        });
        Self { source, size_bytes, files }
    }
}

impl Source for FileSource {
    fn size(&self) -> u64 {
        self.size_bytes
    }

    fn files(&self) -> Option<&[FolderFile]> {
        self.files.as_deref()
    }

    fn sidecar(&mut self, suffix: &str) -> Result<Neighbour, String> {
        let source: &JsValue = self.source.as_ref();
        let method = Reflect::get(source, &"sidecar".into()).map_err(|thrown| text_of(&thrown))?;
        let Some(method) = method.dyn_ref::<Function>() else { return Ok(Neighbour::Unknown) };
        let found = method.call1(source, &suffix.into()).map_err(|thrown| text_of(&thrown))?;
        Ok(match found.is_null() || found.is_undefined() {
            true => Neighbour::Nothing,
            false => Neighbour::File(Box::new(Self::new(found.unchecked_into()))),
        })
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        let wanted = buffer.len();
        let count = self.source.read_at(buffer, number(offset)).map_err(|thrown| text_of(&thrown))?;
        usize::try_from(whole(count))
            .ok()
            .filter(|count| *count <= wanted)
            .ok_or_else(|| "it was read wrongly".to_owned())
    }
}

/// Returns the message of a thrown value.
pub fn text_of(thrown: &JsValue) -> String {
    if thrown.is_null() || thrown.is_undefined() {
        return "no reason was given".to_owned();
    }
    thrown.unchecked_ref::<Thrown>().message().unwrap_or_else(|| "no reason was given".to_owned())
}
