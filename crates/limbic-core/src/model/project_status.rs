//! Statuses of projects of code.

use super::words::{words, words_of_rows};

words! {
    /// The status of a project: being indexed; its last sweep ended, or failed.
    ProjectStatus { Indexing = "indexing", Completed = "completed", Failed = "failed" }
}
words_of_rows!(ProjectStatus);
