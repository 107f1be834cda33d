//! `limbic token`: creates, lists and revokes the tokens of clients over HTTP.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use super::{GivenRights, NAME_RULE, Prefix, Tokens, is_name, token_rights};
use crate::{options, output};

/// The exit code when there is nothing to revoke.
const NOTHING: u8 = 1;

/// The options of `limbic token`.
#[derive(Args)]
pub struct TokenCommand {
    #[command(subcommand)]
    action: Option<Action>,
    /// Database file, or address of a memory in PostgreSQL [env: LIMBIC_DB] [default: limbic/memory.db in the data
    /// folder]
    #[arg(long, value_name = "PATH", global = true)]
    db: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Action {
    /// Print the tokens, one JSON object per line, without their texts
    List,
    /// Create a token and print it; it is not stored and cannot be shown again
    Create {
        /// Up to 64 lower case letters, digits and . _ -
        name: String,
        #[command(flatten)]
        rights: RightsOptions,
    },
    /// Delete a token: every server refuses it from the next request on, in open sessions too
    Revoke {
        /// The token's name
        name: String,
    },
}

#[derive(Args)]
struct RightsOptions {
    /// Toolsets of its calls [default: the server's]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    toolsets: Option<Vec<String>>,
    /// Allow reading only
    #[arg(long)]
    read_only: bool,
    /// Limit calls to the memories of this user, without the graph
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Also allow the explorer, which shows and edits everything
    #[arg(long)]
    explorer: bool,
    /// A number of days such as 90d, or a date such as 2027-01-31
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
}

/// Runs the action.
pub fn run(TokenCommand { action, db }: TokenCommand) -> Result<ExitCode> {
    let action = action.unwrap_or(Action::List);
    let tokens = Tokens::of(&options::database(db)?, matches!(action, Action::List));
    match action {
        Action::List => {
            let listed = tokens.list()?;
            if listed.is_empty() {
                tokens.require_database()?;
            }
            for token in listed {
                output::line(&token.describe().to_string())?;
            }
        }
        Action::Create { name, rights } => {
            if !is_name(&name) {
                bail!(NAME_RULE);
            }
            let RightsOptions { toolsets, read_only, user, explorer, expires } = rights;
            let toolsets = toolsets.as_deref().map(options::names);
            let given = GivenRights { toolsets, read_only, user, explorer, expires };
            let text = tokens.create(&name, &token_rights(given, Prefix::Option)?)?;
            output::line(&text)?;
            log!(
                "clients send it as \"Authorization: Bearer TOKEN\"; it is not stored and cannot be shown again"
            );
        }
        Action::Revoke { name } if tokens.revoke(&name)? => {}
        Action::Revoke { name } => {
            log!("there is no token {name:?}; token list prints them");
            return Ok(ExitCode::from(NOTHING));
        }
    }
    Ok(ExitCode::SUCCESS)
}
