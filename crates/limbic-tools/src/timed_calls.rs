//! Calls within their limits: of time, and of what their client may change.

use limbic_core::{Result, db::IsAbandoned};

use crate::{
    Access, Limbic, Tool,
    call_limits::{CallLimits, TimeLimits},
};

impl Limbic {
    /// Limits the time of calls, and of each step of a call that reads a file. What a call does after its limit is
    /// rolled back, and it is answered with `timeout`. Each step of work between calls (the code index, the embedding
    /// queue, what calls deferred) has a limit, too, after which it fails with [`limbic_core::Error::Timeout`].
    /// Resources, prompts and exports have no limit.
    pub fn limit_time(&mut self, limits: TimeLimits) {
        self.call_limits.time = Some(limits);
    }

    /// Sets the function that returns whether the client of the following calls has disconnected or cancelled them;
    /// calls that only read are then stopped, if their time is limited.
    pub fn set_abandoned(&mut self, is_abandoned: Option<IsAbandoned>) {
        self.call_limits.is_abandoned = is_abandoned;
    }

    /// Runs `work` within the limits of a call of a tool: its time, and for a writing tool that a read-only client is
    /// offered, because some of its calls only read, that nothing is stored.
    ///
    /// # Arguments
    /// * `is_read` - whether the call only reads.
    /// * `file_bytes` - size of the file that it reads, if any.
    pub(crate) fn in_time<T>(
        &mut self,
        tool: &Tool,
        is_read: bool,
        file_bytes: Option<u64>,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let refuses_writes = self.options.read_only && tool.access != Access::Read;
        self.memory.database_mut().refuse_writes(refuses_writes);
        let result = self.in_time_of(tool, is_read, file_bytes, work);
        self.memory.database_mut().refuse_writes(false);
        result
    }

    fn in_time_of<T>(
        &mut self,
        tool: &Tool,
        is_read: bool,
        file_bytes: Option<u64>,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let CallLimits { time: Some(time), is_abandoned } = &self.call_limits else { return work(self) };
        let limit = time.of_call(tool, is_read, file_bytes, is_abandoned.clone());
        self.memory.database_mut().limit_call(Some(limit))?;
        let result = work(self);
        self.memory.database_mut().limit_call(None)?;
        result
    }

    /// Runs `work` between calls within the time limit of such work, if any.
    pub(crate) fn in_background_time<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.in_time_between_calls(true, work)
    }

    /// As [`Limbic::in_background_time`], for work that is lost if it is not done now.
    pub(crate) fn in_deferred_time<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.in_time_between_calls(false, work)
    }

    fn in_time_between_calls<T>(
        &mut self,
        is_repeated: bool,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let Some(time) = &self.call_limits.time else { return work(self) };
        let limit = time.of_background(is_repeated);
        self.memory.database_mut().limit_call(Some(limit))?;
        let result = work(self);
        self.memory.database_mut().limit_call(None)?;
        result
    }
}
