//! The native command `limbic`: the same database as the Node server's, for scripts, parity tests and benchmarks.

#![deny(clippy::print_stdout, clippy::print_stderr)]

// Defines `log!`, which the modules below use.
#[macro_use]
mod log;

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "benchmarks are run by a person")]
mod bench;
mod call;
mod check;
mod compact;
mod encode;
mod export;
mod inbox;
mod key_command;
mod model;
mod client_access;
mod options;
mod output;
#[cfg(feature = "postgres")]
mod pages;
mod project;
mod protected;
mod serve;
mod target;
mod tokens;
mod tools;
mod unlock;
mod variables;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use limbic_tools::Options;

use options::{DatabaseOptions, ExistingDatabase, ModelOptions};

/// Long-term memory for AI agents.
#[derive(Parser)]
#[command(name = "limbic", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve MCP over standard input and output, or over HTTP, for MCP clients
    Serve {
        #[command(flatten)]
        options: DatabaseOptions,
        /// Encrypt the database first, unless it is encrypted; see limbic key [env: LIMBIC_ENCRYPT]
        #[arg(long)]
        encrypt: bool,
        #[command(flatten)]
        http: serve::HttpOptions,
    },
    /// Call one tool and print its answer as JSON; the exit code is 1 for an error
    #[command(after_help = "Example: limbic call create_entities \
        '{\"entities\": [{\"name\": \"Ada\", \"observations\": [\"likes tea\"]}]}'")]
    Call {
        /// The tool's name; `limbic tools` lists them
        tool: String,
        /// Its arguments, a JSON object; `-` reads them from standard input
        #[arg(default_value = "{}")]
        arguments: String,
        #[command(flatten)]
        options: DatabaseOptions,
    },
    /// List the tools
    Tools {
        /// Print names, texts and schemas as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        options: DatabaseOptions,
    },
    /// Export to a file; the tool migrate imports all formats
    #[command(after_help = "Example: limbic export --format limbic --out memory.limbic.jsonl")]
    Export {
        #[command(flatten)]
        export: export::ExportOptions,
        #[command(flatten)]
        database: ExistingDatabase,
    },
    /// Check the database for damage; the exit code is 1 if there is any
    #[command(
        after_help = "Reads the whole database. It changes nothing, but undoes the write of a program that was killed."
    )]
    Check(ExistingDatabase),
    /// Rebuild the database, without free pages and without remains of records that earlier versions deleted
    #[command(
        after_help = "Other writers wait meanwhile, ten seconds each at most. In PostgreSQL, every page is \
        written again, so that the tables grow; then VACUUM frees the former rows for later writes. The room goes back to \
        the disk by VACUUM FULL of limbic_pages only, which locks out all servers of the store while it runs."
    )]
    Compact(ExistingDatabase),
    /// List the memories that wait for review, because of the origin that wrote them, and decide about them
    Inbox {
        #[command(subcommand)]
        action: Option<inbox::Action>,
        #[command(flatten)]
        database: ExistingDatabase,
    },
    /// Encrypt a database, show its recovery phrase, or give it another key
    #[command(
        subcommand,
        after_help = "The key is in LIMBIC_KEY (64 hexadecimal digits, Base64 of 32 bytes, or a recovery phrase), in the \
        file LIMBIC_KEY_FILE, which its owner alone may read, or else in the keychain of the system: that of macOS, or \
        with secret-tool. Encrypt creates a random key in the file or the keychain if there is none. Or it is derived from \
        a passphrase (Argon2id): LIMBIC_PASSPHRASE, the content of LIMBIC_PASSPHRASE_FILE, or a passphrase entered \
        at the terminal. While a database is encrypted, no other program can use it; afterwards running servers need \
        the key."
    )]
    Key(key_command::KeyAction),
    /// Show which programs hold locks on a database, and remove the locks of those not known to be running
    #[command(
        after_help = "Limbic removes the locks of ended programs automatically, except those of programs \
        of another machine, or of this one before a restart where there are no named pipes."
    )]
    Unlock(unlock::UnlockOptions),
    /// Create, list and revoke the tokens of clients over HTTP
    #[command(
        after_help = "A token that is revoked or has expired is refused from the next request on, in open sessions \
        too. With --user, calls reach only what belongs to that user: neither the graph of entities, nor the code index, \
        nor the explorer. The tokens of a database file are stored beside it and shared with limbic-memory token; those \
        of a memory in PostgreSQL are stored there and valid on all its servers. The token of --token (LIMBIC_TOKEN) is \
        limited by the server's options only."
    )]
    Token(tokens::TokenCommand),
    /// Move a memory between a database file and PostgreSQL; list and remove those of a store
    #[cfg(feature = "postgres")]
    #[command(
        subcommand,
        after_help = "Named tokens are copied as well, so that clients keep their access. Limbic does not \
        encrypt the pages in the store: protect them with PostgreSQL's roles, sslmode=verify-full and an encrypted disk."
    )]
    Pages(pages::Pages),
    /// Print the vector of each line of standard input: a JSON array of numbers
    Encode(ModelOptions),
    /// Check a sentence model before using it with --model
    #[command(subcommand)]
    Model(model::Action),
    /// Benchmark this build
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| output::exit_with(&error));
    let outcome = match arguments.command {
        Command::Serve { options, encrypt, http } => {
            options.resolve().and_then(|settings| serve::run(&settings, encrypt, http.resolve()?.as_ref()))
        }
        Command::Call { tool, arguments, options } => {
            options.resolve().and_then(|settings| call::run(&tool, &arguments, &settings))
        }
        Command::Tools { json, options } => {
            options.resolve().and_then(|settings| tools::run(&settings, json))
        }
        Command::Export { export, database } => {
            database.resolve().and_then(|database| export::run(&export, &database))
        }
        Command::Check(database) => database.resolve().and_then(|database| check::run(&database)),
        Command::Compact(database) => database.resolve().and_then(|database| compact::run(&database)),
        Command::Inbox { action, database } => {
            database.resolve().and_then(|database| inbox::run(action.as_ref(), &database))
        }
        Command::Key(action) => key_command::run(action),
        Command::Unlock(options) => unlock::run(options),
        Command::Token(command) => tokens::run(command),
        #[cfg(feature = "postgres")]
        Command::Pages(what) => pages::run(what),
        Command::Encode(options) => options.resolve().and_then(|model| encode::run(&model)),
        Command::Model(action) => model::run(action),
        Command::Bench(what) => bench::run(what),
    };
    match outcome {
        Ok(code) => code,
        Err(error) if output::is_unread(&error) => ExitCode::SUCCESS,
        Err(error) => {
            log!("{error:#}");
            let failure = error.chain().find_map(|cause| cause.downcast_ref::<limbic_core::Error>());
            if let Some(hint) = failure.and_then(|failure| limbic_tools::hint(failure, &Options::default())) {
                log!("{hint}");
            }
            ExitCode::from(2)
        }
    }
}
