//! sqlite-vec, the extension behind the vector tables: like the VFS, it is handed to SQLite as raw pointers.

use std::sync::Once;

use sqlite_vec::sqlite3_vec_init;

/// Enables `vec0` tables in every connection that this process opens from here on.
#[allow(unsafe_code, reason = "SQLite takes an extension as a raw pointer to its entry point")]
pub fn register_vec0() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the C function has the signature of an extension's entry point; its crate declares it without
        // arguments. SQLite keeps the pointer for as long as the process runs, and so does the function stay.
        let registered = unsafe {
            let entry = std::mem::transmute::<*const (), rusqlite::auto_extension::RawAutoExtension>(
                sqlite3_vec_init as *const (),
            );
            rusqlite::auto_extension::register_auto_extension(entry)
        };
        registered.expect("SQLite has room for one more extension");
    });
}
