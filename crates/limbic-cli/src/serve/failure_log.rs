//! The log of a server while its store is away or refuses it, or its background work fails: the begin and the end,
//! however often it is tried again.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use limbic_core::Error;

use limbic_memory::location::Location;

/// Logs failures, each state once.
pub struct FailureLog {
    location: Location,
    is_away: bool,
    /// What the store refuses.
    troubles: Vec<String>,
    /// Work that fails, with the kind of its failure.
    failing: HashMap<&'static str, Discriminant<Error>>,
}

impl FailureLog {
    /// The log of a server with this database.
    pub fn new(location: Location) -> Self {
        Self { location, is_away: false, troubles: Vec::new(), failing: HashMap::new() }
    }

    /// Logs that an outage of the store, or its refusal of what the server needs, has begun or ended.
    pub fn check(&mut self) {
        let outage = self.location.outage();
        log(self.of_outage(outage.as_deref()));
        self.of_troubles(self.location.troubles()).into_iter().for_each(|line| log(Some(line)));
    }

    /// Logs whether the memory could be opened at the start.
    pub fn note_start(&mut self, opened: Result<(), Error>) {
        let Err(error) = opened else {
            log(Some(format!("the memory is in {}", self.location)));
            return;
        };
        // Known from here on, so that `check` does not log it again.
        let outage = self.location.outage();
        self.is_away = outage.is_some();
        self.troubles = self.location.troubles();
        // The error says what it means for a call.
        let why = self.troubles.first().cloned().or(outage).unwrap_or_else(|| error.to_string());
        log(Some(format!("the memory cannot be opened: {why}; the next call tries again")));
    }

    /// Logs that the memory was found to be another one than before, after which it is opened again.
    pub fn note_moved(&self) {
        let location = &self.location;
        log(Some(format!(
            "the memory at {location} was replaced, or lost its last changes; it is opened again"
        )));
    }

    /// Logs that work fails, or no longer does. During an outage of the store or its refusal, that is the reason, and
    /// nothing is logged.
    ///
    /// # Arguments
    /// * `work` - such as `the code index`.
    pub fn note<T>(&mut self, work: &'static str, result: &Result<T, Error>) {
        self.check();
        log(self.of_work(work, result.as_ref().err()));
    }

    fn of_outage(&mut self, outage: Option<&str>) -> Option<String> {
        if outage.is_some() == self.is_away {
            return None;
        }
        self.is_away = outage.is_some();
        Some(match outage {
            Some(why) => format!("{why}; it is tried again"),
            None => format!("the database server of {} answers again", self.location),
        })
    }

    /// The lines of what is new. Their end is that of all.
    fn of_troubles(&mut self, now: Vec<String>) -> Vec<String> {
        let mut lines: Vec<String> = now.iter().filter(|why| !self.troubles.contains(why)).cloned().collect();
        if now.is_empty() && !self.troubles.is_empty() {
            lines.push(format!("the memory at {} can be used again", self.location));
        }
        self.troubles = now;
        lines
    }

    fn of_work(&mut self, work: &'static str, error: Option<&Error>) -> Option<String> {
        let Some(error) = error else {
            return self.failing.remove(work).map(|_| format!("{work} continues"));
        };
        if self.is_away || !self.troubles.is_empty() || self.failing.get(work) == Some(&discriminant(error)) {
            return None;
        }
        self.failing.insert(work, discriminant(error));
        Some(format!("{work} is paused: {error}"))
    }
}

fn log(line: Option<String>) {
    if let Some(line) = line {
        log!("{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: &str = "the code index";

    fn log() -> FailureLog {
        FailureLog::new(Location::File("/memory.db".into()))
    }

    #[test]
    fn a_failure_that_lasts_is_logged_at_its_begin_and_its_end() {
        let mut log = log();
        assert_eq!(log.of_work(WORK, None), None);
        let begin = log.of_work(WORK, Some(&Error::DiskFull)).expect("it is new");
        assert!(begin.starts_with("the code index is paused: "), "{begin}");
        for _ in 0..3 {
            assert_eq!(log.of_work(WORK, Some(&Error::DiskFull)), None);
        }
        assert!(log.of_work(WORK, Some(&Error::Busy)).is_some(), "the reason is another");
        assert!(log.of_work("the embedding queue", Some(&Error::Busy)).is_some(), "the work is another");
        assert_eq!(log.of_work(WORK, None).as_deref(), Some("the code index continues"));
        assert_eq!(log.of_work(WORK, None), None);
    }

    #[test]
    fn an_outage_is_logged_once_whatever_fails_meanwhile() {
        let mut log = log();
        assert_eq!(log.of_outage(None), None);
        assert!(log.of_outage(Some("it does not answer")).is_some());
        assert_eq!(log.of_outage(Some("it refuses")), None);
        assert_eq!(log.of_work(WORK, Some(&Error::Io("away".to_owned()))), None);
        let end = log.of_outage(None).expect("it has ended");
        assert!(end.ends_with("/memory.db answers again"), "{end}");
        assert_eq!((log.of_outage(None), log.of_work(WORK, None)), (None, None));
    }

    #[test]
    fn a_refusal_is_logged_once_and_its_end_when_nothing_is_refused() {
        let mut log = log();
        let [password, rights] = ["wrong password", "missing rights"].map(str::to_owned);
        assert!(log.of_troubles(Vec::new()).is_empty());
        assert_eq!(log.of_troubles(vec![password.clone()]), ["wrong password"]);
        assert!(log.of_troubles(vec![password.clone()]).is_empty());
        assert_eq!(log.of_work(WORK, Some(&Error::Io("refused".to_owned()))), None);
        assert_eq!(log.of_troubles(vec![password, rights.clone()]), ["missing rights"]);
        assert!(log.of_troubles(vec![rights]).is_empty());
        let end = log.of_troubles(Vec::new());
        assert!(end.len() == 1 && end[0].ends_with("/memory.db can be used again"), "{end:?}");
    }
}
