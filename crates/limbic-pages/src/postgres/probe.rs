//! Attempts to connect to a silent store on a thread of its own, so that calls need not wait for them: a server answers
//! them one after the other.

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

#[cfg(test)]
mod tests {
    use std::{
        net::{Ipv4Addr, TcpListener},
        sync::mpsc::channel,
    };

    use super::*;

    /// After this time a call counts as waiting for the probe.
    const HUNG: Duration = Duration::from_secs(60);

    #[test]
    fn calls_fail_at_once_while_an_attempt_waits_for_a_silent_server() {
        let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = silent.local_addr().expect("it is bound").port();
        // An attempt waits for ten minutes.
        let url = format!("postgres://ada:secret@127.0.0.1:{port}/team?connect_timeout=600&sslmode=disable");
        let address = Address::parse(&url, &|_| None).expect("the URL is valid");
        let start = Instant::now();
        address.outage.note_failure(Need::Lookup, start, start + address.patience(), "silent");
        let (sender, has_begun) = channel();
        let of_call = address.clone();
        // The first call begins the probe; a second one finds it.
        thread::spawn(move || {
            (0..2).try_for_each(|_| {
                begin(&of_call);
                sender.send(())
            })
        });
        let (sender, has_tried) = channel();
        thread::spawn(move || silent.incoming().try_for_each(|stream| sender.send(stream)));
        let attempt = has_tried.recv_timeout(HUNG).expect("the probe tries").expect("it connects");
        for _ in 0..2 {
            has_begun.recv_timeout(HUNG).expect("the call does not wait for the attempt of the probe");
        }
        let later = start + 2 * address.patience();
        for need in [Need::Call(address.patience()), Need::Lookup, Need::Background] {
            assert_eq!(address.outage.deadline(later, need), Err("silent".to_owned()), "{need:?}");
        }
        assert!(has_tried.try_recv().is_err(), "the probe alone tries");
        // What fails at once, calls try themselves.
        drop((attempt, has_tried));
        let start = Instant::now();
        while address.outage.deadline(later, Need::Lookup).is_err() {
            assert!(start.elapsed() < HUNG, "the probe does not end");
            thread::sleep(Duration::from_millis(10));
        }
    }
}
