//! When an answer is preceded by a comparison of all files of a project with its index.

use std::collections::{BTreeMap, BTreeSet};

use limbic_core::{model::project_status::ProjectStatus, store::code::projects::Project};

use crate::{code_files::CodeFiles, watching::Watch};

/// How much longer than a comparison its pause is, before answers that found something.
const PAUSE: i64 = 20;
/// This multiple after a comparison with a walk that took longer than [`SLOW_MILLIS`].
const LONG_PAUSE: i64 = 100;
/// Duration from which a comparison with a walk is slow, in milliseconds.
const SLOW_MILLIS: i64 = 100;
/// The time that comparisons without a walk may take before each answer, in milliseconds.
const QUICK_MILLIS: i64 = 200;

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

/// A comparison of a project with its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// When it began and when it ended, in Unix milliseconds.
    pub times: (i64, i64),
    /// The walk after which the index had all that it saw, if there was one: the next comparison needs only what has
    /// changed since.
    pub walk: Option<StoredWalk>,
    /// Whether it was one without a walk.
    pub is_quick: bool,
}

/// A walk after which the index had all that it saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredWalk {
    /// Number of the walk.
    number: u64,
    /// A time before the walk, in Unix milliseconds.
    began: i64,
    include: Vec<String>,
    exclude: Vec<String>,
}

impl StoredWalk {
    /// The last walk of a project, which began after this time.
    pub fn last(disk: &dyn CodeFiles, project: &Project, began: i64) -> Option<Self> {
        let number = disk.walked(&project.path)?.number;
        Some(Self { number, began, include: project.include.clone(), exclude: project.exclude.clone() })
    }

    /// A time before the walk, in Unix milliseconds.
    pub fn began(&self) -> i64 {
        self.began
    }
}

/// The last comparison of each project by this server.
#[derive(Debug, Default)]
pub struct Comparisons {
    /// By row number of the project.
    last: BTreeMap<i64, Comparison>,
    /// When the last one that looked at all files began, by row number of the project, in Unix milliseconds.
    completed: BTreeMap<i64, i64>,
    /// The row numbers of projects in which something has changed since that only a comparison finds.
    changed: BTreeSet<i64>,
}

impl Comparisons {
    /// Whether a project is to be compared, where the call has `spent` milliseconds on comparisons of others. One for
    /// which nothing was found always is, and while its folders are watched another one only if a change requires it.
    /// Otherwise, a slow comparison is followed by a pause.
    pub fn is_due(&self, project: i64, lack: Lack, watch: WatchState, (now, spent): (i64, i64)) -> bool {
        match (lack, watch) {
            (Lack::Nothing, _) | (Lack::Results, WatchState::Watched) => return false,
            (Lack::Answer, _) | (Lack::Results, WatchState::Changed) => return true,
            (Lack::Results, WatchState::Unwatched) => {}
        }
        let Some(Comparison { times: (began, ended), walk, is_quick }) = self.last.get(&project) else {
            return true;
        };
        let millis = ended.saturating_sub(*began).max(0);
        let pause = match (is_quick, walk) {
            (true, _) if spent.saturating_add(millis) <= QUICK_MILLIS => return true,
            // How long one without a walk takes is not known yet.
            (false, Some(_)) => return true,
            (false, None) if millis > SLOW_MILLIS => millis.saturating_mul(LONG_PAUSE),
            _ => millis.saturating_mul(PAUSE),
        };
        // A clock that went back counts as a long time.
        let since = now.saturating_sub(*ended);
        since < 0 || since >= pause
    }

    /// Records a comparison that looked at all files.
    pub fn note(&mut self, project: i64, comparison: Comparison) {
        self.completed.insert(project, comparison.times.0);
        self.note_failed(project, comparison);
    }

    /// Records a comparison that could not look at all files.
    pub fn note_failed(&mut self, project: i64, comparison: Comparison) {
        self.last.insert(project, comparison);
        self.changed.remove(&project);
    }

    /// Returns the walk of the last comparison, if it is the last one of the project, by the same patterns.
    pub fn walk(&self, disk: &dyn CodeFiles, project: &Project) -> Option<StoredWalk> {
        let walk = self.last.get(&project.number)?.walk.as_ref()?;
        (StoredWalk::last(disk, project, walk.began).as_ref() == Some(walk)).then(|| walk.clone())
    }

    /// For how many seconds a project has not been compared, by this server or in its last sweep.
    pub fn unchecked_seconds(&self, project: &Project, now: i64) -> u64 {
        let compared = self.completed.get(&project.number).copied();
        let last = compared.max(project.completed_at).unwrap_or(project.started_at);
        u64::try_from(now.saturating_sub(last) / 1000).unwrap_or_default()
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
            assert!(comparisons.is_due(1, Lack::Answer, watch, (0, 0)), "{watch:?}");
        }
        comparisons.note(1, walked((1_000, 61_000)));
        for watch in [WatchState::Unwatched, WatchState::Watched, WatchState::Changed] {
            assert!(comparisons.is_due(1, Lack::Answer, watch, (61_000, 0)), "{watch:?}");
        }
    }

    #[test]
    fn an_answer_with_results_waits_for_many_durations_of_a_walk() {
        let mut comparisons = Comparisons::default();
        comparisons.note(1, walked((1_000, 1_050)));
        let at = |lack, now| comparisons.is_due(1, lack, WatchState::Unwatched, (now, 0));
        assert!(!at(Lack::Results, 2_049) && at(Lack::Results, 2_050));
        assert!(!at(Lack::Nothing, i64::MAX));
        assert!(at(Lack::Results, 900), "the clock went back");
        comparisons.note(1, walked((1_000, 2_000)));
        assert!(!comparisons.is_due(1, Lack::Results, WatchState::Unwatched, (101_999, 0)));
        assert!(comparisons.is_due(1, Lack::Results, WatchState::Unwatched, (102_000, 0)));
    }

    #[test]
    fn comparisons_without_a_walk_precede_every_answer_while_they_are_quick() {
        let walk = || Some(StoredWalk { number: 7, began: 0, include: Vec::new(), exclude: Vec::new() });
        let mut comparisons = Comparisons::default();
        comparisons.note(1, Comparison { walk: walk(), ..walked((1_000, 9_000)) });
        let due =
            |comparisons: &Comparisons, at| comparisons.is_due(1, Lack::Results, WatchState::Unwatched, at);
        assert!(due(&comparisons, (9_000, 0)), "how long it takes is unknown");
        comparisons.note(1, Comparison { walk: walk(), is_quick: true, ..walked((9_000, 9_150)) });
        assert!(due(&comparisons, (9_150, 50)));
        assert!(!due(&comparisons, (9_150, 51)) && due(&comparisons, (12_150, 51)), "others took long");
        comparisons.note(1, Comparison { walk: walk(), is_quick: true, ..walked((9_000, 9_300)) });
        assert!(!due(&comparisons, (15_299, 0)) && due(&comparisons, (15_300, 0)));
    }

    fn walked(times: (i64, i64)) -> Comparison {
        Comparison { times, walk: None, is_quick: false }
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
            assert_eq!(comparisons.is_due(1, lack, watch, (0, 0)), expected, "{lack:?} {watch:?}");
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
        comparisons.note(1, walked((0, 0)));
        assert_eq!(comparisons.watch_state(Some(&watch), &project), WatchState::Watched, "a comparison has");
    }
}
