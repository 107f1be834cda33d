//! A history of appends to lists and of reads of all of them, as concurrent clients of several servers see it, and
//! whether there is an order of all operations that explains it: the checks of Elle for lists, under strict
//! serializability.
//!
//! An append adds a value, unique in the history, to the end of a list. A read sees all lists at once. In every history
//! that one database could have given, one operation after the other, each between its call and its answer:
//! - every read of a list is a beginning of the longest one, without repetitions;
//! - a read sees every append that was acknowledged before it began, and none that began after it ended;
//! - no read sees an append that failed;
//! - of two reads, one sees all that the other sees, in every list, and a read that began after another had ended sees
//!   no less;
//! - an append that began after another of its list was acknowledged comes after it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// An operation of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Adds a value to a list.
    Append {
        /// The index of the list.
        list: usize,
        /// The value.
        value: String,
        /// The outcome, as the client knows it.
        outcome: Outcome,
    },
    /// Sees the values of each list.
    Read(Vec<Vec<String>>),
}

/// The outcome of an append, as its client knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was acknowledged.
    Acknowledged,
    /// It was refused, and must not take effect.
    Failed,
    /// The answer was lost: it may take effect, once.
    Unknown,
}

/// An operation, with the times of its call and its answer since the beginning.
#[derive(Debug, Clone)]
pub struct Event {
    /// When it was sent.
    pub start: Duration,
    /// When its answer, or the loss of it, was noticed.
    pub end: Duration,
    /// The operation.
    pub operation: Operation,
}

struct Append<'a> {
    event: &'a Event,
    list: usize,
    value: &'a str,
    outcome: Outcome,
}

/// Returns the anomalies: observations that no order of the operations explains. The history must end with a read.
#[must_use]
pub fn anomalies(history: &[Event]) -> Vec<String> {
    let mut found = Vec::new();
    let (mut appends, mut reads) = (Vec::new(), Vec::new());
    for event in history {
        match &event.operation {
            Operation::Read(lists) => reads.push((event, lists)),
            Operation::Append { list, value, outcome } => {
                appends.push(Append { event, list: *list, value, outcome: *outcome });
            }
        }
    }
    let Some(lists) = reads.iter().map(|(_, lists)| lists.len()).max() else {
        return vec!["the history has no read".to_owned()];
    };
    let longest: Vec<&Vec<String>> = (0..lists)
        .filter_map(|list| reads.iter().filter_map(|(_, seen)| seen.get(list)).max_by_key(|seen| seen.len()))
        .collect();
    let mut indices: HashMap<(usize, &str), usize> = HashMap::new();
    for (list, values) in longest.iter().enumerate() {
        for (index, value) in values.iter().enumerate() {
            if indices.insert((list, value), index).is_some() {
                found.push(format!("{value} stands twice in list {list}"));
            }
        }
    }
    for (_, seen) in &reads {
        for (list, values) in seen.iter().enumerate() {
            if !longest.get(list).is_some_and(|whole| whole.starts_with(values)) {
                found.push(format!("a read of list {list} is not a prefix of it: {values:?}"));
            }
        }
    }
    let known: HashSet<(usize, &str)> = appends.iter().map(|append| (append.list, append.value)).collect();
    found.extend(
        indices
            .keys()
            .filter(|key| !known.contains(*key))
            .map(|(list, value)| format!("{value} was never added to list {list}")),
    );
    for append in &appends {
        check_append(append, indices.get(&(append.list, append.value)).copied(), &reads, &mut found);
    }
    check_order(&appends, &indices, &mut found);
    check_reads(&reads, &mut found);
    found
}

fn check_append(
    append: &Append<'_>,
    index: Option<usize>,
    reads: &[(&Event, &Vec<Vec<String>>)],
    found: &mut Vec<String>,
) {
    let Append { event, list, value, outcome } = append;
    match (index, outcome) {
        (Some(_), Outcome::Failed) => found.push(format!("{value} failed and is in list {list}")),
        (None, Outcome::Acknowledged) => found.push(format!("{value} is lost from list {list}")),
        (Some(index), _) => {
            for (read, seen) in reads {
                let sees = seen.get(*list).is_some_and(|seen| seen.len() > index);
                if sees && read.end < event.start {
                    found.push(format!("{value} was seen before it was sent"));
                }
                if !sees && *outcome == Outcome::Acknowledged && read.start > event.end {
                    found.push(format!("a stale read does not see {value} in list {list}"));
                }
            }
        }
        (None, _) => {}
    }
}

fn check_order(appends: &[Append<'_>], indices: &HashMap<(usize, &str), usize>, found: &mut Vec<String>) {
    for first in appends.iter().filter(|append| append.outcome == Outcome::Acknowledged) {
        for second in
            appends.iter().filter(|other| other.list == first.list && other.event.start > first.event.end)
        {
            let index = |append: &Append<'_>| indices.get(&(append.list, append.value)).copied();
            if let (Some(before), Some(after)) = (index(first), index(second))
                && after < before
            {
                found.push(format!("{} stands before {}, which came earlier", second.value, first.value));
            }
        }
    }
}

fn check_reads(reads: &[(&Event, &Vec<Vec<String>>)], found: &mut Vec<String>) {
    let lengths = |lists: &[Vec<String>]| lists.iter().map(Vec::len).collect::<Vec<_>>();
    let reads: Vec<(&Event, Vec<usize>)> =
        reads.iter().map(|(event, lists)| (*event, lengths(lists))).collect();
    for (index, (one, seen)) in reads.iter().enumerate() {
        for (other, also) in &reads[index + 1..] {
            let less = seen.iter().zip(also).any(|(one, other)| one < other);
            let more = seen.iter().zip(also).any(|(one, other)| one > other);
            if less && more {
                found.push(format!(
                    "two reads saw {seen:?} and {also:?}: one order explains only one of them"
                ));
            } else if (less && other.end < one.start) || (more && one.end < other.start) {
                found.push(format!("a read saw {seen:?}, another {also:?}, and the later one saw less"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append(start: u64, end: u64, list: usize, value: &str, outcome: Outcome) -> Event {
        let operation = Operation::Append { list, value: value.to_owned(), outcome };
        Event { start: Duration::from_millis(start), end: Duration::from_millis(end), operation }
    }

    fn read(start: u64, end: u64, lists: [&[&str]; 2]) -> Event {
        let lists = lists.map(|list| list.iter().map(|value| (*value).to_owned()).collect()).to_vec();
        Event {
            start: Duration::from_millis(start),
            end: Duration::from_millis(end),
            operation: Operation::Read(lists),
        }
    }

    const DONE: Outcome = Outcome::Acknowledged;

    #[test]
    fn a_history_of_one_database_has_no_anomaly() {
        let history = [
            append(0, 10, 0, "a", DONE),
            append(5, 15, 1, "b", DONE),
            append(12, 20, 0, "c", Outcome::Failed),
            append(12, 20, 0, "d", Outcome::Unknown),
            read(2, 8, [&[], &["b"]]),
            read(8, 14, [&["a"], &["b"]]),
            read(30, 31, [&["a", "d"], &["b"]]),
        ];
        assert_eq!(anomalies(&history), Vec::<String>::new());
    }

    #[test]
    fn each_anomaly_is_found() {
        let two = [append(0, 10, 0, "a", DONE), append(20, 30, 0, "b", DONE)];
        let whole = read(90, 91, [&["a", "b"], &[]]);
        for (more, told) in [
            (vec![read(90, 91, [&["a"], &[]])], "b is lost"),
            (vec![whole.clone(), read(40, 41, [&["a"], &[]])], "stale read does not see b"),
            (vec![whole.clone(), read(11, 12, [&["a", "b"], &[]])], "seen before it was sent"),
            (vec![read(90, 91, [&["b", "a"], &[]])], "which came earlier"),
            (vec![read(90, 91, [&["a", "b", "a"], &[]])], "twice"),
            (vec![whole.clone(), read(22, 25, [&["b"], &[]])], "not a prefix"),
            (vec![read(90, 91, [&["a", "b", "x"], &[]])], "never added"),
            (
                vec![append(12, 15, 0, "c", Outcome::Failed), read(90, 91, [&["a", "c", "b"], &[]])],
                "failed and is in list",
            ),
            (
                vec![
                    append(0, 80, 1, "c", Outcome::Unknown),
                    read(90, 91, [&["a", "b"], &["c"]]),
                    read(22, 26, [&["a", "b"], &[]]),
                    read(22, 26, [&["a"], &["c"]]),
                ],
                "one order explains only one",
            ),
            (
                vec![whole.clone(), read(21, 22, [&["a", "b"], &[]]), read(24, 25, [&["a"], &[]])],
                "the later one saw less",
            ),
        ] {
            let history: Vec<Event> = two.iter().cloned().chain(more).collect();
            let found = anomalies(&history);
            assert!(found.iter().any(|anomaly| anomaly.contains(told)), "{told:?} is not in {found:?}");
        }
        assert!(!anomalies(&[]).is_empty());
    }
}
