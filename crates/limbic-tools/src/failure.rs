//! Failures in answers.

use limbic_core::Error;
use limbic_guard::escape;
use serde_json::json;

use crate::{
    Options,
    options::{Shell, WriteRights},
    registry,
};

/// The JSON form of a failure: `{error, code, hint?}`.
#[must_use]
pub fn error_json(error: &Error) -> String {
    error_json_for(error, &Options::default())
}

/// Maximum length of an error message, in characters: a longer one repeats input.
const MAX_CHARS: usize = 2_000;

/// As [`error_json`], with hints that name only tools which these options offer, and what their shell has.
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

/// Returns the hint of a failure, if there is one: a tool, an option or a value that helps. It names only tools that
/// calls with these options may reach.
#[must_use]
pub fn hint(error: &Error, options: &Options) -> Option<String> {
    if let Error::ImportInterrupted { cause, .. } = error {
        return hint(cause.as_ref()?, options);
    }
    if matches!(error, Error::ReadOnly)
        && let Some(text) = read_only_hint(options)
    {
        return Some(text.to_owned());
    }
    let of_shell = match options.shell {
        Shell::Command => None,
        Shell::Library => library_hint(error),
        Shell::Page => page_hint(error),
        Shell::Inbox => inbox_hint(error),
    };
    if let Some(text) = of_shell {
        return Some(text.to_owned());
    }
    match error {
        Error::InvalidArgument { hint, .. } => hint.clone().filter(|text| names_only_callable(text, options)),
        Error::UnknownTool { name, .. } if let Some(toolset) = toolset_left_out(name, options) => {
            Some(format!(
                "{name} is in the toolset {toolset}, which is not offered here: start the server with {toolset} in \
             --toolsets; a token must allow it, too"
            ))
        }
        Error::UnknownTool { nearest, .. } => {
            let list = match options.shell {
                Shell::Library => "TOOLS has all tools",
                Shell::Command | Shell::Page | Shell::Inbox => "The list of tools has all names",
            };
            Some(match nearest {
                Some(name) => format!("Did you mean {name:?}? {list}"),
                None => list.to_owned(),
            })
        }
        Error::ForeignDatabase(_) => {
            let start = match options.shell {
                Shell::Library => "Open another path",
                Shell::Command | Shell::Page | Shell::Inbox => "Give another path with --db",
            };
            let migrates = "the tool migrate imports this database into a memory of its own";
            Some(match registry::is_callable(options, "migrate") {
                true => format!("{start}; {migrates}"),
                false => start.to_owned(),
            })
        }
        _ => match tool_hint(error) {
            Some(found) => found.text(options),
            None => command_hint(error).map(str::to_owned),
        },
    }
}

/// A part of a hint: of several forms with the tools that they name, the first whose tools may all be called.
type Part = &'static [(&'static [&'static str], &'static str)];

/// A hint that names tools.
struct ToolHint {
    /// What applies without a tool; may be empty.
    start: &'static str,
    parts: &'static [Part],
}

impl ToolHint {
    /// Returns the hint for these options; `None` if nothing is left of it.
    fn text(&self, options: &Options) -> Option<String> {
        let is_callable = |name: &&str| registry::is_callable(options, name);
        let usable = |part: &Part| part.iter().find(|(tools, _)| tools.iter().all(is_callable));
        let parts: Vec<&str> = self.parts.iter().filter_map(usable).map(|(_, text)| *text).collect();
        let separator = if self.start.is_empty() || parts.is_empty() { "" } else { ": " };
        let text = format!("{}{separator}{}", self.start, parts.join(", "));
        (!text.is_empty()).then_some(text)
    }
}

/// Returns the toolset of an existing tool for agents that the options leave out of those that a command may choose.
fn toolset_left_out(name: &str, options: &Options) -> Option<&'static str> {
    let may_choose = options.shell == Shell::Command && options.compat.is_none();
    let tool = registry::TOOLS.iter().find(|tool| tool.answers_to(name) && tool.toolset.is_for_agents())?;
    may_choose.then(|| tool.toolset.name())
}

/// Whether every tool that a text names may be called. A name without an underscore may be a word.
fn names_only_callable(text: &str, options: &Options) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut words = text.split(|letter| !is_part(letter)).filter(|word| word.contains('_'));
    words.all(|word| {
        !registry::TOOLS.iter().any(|tool| tool.name == word) || registry::is_callable(options, word)
    })
}

/// Returns the hint of a failure that a tool mends.
fn tool_hint(error: &Error) -> Option<ToolHint> {
    const ENTITIES: Part = &[
        (&["search_nodes"], "search_nodes finds parts of names"),
        (&["explore_records"], "explore_records with text finds parts of names"),
    ];
    const ENTITY_IDS: Part = &[
        (&["open_nodes"], "open_nodes with detail \"full\" shows the ids"),
        (&["explore_entity"], "explore_entity shows the ids"),
    ];
    const MEMORIES: Part = &[
        (&["memory_list", "memory_recall"], "memory_list and memory_recall show the ids"),
        (
            &["recall_memories", "search_memory_content"],
            "recall_memories and search_memory_content return ids",
        ),
        (&["explore_records"], "explore_records with kind \"memories\" shows the ids"),
    ];
    const DOMAIN_LIST: Part = &[(&["list_domains"], "list_domains shows the ids")];
    const DOMAINS: Part =
        &[(&["list_domains"], "list_domains shows the ids"), (&[], "Ids of domains are matched exactly")];
    let (start, parts): (_, &[Part]) = match error {
        Error::EntityNotFound(_) | Error::ReferenceEntityNotFound(_) => (
            "Names are matched exactly",
            &[ENTITIES, &[(&["create_entities"], "create_entities creates an entity")]],
        ),
        Error::EntityIdNotFound(_) | Error::ObservationNotFound(_) | Error::RelationNotFound(_) => {
            ("", &[ENTITY_IDS])
        }
        Error::NoSuchText { .. } => (
            "Texts are matched exactly, and another client may have moved it",
            &[&[
                (&["propose_entity_split"], "propose_entity_split shows the current ones"),
                (&["open_nodes"], "open_nodes shows the current ones"),
            ]],
        ),
        Error::ObservationExists(_) => {
            ("", &[&[(&["delete_observations"], "delete_observations removes the outdated one")]])
        }
        Error::MemoryNotFound(_) => ("", &[MEMORIES]),
        Error::MemoryExists(_) => (
            "",
            &[&[
                (&["edit_memory"], "edit_memory changes it"),
                (&["memory_update"], "memory_update changes it"),
                (&[], "Choose another id"),
            ]],
        ),
        Error::BlankDomainId => ("", &[&[(&["list_domains"], "list_domains shows the existing ids")]]),
        Error::DomainNotFound(_) => {
            ("", &[DOMAINS, &[(&["create_domain"], "create_domain creates a domain")]])
        }
        Error::SelectedDomainDeleted(_) => {
            ("Use another domain", &[&[(&["select_domain"], "select_domain selects one")], DOMAIN_LIST])
        }
        Error::ProjectNotFound { .. } => (
            "",
            &[
                &[(&["list_projects"], "list_projects shows the ids")],
                &[(&["index_project"], "index_project adds a project")],
            ],
        ),
        Error::SymbolNotFound(_) => (
            "",
            &[&[
                (&["search_symbols"], "search_symbols shows the ids"),
                (&[], "Ids of symbols have the form project:path#name"),
            ]],
        ),
        Error::IndexInterrupted => ("", &[&[(&["get_index_status"], "get_index_status shows the progress")]]),
        Error::InvalidSql(_) => ("", &[&[(&["explore_schema"], "explore_schema shows tables and columns")]]),
        Error::SqlRefused => (
            "",
            &[&[
                (&["create_entities"], "Use the tools to change what is stored"),
                (&["memory_store"], "Use the tools to change what is stored"),
            ]],
        ),
        Error::FullTextRefused => (
            "",
            &[&[
                (&["memory_recall", "search_semantic"], "memory_recall and search_semantic search by words"),
                (&["explore_records"], "explore_records with text searches by words"),
            ]],
        ),
        _ => return None,
    };
    Some(ToolHint { start, parts })
}

/// Returns the hint where no file refuses the write.
fn read_only_hint(options: &Options) -> Option<&'static str> {
    match (options.write_rights, options.shell) {
        (WriteRights::File, _) => None,
        (WriteRights::Token, _) => {
            Some("This token may only read: use one that was created without --read-only (token create NAME)")
        }
        (WriteRights::Store, Shell::Library) => Some(
            "To change it, open it without Options::read_only, at the address of a database server that writes",
        ),
        (WriteRights::Store, _) => Some(
            "To change it, start the server without --read-only, with the address of a database server that writes",
        ),
    }
}

/// Returns the hint of another failure, as a command or a tool mends it.
fn command_hint(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::DomainNotEmpty { .. } => "Move them to another domain with move_to, or delete them first",
        Error::Timeout { .. } => "Ask for less: a lower limit, a narrower filter, or several calls",
        Error::CallAbandoned => "Call the tool again if its answer is still needed",
        Error::Stopping => "Call the tool again when the server has been started again",
        Error::Panicked => {
            "Check whether the call took effect before you repeat it, and please report the error"
        }
        Error::SqlStopped(_) => "Narrow the query, or lower its limit",
        Error::SqlFunctionRefused(_) => "Write the statement without it",
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
    })
}

/// Returns the hint of a failure as a page mends it, which has no command line: it stores its memory in the browser, or
/// is an export that holds it.
fn page_hint(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::ReadOnly => "This page only shows a copy: change the memory that it was exported from",
        Error::UnfinishedWrite => {
            "Open it once with the program that wrote it, which undoes the write, and import it again"
        }
        Error::OtherUser(_) | Error::OneUserOnly(_) => "Use a memory that is not limited to a user",
        Error::NotADatabase => "Choose another file",
        Error::Encrypted => {
            "Give its recovery phrase. To import it, open it with its key in Limbic's server and export it"
        }
        Error::WrongKey => "Give the recovery phrase that was shown when this database got its key",
        Error::NotEncrypted => "It needs no key",
        Error::SharedDisk(_) | Error::LockedElsewhere(_) => "Close it in the other program",
        Error::StaticVectors(_) => "Load the page again. search_code with mode \"words\" does not need it",
        Error::Damaged(_) => "Import a copy that is not damaged",
        Error::ForeignDatabase(_) => "Choose another file",
        _ => return None,
    })
}

/// Returns the hint of a failure as the command `inbox` mends it, which takes ids and labels.
fn inbox_hint(error: &Error) -> Option<&'static str> {
    matches!(error, Error::MemoryNotFound(_) | Error::InvalidArgument { .. })
        .then_some("List what waits, with ids and labels: `limbic-memory inbox` (natively `limbic inbox`)")
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
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use limbic_core::Foreign;

    use super::*;

    /// Failures whose hints name what only a command has.
    fn of_shells() -> [Error; 14] {
        [
            Error::ReadOnly,
            Error::UnfinishedWrite,
            Error::OtherUser(String::new()),
            Error::OneUserOnly("read_graph".to_owned()),
            Error::NotADatabase,
            Error::Encrypted,
            Error::WrongKey,
            Error::NotEncrypted,
            Error::SharedDisk(String::new()),
            Error::LockedElsewhere(String::new()),
            Error::StaticVectors(String::new()),
            Error::Damaged(String::new()),
            Error::ForeignDatabase(Foreign::Unknown),
            Error::ImportInterrupted { cause: Some(Box::new(Error::Encrypted)), stored: None },
        ]
    }

    /// Failures whose hints name tools.
    fn of_tools() -> [Error; 19] {
        let text = String::new;
        [
            Error::EntityNotFound(text()),
            Error::ReferenceEntityNotFound(text()),
            Error::EntityIdNotFound(1),
            Error::ObservationNotFound(text()),
            Error::RelationNotFound(text()),
            Error::NoSuchText { entity: text(), start: text() },
            Error::ObservationExists(1),
            Error::MemoryNotFound(text()),
            Error::MemoryExists(text()),
            Error::BlankDomainId,
            Error::DomainNotFound(text()),
            Error::SelectedDomainDeleted(text()),
            Error::ProjectNotFound { id: text(), known: Vec::new() },
            Error::SymbolNotFound(text()),
            Error::IndexInterrupted,
            Error::InvalidSql(text()),
            Error::SqlRefused,
            Error::FullTextRefused,
            Error::ForeignDatabase(Foreign::Unknown),
        ]
    }

    fn offering(toolsets: &[&str], read_only: bool) -> Options {
        let toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
        Options { toolsets, read_only, ..Options::default() }
    }

    #[test]
    fn hints_for_a_library_and_a_page_name_no_option_of_a_command() {
        for shell in [Shell::Library, Shell::Page] {
            let options = Options { shell, ..Options::default() };
            for error in of_shells() {
                let found = hint(&error, &options).expect("each has a hint");
                assert!(!found.contains("--") && !found.contains("server with"), "{found}");
                assert_ne!(Some(found), hint(&error, &Options::default()), "{error}");
            }
        }
    }

    #[test]
    fn hints_for_a_page_name_no_variable() {
        let options = Options { shell: Shell::Page, ..Options::default() };
        for error in of_shells() {
            let found = hint(&error, &options).expect("each has a hint");
            assert!(!found.contains("LIMBIC_") && !found.contains("Options::"), "{found}");
        }
    }

    #[test]
    fn hints_name_only_tools_that_may_be_called() {
        let mut all = vec![Options { compat: Some("server-memory".to_owned()), ..Options::default() }];
        all.push(Options { compat: Some("memory-graph".to_owned()), ..Options::default() });
        all.push(Options { user: Some("ada".to_owned()), ..Options::default() });
        for toolsets in
            [&[][..], &["memory"], &["graph"], &["advanced"], &["explorer"], &["all"], &["code", "explorer"]]
        {
            all.extend([false, true].map(|read_only| offering(toolsets, read_only)));
        }
        let shells = [Shell::Command, Shell::Library, Shell::Page, Shell::Inbox];
        let all = shells
            .iter()
            .flat_map(|shell| all.iter().map(|options| Options { shell: *shell, ..options.clone() }));
        let missing =
            |hint: &str| Error::InvalidArgument { message: "id is missing".into(), hint: Some(hint.into()) };
        let given = [missing("open_nodes shows the ids"), missing("An id, as in read_graph")];
        for options in all {
            for error in of_tools().iter().chain(&given) {
                let Some(text) = hint(error, &options) else { continue };
                assert!(names_only_callable(&text, &options), "{options:?}: {text}");
                assert!(
                    !text.contains("migrate") || registry::is_callable(&options, "migrate"),
                    "{options:?}: {text}"
                );
                let first = text.split([' ', ',']).next().unwrap_or_default();
                let is_start =
                    first.starts_with(char::is_uppercase) || registry::is_callable(&options, first);
                assert!(is_start, "{options:?}: {text}");
            }
        }
    }

    #[test]
    fn a_tool_that_is_not_offered_is_not_taken_for_a_misspelt_one() {
        let found = |name: &str, options: &Options| {
            hint(&Error::UnknownTool { name: name.to_owned(), nearest: None }, options)
                .expect("each has a hint")
        };
        let of_memories = offering(&["memory"], false);
        for (name, toolset) in [("read_graph", "graph"), ("search_code", "code"), ("list_domains", "domain")]
        {
            let text = found(name, &of_memories);
            assert!(text.contains(&format!("in the toolset {toolset}, which is not offered")), "{text}");
        }
        let of_library = Options { shell: Shell::Library, ..offering(&["memory"], false) };
        let of_other = Options { compat: Some("server-memory".to_owned()), ..Options::default() };
        for (name, options) in [
            ("read_graphs", &of_memories),
            ("explore_graph", &of_memories),
            ("read_graph", &of_library),
            ("memory_store", &of_other),
        ] {
            let text = found(name, options);
            assert!(!text.contains("toolset"), "{name}: {text}");
        }
    }

    #[test]
    fn hints_for_the_command_inbox_name_no_tool_that_it_calls() {
        let options = Options { shell: Shell::Inbox, ..offering(&["explorer"], false) };
        let label = Error::InvalidArgument {
            message: "trust must hold labels".into(),
            hint: Some("explore_inbox lists the labels".into()),
        };
        for error in [Error::MemoryNotFound("m".into()), label] {
            let found = hint(&error, &options).expect("each has a hint");
            assert!(found.contains("`limbic inbox`") && !found.contains("explore_"), "{found}");
        }
    }

    #[test]
    fn a_refused_statement_leads_to_the_tools_only_where_they_write() {
        let advice = "Use the tools to change what is stored";
        assert_eq!(hint(&Error::SqlRefused, &offering(&["all"], false)).as_deref(), Some(advice));
        for options in [offering(&["all"], true), offering(&["explorer"], false)] {
            assert_eq!(hint(&Error::SqlRefused, &options), None);
        }
    }

    #[test]
    fn the_hint_of_a_refused_write_names_what_refuses_it() {
        let text = |write_rights, shell| {
            let options = Options { write_rights, shell, ..Options::default() };
            hint(&Error::ReadOnly, &options).expect("it has a hint")
        };
        let file = text(WriteRights::File, Shell::Command);
        assert!(file.contains("--read-only") && file.contains("the file and its folder"), "{file}");
        for shell in [Shell::Command, Shell::Library] {
            let store = text(WriteRights::Store, shell);
            assert!(store.contains("a database server that writes") && !store.contains("file"), "{store}");
        }
        let token = text(WriteRights::Token, Shell::Command);
        assert!(token.contains("token") && !token.contains("start the server"), "{token}");
    }

    #[test]
    fn hints_of_the_default_tools_name_them() {
        let text = |error: Error| hint(&error, &Options::default()).expect("each has a hint");
        assert_eq!(
            text(Error::EntityNotFound("Ada".into())),
            "Names are matched exactly: search_nodes finds parts of names, create_entities creates an entity"
        );
        assert_eq!(
            text(Error::DomainNotFound("x".into())),
            "list_domains shows the ids, create_domain creates a domain"
        );
        let of_explorer = hint(&Error::EntityNotFound("Ada".into()), &offering(&["explorer"], false));
        assert_eq!(
            of_explorer.as_deref(),
            Some("Names are matched exactly: explore_records with text finds parts of names")
        );
    }
}
