//! Failures in answers.

use limbic_core::Error;
use limbic_guard::escape;
use serde_json::json;

use crate::{Options, options::Shell};

/// The JSON form of a failure: `{error, code, hint?}`.
#[must_use]
pub fn error_json(error: &Error) -> String {
    error_json_for(error, &Options::default())
}

/// Maximum length of an error message, in characters: a longer one repeats input.
const MAX_CHARS: usize = 2_000;

/// The same, with hints that name only tools which these options offer, and what their shell has.
#[must_use]
pub fn error_json_for(error: &Error, options: &Options) -> String {
    let text = shortened(error.to_string());
    let text = match error {
        // The exact wording of another server.
        Error::ReferenceEntityNotFound(_) => text.as_str().into(),
        _ => escape(&text),
    };
    let mut value = json!({ "error": text, "code": error.code() });
    if let Some(hint) = hint(error, options) {
        value["hint"] = escape(&hint).into();
    }
    value.to_string()
}

/// Returns the start and the end of a long text: the repeated input is in the middle.
fn shortened(text: String) -> String {
    let count = text.chars().count();
    if count <= MAX_CHARS {
        return text;
    }
    let start: String = text.chars().take(MAX_CHARS / 2).collect();
    let end: String = text.chars().skip(count - MAX_CHARS / 2).collect();
    format!("{start} [... {} characters left out ...] {end}", count - MAX_CHARS)
}

/// Returns the hint of a failure, if there is one: a tool, an option or a value that helps.
#[must_use]
pub fn hint(error: &Error, options: &Options) -> Option<String> {
    if options.shell == Shell::Library
        && let Some(text) = library_hint(error)
    {
        return Some(text.to_owned());
    }
    let text = match error {
        Error::InvalidArgument { hint, .. } => return hint.clone(),
        Error::UnknownTool { nearest, .. } => {
            let list = match options.shell {
                Shell::Command => "tools/list returns all tools of this server",
                Shell::Library => "TOOLS has all tools",
            };
            return Some(match nearest {
                Some(name) => format!("Did you mean {name:?}? {list}"),
                None => list.to_owned(),
            });
        }
        Error::ImportInterrupted { cause, .. } => return hint(cause.as_ref()?, options),
        Error::EntityNotFound(_) | Error::ReferenceEntityNotFound(_) => {
            "Names are matched exactly: search_nodes finds parts of names, create_entities creates an entity"
        }
        Error::EntityIdNotFound(_) | Error::ObservationNotFound(_) | Error::RelationNotFound(_) => {
            "open_nodes with detail \"full\" shows the ids"
        }
        Error::NoSuchText { .. } => {
            "Texts are matched exactly, and another client may have moved it: propose_entity_split shows the current ones"
        }
        Error::ObservationExists(_) => "delete_observations removes the outdated one",
        Error::MemoryNotFound(_) if options.is_memory_graph() => {
            "recall_memories and search_memory_content return ids"
        }
        Error::MemoryNotFound(_) => "memory_list and memory_recall show the ids",
        Error::MemoryExists(_) if options.is_memory_graph() => "edit_memory changes it",
        Error::MemoryExists(_) => "memory_update changes it",
        Error::BlankDomainId => "list_domains shows the existing ids",
        Error::DomainNotFound(_) => "list_domains shows the ids, create_domain creates a domain",
        Error::SelectedDomainDeleted(_) => "Select another with select_domain; list_domains shows the ids",
        Error::ProjectNotFound { .. } => "list_projects shows the ids, index_project adds a project",
        Error::SymbolNotFound(_) => "search_symbols shows the ids",
        Error::IndexInterrupted => "get_index_status shows the progress",
        Error::DomainNotEmpty { .. } => "Move them to another domain with move_to, or delete them first",
        Error::InvalidSql(_) => "explore_schema shows tables and columns",
        Error::Timeout { .. } => "Ask for less: a lower limit, a narrower filter, or several calls",
        Error::CallAbandoned => "Call the tool again if its answer is still needed",
        Error::SqlStopped(_) => "Narrow the query, or lower its limit",
        Error::SqlRefused => "Use the tools to change what is stored",
        Error::FullTextRefused => "memory_recall and search_semantic search by words",
        Error::ReadOnly => {
            "To change it, start the server without --read-only, with permission to write the file and its folder"
        }
        Error::UnfinishedWrite => {
            "Open it once where its file and folder can be written: any command undoes the write, even with --read-only"
        }
        Error::OtherUser(_) => {
            "Omit user_id, or use a server without --user (LIMBIC_USER) and a token that has no user"
        }
        Error::OneUserOnly(_) => "Use a server without --user (LIMBIC_USER) and a token that has no user",
        Error::NotADatabase => "Give another path with --db",
        Error::Encrypted => {
            "Give its key with LIMBIC_KEY_FILE or LIMBIC_KEY, or its passphrase with LIMBIC_PASSPHRASE_FILE or \
             LIMBIC_PASSPHRASE, or another path with --db. To import it, open it with its key and export it"
        }
        Error::WrongKey => {
            "Give the database's own key, or its recovery phrase, with LIMBIC_KEY_FILE or LIMBIC_KEY, or its own passphrase \
             with LIMBIC_PASSPHRASE_FILE or LIMBIC_PASSPHRASE. After a rotation that was interrupted, the key may be in the \
             file that ends in .new"
        }
        Error::NotEncrypted => {
            "`limbic-memory key encrypt` (natively `limbic key encrypt`), or --encrypt, encrypts it; without \
             a key or passphrase it is opened as it is"
        }
        Error::SharedDisk(_) => {
            "If one machine at a time uses this memory, start with --shared-disk (LIMBIC_SHARED_DISK=1); several machines \
             share a memory through one server with --http"
        }
        Error::LockedElsewhere(_) => {
            "End that program. If it has ended without closing the database, `limbic-memory unlock` (natively `limbic \
             unlock`) with the same --db shows its locks and removes them"
        }
        Error::StaticVectors(_) => {
            "It is model/subwords.bin: install Limbic again, or run cargo xtask setup in a clone. search_code with \
             mode \"words\" does not need it"
        }
        Error::Damaged(_) => "Restore a copy, or open another path with --db",
        Error::ForeignDatabase(_) => {
            "Give another path with --db; the tool migrate imports this database into a memory of its own"
        }
        Error::WalMissing => {
            "If there is no such file, the database is whole as it is. PRAGMA wal_checkpoint(TRUNCATE), in the \
             program that writes it, empties that file"
        }
        Error::StorageTaken => {
            "It is open in another tab or window of this browser: use that one, or wait until it is closed"
        }
        Error::StorageUnavailable(_) => {
            "The browser offers no persistent storage in this window, as in private browsing: use another window, \
             or an in-memory database, which is lost with the page"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

/// Returns the hint of a failure that a program mends by opening the memory in another way.
fn library_hint(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::ReadOnly => {
            "To change it, open it without Options::read_only, with permission to write the file and its folder"
        }
        Error::UnfinishedWrite => {
            "Open it once where its file and folder can be written: that undoes the write, even with Options::read_only"
        }
        Error::OtherUser(_) | Error::OneUserOnly(_) => "Open the memory without Options::user",
        Error::NotADatabase => "Open another path",
        Error::Encrypted => {
            "Give its key with Options::key or LIMBIC_KEY_FILE, or its passphrase with Options::passphrase or \
             LIMBIC_PASSPHRASE_FILE, or open another path"
        }
        Error::WrongKey => {
            "Give the database's own key, or its recovery phrase, with Options::key or LIMBIC_KEY_FILE, or its own \
             passphrase with Options::passphrase or LIMBIC_PASSPHRASE_FILE. After a rotation that was interrupted, the \
             key may be in the file that ends in .new"
        }
        Error::NotEncrypted => {
            "The command `limbic key encrypt` encrypts it; without a key or passphrase it is opened as it is"
        }
        Error::SharedDisk(_) => {
            "If one machine at a time uses this memory, open it with Options::shared_disk; several machines share a memory \
             through one server"
        }
        Error::LockedElsewhere(_) => {
            "End that program. If it has ended without closing the database, the command `limbic unlock` shows its locks \
             and removes them"
        }
        Error::StaticVectors(_) => {
            "Name a folder that has subwords.bin with Options::model. search_code with mode \"words\" does not need it"
        }
        Error::Damaged(_) => "Restore a copy, or open another path",
        Error::ForeignDatabase(_) => {
            "Open another path; the tool migrate imports this database into a memory of its own"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_for_a_library_name_no_option_of_a_command() {
        let options = Options { shell: Shell::Library, ..Options::default() };
        let errors = [
            Error::ReadOnly,
            Error::UnfinishedWrite,
            Error::OneUserOnly("read_graph".to_owned()),
            Error::NotADatabase,
            Error::Encrypted,
            Error::WrongKey,
            Error::NotEncrypted,
            Error::SharedDisk(String::new()),
            Error::LockedElsewhere(String::new()),
            Error::StaticVectors(String::new()),
            Error::Damaged(String::new()),
            Error::UnknownTool { name: String::new(), nearest: None },
        ];
        for error in errors {
            let found = hint(&error, &options).expect("each has a hint");
            assert!(!found.contains("--") && !found.contains("server with"), "{found}");
            assert_ne!(Some(found), hint(&error, &Options::default()), "{error}");
        }
    }
}
