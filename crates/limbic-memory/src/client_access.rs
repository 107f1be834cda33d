//! The access of a client: tools, user, and files to import.

use std::path::PathBuf;

use limbic_tools::{Options, Toolset, WriteRights};

use crate::settings::Settings;

/// The toolsets of the explorer, which also uses tools that are not offered to agents.
const EXPLORER_TOOLSETS: [&str; 2] = ["all", "explorer"];

/// The access of a client.
#[derive(Clone)]
pub struct ClientAccess {
    /// The options of its tools.
    pub tools: Options,
    /// The files that it may import.
    pub imports: Imports,
}

/// Which files a client may import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imports {
    /// All files that the server can read.
    Anywhere,
    /// None.
    Nowhere,
    /// Files in this folder.
    Below(PathBuf),
}

impl ClientAccess {
    /// Returns the access that the settings allow, for the process that started this one.
    pub fn of(settings: &Settings) -> Self {
        Self { tools: settings.tools.clone(), imports: Imports::Anywhere }
    }

    /// Returns the access of the explorer, which includes the memories of all users.
    pub fn to_explorer(settings: &Settings, imports: Imports, is_read_only: bool) -> Self {
        let mut tools = settings.tools.clone();
        tools.code = has_code(&settings.tools);
        tools.remote = imports != Imports::Anywhere;
        if is_read_only && !tools.read_only {
            (tools.read_only, tools.write_rights) = (true, WriteRights::Token);
        }
        tools.toolsets = EXPLORER_TOOLSETS.map(str::to_owned).to_vec();
        (tools.compat, tools.user) = (None, None);
        Self { tools, imports }
    }
}

/// Whether the code index is offered; projects are kept up to date only then.
pub fn has_code(tools: &Options) -> bool {
    limbic_tools::offered(tools).iter().any(|tool| tool.toolset == Toolset::Code)
}
