//! Lines from standard input.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::Sender;
use std::thread;

use super::server::Event;

/// The longest line that is read; a longer one is refused.
const LINE_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Reads on a thread of its own until the input ends.
pub fn start(events: Sender<Event>) {
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(event)) = next(&mut input) {
            if events.send(event).is_err() {
                return;
            }
        }
        // The server may have ended by itself.
        let _ = events.send(Event::End);
    });
}

fn next(input: &mut impl BufRead) -> io::Result<Option<Event>> {
    let mut line = Vec::new();
    if input.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let is_cut = u64::try_from(line.len()) == Ok(LINE_BYTES_MAX) && line.last() != Some(&b'\n');
    if is_cut {
        input.skip_until(b'\n')?;
        return Ok(Some(Event::TooLong(LINE_BYTES_MAX)));
    }
    Ok(Some(Event::Line(String::from_utf8_lossy(&line).trim().to_owned())))
}
