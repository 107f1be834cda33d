//! Attempts to connect to a silent store on a thread of its own, so that calls need not wait for them: a server answers them
//! one after the other.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{connection::Connection, failure::Failure, interrupt};
use crate::{
    address::Address,
    outage::{Need, Outage},
};

/// Begins to try until the store answers, unless attempts fail at once.
pub fn begin(address: &Address) {
    if !address.outage.begin_probe(Instant::now()) {
        return;
    }
    let ends = EndsProbe(address.outage.clone());
    let address = address.clone();
    // Without a thread, the next call tries.
    drop(thread::Builder::new().name("probe".to_owned()).spawn(move || {
        let _ends = ends;
        while let Some(rest) = attempt(&address) {
            thread::sleep(rest);
        }
    }));
}

/// Ends the probe, also after a panic.
struct EndsProbe(Outage);

impl Drop for EndsProbe {
    fn drop(&mut self) {
        self.0.end_probe();
    }
}

/// Tries once. Returns the time until the next attempt, if there is to be one.
fn attempt(address: &Address) -> Option<Duration> {
    let begun = Instant::now();
    match Connection::open(address, address.login_limit()) {
        Err(Failure::Broken(why)) => {
            let now = Instant::now();
            address.outage.note_failure(Need::Lookup, begun, now, &why);
            address.outage.probe_rest(begun, now).filter(|_| !interrupt::is_requested())
        }
        Ok(_) => {
            address.outage.note_success();
            None
        }
        // It answers. The next call learns why it cannot be used.
        Err(_) => None,
    }
}
