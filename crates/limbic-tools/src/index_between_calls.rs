//! What shells do for the code index between calls.

use limbic_core::{Error, Result};

use crate::{
    IndexStep, Limbic, indexing,
    watching::{self, WatchedProject},
};

impl Limbic {
    /// Does the next step of indexing source code. Shells call it when they are idle, until it returns something other
    /// than [`IndexStep::Worked`].
    ///
    /// # Errors
    /// [`Error::Timeout`] if the step takes too long; it has stored nothing then.
    pub fn index_step(&mut self) -> Result<IndexStep> {
        self.finish_first();
        let stepped = self.in_background_time(|limbic| match &mut limbic.code {
            Some(files) if !limbic.memory.database().is_read_only() => {
                indexing::step(&mut limbic.memory, files.as_mut(), limbic.server, None)
            }
            _ => Ok(IndexStep::Idle),
        });
        self.indexing_problem = stepped.as_ref().err().map(Error::cause);
        stepped
    }

    /// Returns the folders that the shell is to watch for watched projects, unless they are those that it returned
    /// last. A shell asks when [`Limbic::index_step`] has nothing left to do, and then watches exactly these.
    pub fn watched_folders(&mut self) -> Result<Option<Vec<WatchedProject>>> {
        self.in_background_time(|limbic| match &limbic.code {
            Some(files) if !limbic.memory.database().is_read_only() => {
                watching::folders(&mut limbic.memory, files.as_ref(), &mut limbic.watch)
            }
            _ => Ok(None),
        })
    }

    /// Prepares the index for changes at these paths below the folder `root` of a watched project, or anywhere in it if
    /// there are none; [`Limbic::index_step`] then reads what has changed. A call that [`Limbic::reads_code`] reads a
    /// few changed files itself: a shell reports what it knows of before such a call. It waits only briefly for other
    /// processes; after an error a shell reports the changes again.
    pub fn files_changed(&mut self, root: &str, paths: &[String]) -> Result<()> {
        self.finish_first();
        self.in_background_time(|limbic| match &mut limbic.code {
            Some(files) if !limbic.memory.database().is_read_only() => {
                // A call may wait for this, and the shell reports it again.
                let swept =
                    limbic.memory.briefly(|memory| watching::changed(memory, files.as_mut(), root, paths))?;
                swept.into_iter().for_each(|project| limbic.comparisons.expect(project));
                Ok(())
            }
            _ => Ok(()),
        })
    }
}
