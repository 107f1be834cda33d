//! The host of JavaScript: an object with synchronous methods (`node/src/file-host.ts`).

use limbic_vfs::{
    BeaconState, FileSystem, Held, Host, HostError, HostFile, Identity, Inode, OpenMode, ProcessState, Stat,
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Synchronous byte files; see `FileHost` in `node/src/file-host.ts`.
    #[derive(Clone)]
    pub type FileHost;

    #[wasm_bindgen(method, structural, catch)]
    fn open(this: &FileHost, path: &str, mode: &str) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn close(this: &FileHost, file: f64) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = readAt)]
    fn read_at(this: &FileHost, file: f64, buffer: &mut [u8], offset: f64) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = writeAt)]
    fn write_at(this: &FileHost, file: f64, bytes: &[u8], offset: f64) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn truncate(this: &FileHost, file: f64, size: f64) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn sync(this: &FileHost, file: f64) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = statOpen)]
    fn stat_open(this: &FileHost, file: f64) -> Result<FileStat, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn size(this: &FileHost, file: f64) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn stat(this: &FileHost, path: &str) -> Result<Option<FileStat>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn may(this: &FileHost, path: &str, write: bool) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn delete(this: &FileHost, path: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = realPath)]
    fn real_path(this: &FileHost, path: &str) -> Result<String, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = syncFolder)]
    fn sync_folder(this: &FileHost, path: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = createFolder)]
    fn create_folder(this: &FileHost, path: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = deleteFolder)]
    fn delete_folder(this: &FileHost, path: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn list(this: &FileHost, path: &str) -> Result<Vec<String>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn create(this: &FileHost, path: &str, content: &[u8]) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn link(this: &FileHost, from: &str, to: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn rename(this: &FileHost, from: &str, to: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = copyOwner)]
    fn copy_owner(this: &FileHost, from: &str, to: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn read(this: &FileHost, path: &str) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, js_name = sleepMicros)]
    fn sleep_micros(this: &FileHost, micros: f64);
    #[wasm_bindgen(method, structural, catch, js_name = holdBeacon)]
    fn hold_beacon(this: &FileHost, path: &str) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, structural)]
    fn beacon(this: &FileHost, path: &str) -> String;
    #[wasm_bindgen(method, structural, js_name = fileSystem)]
    fn file_system(this: &FileHost, path: &str) -> JsValue;
    #[wasm_bindgen(method, structural, js_name = nowMillis)]
    fn now_millis(this: &FileHost) -> f64;
    #[wasm_bindgen(method, structural, js_name = monotonicMillis)]
    fn monotonic_millis(this: &FileHost) -> f64;
    #[wasm_bindgen(method, structural, js_name = fillRandom)]
    fn fill_random(this: &FileHost, buffer: &mut [u8]);
    #[wasm_bindgen(method, structural)]
    fn identity(this: &FileHost) -> FileHostIdentity;
    #[wasm_bindgen(method, structural, js_name = processStart)]
    fn process_start(this: &FileHost, pid: u32, thorough: bool) -> Option<String>;
    #[wasm_bindgen(method, structural, js_name = instanceEnded)]
    fn instance_ended(this: &FileHost, instance: &str) -> bool;

    type FileStat;
    #[wasm_bindgen(method, structural, getter)]
    fn size(this: &FileStat) -> f64;
    #[wasm_bindgen(method, structural, getter, js_name = isFile)]
    fn is_file(this: &FileStat) -> bool;
    #[wasm_bindgen(method, structural, getter, js_name = changedMillis)]
    fn changed_millis(this: &FileStat) -> f64;
    #[wasm_bindgen(method, structural, getter)]
    fn inode(this: &FileStat) -> f64;
    #[wasm_bindgen(method, structural, getter, js_name = createdMillis)]
    fn created_millis(this: &FileStat) -> f64;
    #[wasm_bindgen(method, structural, getter)]
    fn device(this: &FileStat) -> f64;
    #[wasm_bindgen(method, structural, getter)]
    fn links(this: &FileStat) -> f64;

    type FileHostIdentity;
    #[wasm_bindgen(method, structural, getter)]
    fn pid(this: &FileHostIdentity) -> u32;
    #[wasm_bindgen(method, structural, getter)]
    fn start(this: &FileHostIdentity) -> String;
    #[wasm_bindgen(method, structural, getter)]
    fn machine(this: &FileHostIdentity) -> String;
    #[wasm_bindgen(method, structural, getter)]
    fn boot(this: &FileHostIdentity) -> String;
    #[wasm_bindgen(method, structural, getter)]
    fn space(this: &FileHostIdentity) -> String;
    #[wasm_bindgen(method, structural, getter)]
    fn instance(this: &FileHostIdentity) -> String;

    type FileHostError;
    #[wasm_bindgen(method, structural, getter)]
    fn kind(this: &FileHostError) -> Option<String>;
    #[wasm_bindgen(method, structural, getter)]
    fn message(this: &FileHostError) -> Option<String>;
}

/// The JavaScript host with the interfaces of `limbic_vfs` and the core.
///
/// [`limbic_vfs::Host`] requires `Send` and `Sync`. `wasm_bindgen` implements both for JavaScript's objects only if the
/// target has no threads (the target feature `atomics`), so that a build with threads does not compile: an object of
/// one worker does not exist in another.
#[derive(Clone)]
pub struct JsHost(FileHost);

/// Fails to compile if the host could reach another thread.
const _: () = {
    assert!(!cfg!(target_feature = "atomics"), "a JavaScript host belongs to one thread");
    const fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<JsHost>();
};

impl JsHost {
    /// Wraps the object of the shell.
    pub fn new(host: FileHost) -> JsHost {
        JsHost(host)
    }
}

impl limbic_core::Host for JsHost {
    fn now_millis(&self) -> i64 {
        Host::now_millis(self)
    }

    fn stopwatch(&self) -> Option<fn() -> i64> {
        Some(crate::browser_host::now_millis)
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.0.fill_random(buffer);
    }
}

impl Host for JsHost {
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError> {
        let mode = match mode {
            OpenMode::Read => "read",
            OpenMode::Write => "write",
            OpenMode::Create => "create",
            OpenMode::CreateNew => "create-new",
        };
        let file = self.0.open(path, mode).map_err(host_error)?;
        Ok(Box::new(JsFile { host: self.clone(), file }))
    }

    fn stat(&self, path: &str) -> Result<Option<Stat>, HostError> {
        let found = self.0.stat(path).map_err(host_error)?;
        Ok(found.map(|found| Stat {
            size: whole(found.size()),
            is_file: found.is_file(),
            changed_millis: found.changed_millis(),
            id: found.inode().to_bits() ^ found.created_millis().to_bits().rotate_left(17),
            inode: inode(&found),
            links: whole(found.links()),
        }))
    }

    fn may(&self, path: &str, write: bool) -> Result<bool, HostError> {
        self.0.may(path, write).map_err(host_error)
    }

    fn delete(&self, path: &str) -> Result<(), HostError> {
        self.0.delete(path).map_err(host_error)
    }

    fn real_path(&self, path: &str) -> Result<String, HostError> {
        self.0.real_path(path).map_err(host_error)
    }

    fn sync_folder(&self, path: &str) -> Result<(), HostError> {
        self.0.sync_folder(path).map_err(host_error)
    }

    fn create_folder(&self, path: &str) -> Result<(), HostError> {
        self.0.create_folder(path).map_err(host_error)
    }

    fn delete_folder(&self, path: &str) -> Result<(), HostError> {
        self.0.delete_folder(path).map_err(host_error)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.0.list(path).map_err(host_error)
    }

    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        self.0.create(path, content).map_err(host_error)
    }

    fn link(&self, from: &str, to: &str) -> Result<(), HostError> {
        self.0.link(from, to).map_err(host_error)
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), HostError> {
        self.0.rename(from, to).map_err(host_error)
    }

    fn copy_owner(&self, from: &str, to: &str) -> Result<(), HostError> {
        self.0.copy_owner(from, to).map_err(host_error)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.0.read(path).map_err(host_error)
    }

    fn hold_beacon(&self, path: &str) -> Result<Box<dyn Held>, HostError> {
        let file = self.0.hold_beacon(path).map_err(host_error)?;
        Ok(Box::new(JsFile { host: self.clone(), file }))
    }

    fn beacon(&self, path: &str) -> BeaconState {
        match self.0.beacon(path).as_str() {
            "held" => BeaconState::Held,
            "released" => BeaconState::Released,
            _ => BeaconState::Unknown,
        }
    }

    fn file_system(&self, path: &str) -> Option<FileSystem> {
        let found = self.0.file_system(path);
        match found.as_f64() {
            Some(number) => Some(FileSystem::Number(whole(number))),
            None => found.as_string().map(FileSystem::Name),
        }
    }

    fn sleep_micros(&self, micros: u64) {
        self.0.sleep_micros(number(micros));
    }

    fn now_millis(&self) -> i64 {
        i64::try_from(whole(self.0.now_millis())).unwrap_or(i64::MAX)
    }

    fn monotonic_millis(&self) -> f64 {
        self.0.monotonic_millis()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.0.fill_random(buffer);
    }

    fn identity(&self) -> Identity {
        let identity = self.0.identity();
        Identity {
            pid: identity.pid(),
            start: identity.start(),
            machine: identity.machine(),
            boot: identity.boot(),
            space: identity.space(),
            instance: identity.instance(),
        }
    }

    fn process(&self, pid: u32, thorough: bool) -> ProcessState {
        match self.0.process_start(pid, thorough) {
            Some(start) if start.is_empty() => ProcessState::Gone,
            Some(start) => ProcessState::Running(start),
            None => ProcessState::Unknown,
        }
    }

    fn instance_ended(&self, instance: &str) -> bool {
        self.0.instance_ended(instance)
    }
}

struct JsFile {
    host: JsHost,
    file: f64,
}

impl HostFile for JsFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        let count = self.host.0.read_at(self.file, buffer, number(offset)).map_err(host_error)?;
        usize::try_from(whole(count)).map_err(|_| HostError::Io("the host read too much".to_owned()))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        self.host.0.write_at(self.file, bytes, number(offset)).map_err(host_error)
    }

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        self.host.0.truncate(self.file, number(size_bytes)).map_err(host_error)
    }

    fn sync(&self) -> Result<(), HostError> {
        self.host.0.sync(self.file).map_err(host_error)
    }

    fn size(&self) -> Result<u64, HostError> {
        Ok(whole(FileHost::size(&self.host.0, self.file).map_err(host_error)?))
    }

    fn inode(&self) -> Result<Inode, HostError> {
        Ok(inode(&self.host.0.stat_open(self.file).map_err(host_error)?))
    }
}

impl Drop for JsFile {
    fn drop(&mut self) {
        // If closing fails, the file is closed with the process.
        let _ = self.host.0.close(self.file);
    }
}

/// Numbers above 2^53 lose their last digits, the same ones each time.
fn inode(found: &FileStat) -> Inode {
    Inode { device: whole(found.device()), number: whole(found.inode()) }
}

fn host_error(thrown: JsValue) -> HostError {
    let error: FileHostError = thrown.unchecked_into();
    if error.is_null() || error.is_undefined() {
        return HostError::Io("the host threw nothing".to_owned());
    }
    match error.kind().as_deref() {
        Some("not-found") => HostError::NotFound,
        Some("denied") => HostError::Denied,
        Some("is-folder") => HostError::IsDirectory,
        Some("full") => HostError::Full,
        Some("exists") => HostError::Exists,
        Some("unsupported") => HostError::Unsupported,
        _ => HostError::Io(error.message().unwrap_or_else(|| "the host failed".to_owned())),
    }
}

/// Converts a file position to a JavaScript number; exact up to 2^53.
pub fn number(value: u64) -> f64 {
    const HALF: f64 = 4_294_967_296.0;
    let high = u32::try_from(value >> 32).expect("32 bits are left");
    let low = u32::try_from(value & u64::from(u32::MAX)).expect("32 bits are left");
    f64::from(high) * HALF + f64::from(low)
}

/// Converts a size or time of JavaScript; a value that is not a number is zero.
pub fn whole(value: f64) -> u64 {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the conversion saturates, and what is meant are whole numbers below 2^53"
    )]
    let whole = value as u64;
    whole
}
