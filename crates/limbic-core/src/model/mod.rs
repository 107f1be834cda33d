//! Pure functions on plain values: no SQL, no host.

pub mod text;
pub mod globs;
pub mod quoted_names;
pub(crate) mod tokenizer;
pub mod numbers;
pub(crate) mod row_map;
pub(crate) mod usage;
pub(crate) mod quality;
pub mod similarity;
pub(crate) mod words;
pub mod memory_words;
pub mod dates;
pub mod timestamps;
pub(crate) mod event_clauses;
pub mod entity_status;
pub(crate) mod origin;
pub mod project_status;
pub mod decay;
pub mod age;
pub mod same_statement;
pub mod statements;
pub(crate) mod code_detection;
pub(crate) mod formatting;
pub(crate) mod script;
pub(crate) mod stems;
pub(crate) mod structured_text;
