//! Rules that no compiler checks, as tests.

mod dependencies;
mod files;
