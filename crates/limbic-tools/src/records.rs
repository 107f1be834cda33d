//! The Limbic export: JSONL, one record per line.
//!
//! ```text
//! {"record":"export","format":"limbic","version":1}
//! {"record":"entity","name":"Ada","entity_type":"person","status":"activo",...}
//! {"record":"observation","entity":"Ada","n":1,"content":"Prefers tea","kind":"generic",...}
//! {"record":"memory","id":"0190...","domain":"general","content":"Ships on Mondays","tags":["release"],...}
//! {"record":"end","records":3}
//! ```
//!
//! The first line states the version, the last one marks completeness. Records refer to entities by name, to
//! observations of the same entity by their number `n`, to memories and domains by id. Referenced records come first,
//! so that one pass suffices. A reader ignores unknown fields, and reports records of unknown kinds.
//!
//! A new kind of record is a file in `limbic-core/src/records` and a line in [`CODECS`].

use std::borrow::Cow;

use limbic_core::{
    Error, Result, Transaction,
    records::{
        Access, AccessDay, AuditLine, CoOccurrence, CurrentDomain, Domain, Entity, Memory, MemoryEdge,
        MemoryHistory, MemoryMention, MemoryReference, MemorySession, MemorySymbol, Merger, Observation,
        Outcome, Record, Reflection, Relation, Search, Setting, Tables,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

/// The first record.
pub const HEADER: &str = "export";

/// The last record.
pub const END: &str = "end";

/// The current version of the format.
const VERSION: u64 = 1;

/// A kind of record as text.
struct Codec {
    kind: &'static str,
    has_users: bool,
    write: fn(&Tables<'_>, Put<'_>) -> Result<()>,
    merge: fn(&[u8], &Transaction<'_>, &mut Merger) -> Result<Outcome>,
}

/// Every kind, in the order of writing.
const CODECS: &[Codec] = &[
    codec::<Setting>(),
    codec::<Entity>(),
    codec::<Observation>(),
    codec::<Relation>(),
    codec::<Reflection>(),
    codec::<Access>(),
    codec::<AccessDay>(),
    codec::<CoOccurrence>(),
    codec::<Search>(),
    codec::<Domain>(),
    codec::<Memory>(),
    codec::<MemoryEdge>(),
    codec::<MemoryReference>(),
    codec::<MemoryMention>(),
    codec::<MemoryHistory>(),
    codec::<MemorySession>(),
    codec::<MemorySymbol>(),
    codec::<AuditLine>(),
    codec::<CurrentDomain>(),
];

/// Receives a line, including its line break.
pub type Put<'a> = &'a mut dyn FnMut(&[u8]) -> Result<()>;

/// The first line: identifies the format.
#[derive(Deserialize)]
pub struct Head<'a> {
    #[serde(borrow)]
    record: Cow<'a, str>,
    #[serde(default)]
    version: u64,
}

impl Head<'_> {
    /// Checks that the version can be read.
    ///
    /// # Errors
    /// [`Error::UnknownSource`] if the first line is missing or the version is newer.
    pub fn check(&self, is_first: bool) -> Result<()> {
        let message = if self.record != HEADER || !is_first {
            "The file looks like a Limbic export without its first line, which states the version: \
             {\"record\":\"export\",\"format\":\"limbic\",\"version\":1}"
                .to_owned()
        } else if self.version > VERSION {
            format!(
                "The file is a Limbic export of version {}, this program reads versions up to {VERSION}: \
                 install the newest limbic-memory",
                self.version
            )
        } else {
            return Ok(());
        };
        Err(Error::UnknownSource { message })
    }
}

/// Writes every record of a database, or those of one user. Returns their number, without the first and the last
/// line.
///
/// # Errors
/// Errors of `put`.
pub fn write_all(tx: &Transaction<'_>, user: Option<&str>, put: Put<'_>) -> Result<u64> {
    let tables = Tables::of_user(tx, user)?;
    let mut records = 0;
    put_line(&json!({ "record": HEADER, "format": "limbic", "version": VERSION }), put)?;
    for codec in CODECS.iter().filter(|codec| codec.has_users || user.is_none()) {
        (codec.write)(&tables, &mut |line| {
            records += 1;
            put(line)
        })?;
    }
    put_line(&json!({ "record": END, "records": records }), put)?;
    Ok(records)
}

/// Returns the kind of a record, or why the line has none.
pub fn kind(line: &[u8]) -> std::result::Result<Cow<'_, str>, String> {
    serde_json::from_slice::<Head<'_>>(line).map(|head| head.record).map_err(|error| error.to_string())
}

/// Stores a record.
///
/// An invalid line is an outcome, not an error.
pub fn merge(kind: &str, line: &[u8], tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
    match CODECS.iter().find(|codec| codec.kind == kind) {
        Some(codec) => (codec.merge)(line, tx, merger),
        None => Ok(Outcome::Refused(format!("There is no kind of record named {kind:?}"))),
    }
}

#[derive(Serialize)]
struct Tagged<'a, R> {
    record: &'a str,
    #[serde(flatten)]
    fields: &'a R,
}

const fn codec<R: Record + Serialize + DeserializeOwned>() -> Codec {
    Codec { kind: R::KIND, has_users: R::HAS_USERS, write: write::<R>, merge: merge_one::<R> }
}

fn write<R: Record + Serialize>(tables: &Tables<'_>, put: Put<'_>) -> Result<()> {
    R::each(tables, &mut |record| put_line(&Tagged { record: R::KIND, fields: &record }, put))
}

fn merge_one<R: Record + DeserializeOwned>(
    line: &[u8],
    tx: &Transaction<'_>,
    merger: &mut Merger,
) -> Result<Outcome> {
    match serde_json::from_slice::<R>(line) {
        Ok(record) => record.merge(tx, merger),
        Err(error) => Ok(Outcome::Refused(error.to_string())),
    }
}

/// Writes a value as a line.
///
/// # Errors
/// Errors of `put`.
pub fn put_line(value: &impl Serialize, put: Put<'_>) -> Result<()> {
    let mut line = serde_json::to_vec(value).map_err(|error| Error::Internal(error.to_string()))?;
    line.push(b'\n');
    put(&line)
}
