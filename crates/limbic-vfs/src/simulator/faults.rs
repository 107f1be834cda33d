//! The faults of the simulated machine, and which calls can have them.

/// A fault of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One call fails.
    Error,
    /// The next sync fails, and what it was to write is lost, although it can still be read.
    LostSync,
    /// The next call that creates or removes a name takes effect and reports a failure.
    LostAnswer,
    /// From this call on, nothing can grow, until [`Machine::mend`](super::Machine::mend).
    DiskFull,
    /// The process that makes this call dies before it takes effect.
    Kill,
    /// The power fails before this call takes effect: all processes die, unsynced writes may be lost.
    PowerFailure,
}

/// The rates of random faults: one in this many calls that can have the fault; 0 for never.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hazards {
    /// A call fails and has no effect.
    pub error: u64,
    /// A sync fails and loses its writes, as [`Fault::LostSync`].
    pub lost_sync: u64,
    /// A call takes effect and reports a failure, as [`Fault::LostAnswer`].
    pub lost_answer: u64,
    /// A call that needs space finds none.
    pub full: u64,
    /// The calling process dies.
    pub kill: u64,
    /// The power fails.
    pub power_failure: u64,
    /// The machine is suspended for up to two minutes, and its wall clock is set to another time.
    pub clock_jump: u64,
}

/// The kind of a call, which determines its possible faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Read,
    Write,
    Sync,
    /// Creates a file or folder, which needs space.
    Create,
    /// Creates another name of a file, which rarely needs space.
    Link,
    Remove,
}

/// Whether a call of this kind can have the fault.
pub(super) fn can_meet(call: Call, fault: Fault) -> bool {
    match fault {
        Fault::LostSync => call == Call::Sync,
        Fault::LostAnswer => matches!(call, Call::Create | Call::Link | Call::Remove),
        _ => true,
    }
}
