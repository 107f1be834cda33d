//! The result of an import.

use limbic_core::{Error, records::Outcome};
use limbic_guard::find_secret;

/// Maximum number of reasons in an answer.
const MAX_PROBLEMS: usize = 20;

/// Maximum number of reasons in an answer to which what is missing of a record is added: reasons for skipping records
/// come first.
const MAX_NOTES: usize = 10;

/// Maximum length of a reason that quotes the file, in characters.
const MAX_REASON_CHARS: usize = 300;

/// Maximum length of a reason that is scanned for secrets, in characters: the beginning of one may not look like one.
const MAX_SCANNED_CHARS: usize = 10_000;

/// The result of an import.
#[derive(Debug, Default, Clone)]
pub struct Report {
    /// Entities created or updated.
    pub entities: u64,
    /// Observations that were new.
    pub observations: u64,
    /// Relations that were new.
    pub relations: u64,
    /// Reflections that were new.
    pub reflections: u64,
    /// Memories that were new or changed.
    pub memories: u64,
    /// Domains that were new.
    pub domains: u64,
    /// Links between memories that were new.
    pub links: u64,
    /// Number of records that failed.
    pub errors: u64,
    /// Number of records skipped.
    pub skipped: u64,
    /// The first problems, each with its location.
    pub problems: Vec<String>,
}

impl Report {
    /// Counts a record that is skipped, and keeps the reason if it is among the first, without the secrets that it
    /// repeats of the record.
    pub fn skip(&mut self, reason: impl FnOnce() -> String) {
        self.skipped += 1;
        self.keep(MAX_PROBLEMS, reason);
    }

    /// Says what is missing of a record that is stored, if it is among the first.
    pub fn note(&mut self, missing: impl FnOnce() -> String) {
        self.keep(MAX_NOTES, missing);
    }

    fn keep(&mut self, most: usize, reason: impl FnOnce() -> String) {
        if self.problems.len() < most {
            let reason: String = reason().chars().take(MAX_SCANNED_CHARS).collect();
            self.problems.push(without_secret(reason).chars().take(MAX_REASON_CHARS).collect());
        }
    }

    /// Counts the outcome of a record. `location` gives its location in the input.
    pub fn count(&mut self, kind: &str, outcome: Outcome, location: impl FnOnce() -> String) {
        match (kind, outcome) {
            (_, Outcome::Refused(reason)) => self.skip(|| format!("{}: {reason}", location())),
            (_, Outcome::ChangedExcept(reason)) => {
                self.keep(MAX_PROBLEMS, || format!("{}: {reason}", location()));
                self.count(kind, Outcome::Changed, String::new);
            }
            ("entity", _) => self.entities += 1,
            (
                "observation" | "relation" | "reflection" | "memory" | "memory_edge" | "memory_reference",
                Outcome::Known,
            ) => self.skipped += 1,
            ("observation", Outcome::Added) => self.observations += 1,
            ("relation", Outcome::Added) => self.relations += 1,
            ("reflection", Outcome::Added) => self.reflections += 1,
            ("memory", _) => self.memories += 1,
            ("domain", Outcome::Added) => self.domains += 1,
            ("memory_edge" | "memory_reference", Outcome::Added) => self.links += 1,
            _ => {}
        }
    }
}

/// Returns a reason, behind its location, without what it repeats of a record if that contains a secret.
fn without_secret(reason: String) -> String {
    let Some(kind) = find_secret(&reason) else { return reason };
    let secret = format!("it seems to hold a secret ({})", kind.name());
    match reason.split_once(": ").filter(|(location, _)| find_secret(location).is_none()) {
        Some((location, _)) => format!("{location}: {secret}"),
        None => secret,
    }
}

/// Returns the error for an import that ended early, by a failure or by cancellation, after these records were stored.
pub fn interrupted(cause: Option<Error>, stored: Option<&String>) -> Error {
    match (cause, stored) {
        (Some(cause), None) => cause,
        (cause, stored) => Error::ImportInterrupted { cause: cause.map(Box::new), stored: stored.cloned() },
    }
}
