//! The functions of `limbic-code` that not every shell has in its own process.

use limbic_code::FileFacts;

/// Extraction of facts, and ignore rules: those of `limbic-code`, or of a module that a shell loads.
pub trait Parsers {
    /// Extracts the facts of a file.
    ///
    /// # Errors
    /// A sentence that says why it cannot be parsed.
    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String>;

    /// Whether [`Parsers::prepare`] does anything.
    fn prepares(&self) -> bool {
        false
    }

    /// Takes paths and contents of files that are extracted soon; see `CodeFiles::prepare`.
    fn prepare(&mut self, files: Vec<(String, Vec<u8>)>) {
        drop(files);
    }

    /// Forgets all ignore rules.
    ///
    /// # Errors
    /// When the module cannot be loaded, as for the following.
    fn clear_rules(&mut self) -> Result<(), String>;

    /// Adds the content of the ignore file of this name, if it is one; see `limbic_code::IgnoreRules::add`.
    ///
    /// # Errors
    /// When the module fails.
    fn add_rules(&mut self, folder: &str, name: &str, content: &[u8]) -> Result<(), String>;

    /// Returns for each path, and whether it is a folder, whether ignore rules exclude it.
    ///
    /// # Errors
    /// When the module fails.
    fn excluded(&mut self, paths: &[(String, bool)]) -> Result<Vec<bool>, String>;
}
