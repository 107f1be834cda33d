//! Answers that reflect the current content of files.

use limbic_core::Result;

use crate::{
    context::Context,
    indexing::{self, Shown},
};

/// Maximum number of rounds; afterwards, results of files that keep changing are omitted.
const MAX_ROUNDS: usize = 6;

/// An answer and the files that it shows.
pub struct Draft<T> {
    /// The answer.
    pub answer: T,
    /// The files it shows.
    pub shown: Shown,
}

/// Reads files again that changed since they were indexed.
pub fn refresh(context: &mut Context<'_>, files: &Shown) -> Result<()> {
    if let Some(disk) = &mut context.code {
        indexing::refresh(context.memory, &mut **disk, files)?;
    }
    Ok(())
}

/// Creates an answer from the index whose files are current: if a file of the answer has changed on disk, it is read
/// again and the answer is created again. `make` must omit the files that are passed to it.
pub fn answer<T>(
    context: &mut Context<'_>,
    mut make: impl FnMut(&mut Context<'_>, &Shown) -> Result<Draft<T>>,
) -> Result<T> {
    let mut left_out = Shown::new();
    let is_read_only = context.memory.database().is_read_only();
    let mut rounds = 0;
    loop {
        let draft = make(context, &left_out)?;
        let Some(files) = &mut context.code else { return Ok(draft.answer) };
        let changed = indexing::refresh(context.memory, &mut **files, &draft.shown)?;
        if changed.is_empty() {
            return Ok(draft.answer);
        }
        if is_read_only || rounds >= MAX_ROUNDS {
            left_out.extend(changed);
        }
        rounds += 1;
    }
}
