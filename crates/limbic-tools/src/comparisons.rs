//! When an answer is preceded by a comparison of all files of a project with its index.

use std::collections::BTreeMap;

use crate::watching::Watch;

/// How much longer than a comparison its pause is, before answers that found something.
const PAUSE: i64 = 20;
/// The same after a comparison that took longer than [`SLOW_MILLIS`].
const LONG_PAUSE: i64 = 100;
/// Duration from which a comparison is slow, in milliseconds.
const SLOW_MILLIS: i64 = 100;

/// What an answer may lack because files have changed since they were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// Nothing that a comparison would add.
    Nothing,
    /// Further results.
    Results,
    /// What was asked for: nothing was found, or no result has the name.
    Answer,
}

/// The last comparison of each project by this server.
#[derive(Debug, Default)]
pub struct Comparisons {
    /// By row number of the project: when it ended, in Unix milliseconds, and its duration.
    last: BTreeMap<i64, (i64, i64)>,
}

impl Comparisons {
    /// Whether a project is to be compared. One for which nothing was found is, after a pause as long as the comparison
    /// itself took; another one after a longer pause, and not while its folders are watched.
    pub fn is_due(&self, project: i64, lack: Lack, is_watched: bool, now: i64) -> bool {
        let Some((ended, millis)) = self.last.get(&project) else {
            return lack == Lack::Answer || (lack == Lack::Results && !is_watched);
        };
        let pause = match lack {
            Lack::Nothing => return false,
            Lack::Results if is_watched => return false,
            Lack::Results if *millis > SLOW_MILLIS => millis.saturating_mul(LONG_PAUSE),
            Lack::Results => millis.saturating_mul(PAUSE),
            Lack::Answer => *millis,
        };
        // A clock that went back counts as a long time.
        let since = now.saturating_sub(*ended);
        since < 0 || since >= pause
    }

    /// Records a comparison.
    pub fn note(&mut self, project: i64, began: i64, ended: i64) {
        self.last.insert(project, (ended, ended.saturating_sub(began).max(0)));
    }
}

/// Whether a shell watches the folders of a project.
pub fn is_watched(watch: Option<&Watch>, root: &str) -> bool {
    watch.is_some_and(|watch| watch.iter().any(|(watched, _)| watched == root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lacking_answer_waits_for_one_duration_and_others_for_many() {
        let mut comparisons = Comparisons::default();
        comparisons.note(1, 1_000, 1_050);
        let at = |lack, now| comparisons.is_due(1, lack, false, now);
        assert!(!at(Lack::Answer, 1_099) && at(Lack::Answer, 1_100));
        assert!(!at(Lack::Results, 2_049) && at(Lack::Results, 2_050));
        assert!(!at(Lack::Nothing, i64::MAX));
        assert!(at(Lack::Results, 900), "the clock went back");
        comparisons.note(1, 1_000, 2_000);
        assert!(!comparisons.is_due(1, Lack::Results, false, 101_999));
        assert!(comparisons.is_due(1, Lack::Results, false, 102_000));
    }

    #[test]
    fn a_watched_project_is_compared_for_a_lacking_answer_alone() {
        let comparisons = Comparisons::default();
        for (lack, is_watched, expected) in [
            (Lack::Nothing, false, false),
            (Lack::Results, false, true),
            (Lack::Results, true, false),
            (Lack::Answer, true, true),
        ] {
            assert_eq!(comparisons.is_due(1, lack, is_watched, 0), expected, "{lack:?} {is_watched}");
        }
        let watch: Watch = vec![("/p".to_owned(), 3)];
        assert!(is_watched(Some(&watch), "/p") && !is_watched(Some(&watch), "/q") && !is_watched(None, "/p"));
    }
}
