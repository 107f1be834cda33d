//! When an answer is preceded by a comparison of all files of a project with its index.

use std::collections::{BTreeMap, BTreeSet};

use limbic_core::{model::project_status::ProjectStatus, store::code::projects::Project};

use crate::watching::Watch;

/// How much longer than a comparison its pause is, before answers that found something.
const PAUSE: i64 = 20;
/// This multiple after a comparison that took longer than [`SLOW_MILLIS`].
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

/// Which changes of a project's files the shell's watch of its folders reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchState {
    /// Nothing: the folders are not watched.
    Unwatched,
    /// Every change.
    Watched,
    /// That something has changed which only a comparison finds.
    Changed,
}

/// The last comparison of each project by this server.
#[derive(Debug, Default)]
pub struct Comparisons {
    /// By row number of the project: when it ended, in Unix milliseconds, and its duration.
    last: BTreeMap<i64, (i64, i64)>,
    /// The row numbers of projects in which something has changed since that only a comparison finds.
    changed: BTreeSet<i64>,
}

impl Comparisons {
    /// Whether a project is to be compared. One for which nothing was found always is; another one after a pause, and
    /// while its folders are watched only if a change requires it.
    pub fn is_due(&self, project: i64, lack: Lack, watch: WatchState, now: i64) -> bool {
        match (lack, watch) {
            (Lack::Nothing, _) | (Lack::Results, WatchState::Watched) => return false,
            (Lack::Answer, _) | (Lack::Results, WatchState::Changed) => return true,
            (Lack::Results, WatchState::Unwatched) => {}
        }
        let Some((ended, millis)) = self.last.get(&project) else { return true };
        let pause = millis.saturating_mul(if *millis > SLOW_MILLIS { LONG_PAUSE } else { PAUSE });
        // A clock that went back counts as a long time.
        let since = now.saturating_sub(*ended);
        since < 0 || since >= pause
    }

    /// Records a comparison.
    pub fn note(&mut self, project: i64, began: i64, ended: i64) {
        self.last.insert(project, (ended, ended.saturating_sub(began).max(0)));
        self.changed.remove(&project);
    }

    /// Records that something has changed in a project that only a comparison finds.
    pub fn expect(&mut self, project: i64) {
        self.changed.insert(project);
    }

    /// Returns what is known of a project, whose sweep also finds what has changed.
    pub fn watch_state(&self, watch: Option<&Watch>, project: &Project) -> WatchState {
        let awaits_sweep = project.status == ProjectStatus::Indexing && !project.is_scanned;
        if !watch.is_some_and(|watch| watch.iter().any(|(watched, _)| *watched == project.path)) {
            WatchState::Unwatched
        } else if awaits_sweep && self.changed.contains(&project.number) {
            WatchState::Changed
        } else {
            WatchState::Watched
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_found_nothing_is_always_preceded_by_a_comparison() {
        let mut comparisons = Comparisons::default();
        for watch in [WatchState::Unwatched, WatchState::Watched, WatchState::Changed] {
            assert!(comparisons.is_due(1, Lack::Answer, watch, 0), "{watch:?}");
        }
        comparisons.note(1, 1_000, 61_000);
        for watch in [WatchState::Unwatched, WatchState::Watched, WatchState::Changed] {
            assert!(comparisons.is_due(1, Lack::Answer, watch, 61_000), "{watch:?}");
        }
    }

    #[test]
    fn an_answer_with_results_waits_for_many_durations() {
        let mut comparisons = Comparisons::default();
        comparisons.note(1, 1_000, 1_050);
        let at = |lack, now| comparisons.is_due(1, lack, WatchState::Unwatched, now);
        assert!(!at(Lack::Results, 2_049) && at(Lack::Results, 2_050));
        assert!(!at(Lack::Nothing, i64::MAX));
        assert!(at(Lack::Results, 900), "the clock went back");
        comparisons.note(1, 1_000, 2_000);
        assert!(!comparisons.is_due(1, Lack::Results, WatchState::Unwatched, 101_999));
        assert!(comparisons.is_due(1, Lack::Results, WatchState::Unwatched, 102_000));
    }

    #[test]
    fn a_watched_project_is_compared_for_results_if_a_change_requires_it() {
        let mut comparisons = Comparisons::default();
        for (lack, watch, expected) in [
            (Lack::Nothing, WatchState::Unwatched, false),
            (Lack::Nothing, WatchState::Changed, false),
            (Lack::Results, WatchState::Unwatched, true),
            (Lack::Results, WatchState::Watched, false),
            (Lack::Results, WatchState::Changed, true),
        ] {
            assert_eq!(comparisons.is_due(1, lack, watch, 0), expected, "{lack:?} {watch:?}");
        }
        let watch: Watch = vec![("/p".to_owned(), 3)];
        let mut project = Project {
            number: 1,
            id: "p".to_owned(),
            path: "/p".to_owned(),
            include: Vec::new(),
            exclude: Vec::new(),
            status: ProjectStatus::Indexing,
            is_scanned: false,
            started_at: 0,
            completed_at: None,
            error_message: None,
            is_watched: true,
        };
        comparisons.expect(1);
        assert_eq!(comparisons.watch_state(None, &project), WatchState::Unwatched);
        assert_eq!(comparisons.watch_state(Some(&watch), &project), WatchState::Changed);
        project.is_scanned = true;
        assert_eq!(
            comparisons.watch_state(Some(&watch), &project),
            WatchState::Watched,
            "a sweep has found it"
        );
        project.is_scanned = false;
        comparisons.note(1, 0, 0);
        assert_eq!(comparisons.watch_state(Some(&watch), &project), WatchState::Watched, "a comparison has");
    }
}
