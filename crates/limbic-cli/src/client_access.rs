//! The access of a client with a token.

pub use limbic_memory::client_access::{ClientAccess, Imports, has_code};

use limbic_tools::WriteRights;

use crate::options::Settings;
use crate::tokens::TokenRights;

/// Returns the access of an agent with a token of these rights; without them, the access that the settings allow.
pub fn to_agents(settings: &Settings, imports: Imports, rights: Option<&TokenRights>) -> ClientAccess {
    let mut tools = settings.tools.clone();
    tools.code = has_code(&settings.tools);
    tools.remote = imports != Imports::Anywhere;
    if let Some(TokenRights { toolsets, read_only, user, .. }) = rights {
        if *read_only && !tools.read_only {
            (tools.read_only, tools.write_rights) = (true, WriteRights::Token);
        }
        if toolsets.is_some() || user.is_some() {
            // An emulated server has neither toolsets nor users.
            tools.compat = None;
        }
        tools.toolsets = toolsets.clone().unwrap_or(tools.toolsets);
        tools.user = user.clone().or(tools.user);
    }
    ClientAccess { tools, imports }
}
