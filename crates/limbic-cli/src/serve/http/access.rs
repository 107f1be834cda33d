//! The access that the token of a request grants.

use super::refusal::Refusal;
use crate::tokens::NamedToken;

/// Who sends a request.
#[derive(Debug, Clone)]
pub struct Access {
    /// Identifies the token: a session belongs to the token that started it.
    pub holder: String,
    /// The named token; `None` for the server's own tokens.
    pub token: Option<NamedToken>,
    /// Whether it serves agents, at `/mcp`.
    pub is_for_agents: bool,
    /// Whether it opens the explorer, which shows and edits everything.
    pub is_for_explorer: bool,
}

impl Access {
    /// The access of a named token.
    pub fn of(token: NamedToken) -> Self {
        let is_for_explorer = token.rights.explorer;
        Self { holder: token.holder(), token: Some(token), is_for_agents: true, is_for_explorer }
    }

    /// Rejects agents' requests with a token that only opens the explorer.
    pub fn check_agent(&self) -> Result<(), Refusal> {
        if self.is_for_agents {
            return Ok(());
        }
        Err(forbidden(
            "The explorer's token does not serve MCP clients: use the server's other token, or create one with limbic token \
             create NAME",
        ))
    }

    /// Rejects requests for the explorer with a token that does not open it.
    pub fn check_explorer(&self) -> Result<(), Refusal> {
        if self.is_for_explorer {
            return Ok(());
        }
        let whose = match &self.token {
            None => "The token of MCP clients".to_owned(),
            Some(token) => format!("The token \"{}\"", token.name),
        };
        Err(forbidden(&format!(
            "{whose} does not open the explorer: use the explorer's own, or create one with limbic token create NAME \
             --explorer"
        )))
    }

    /// Rejects a named token for another user than the server's.
    pub fn check_user(&self, user: Option<&str>) -> Result<(), Refusal> {
        match (&self.token, user) {
            (Some(token), Some(_))
                if !token.rights.explorer
                    && token.rights.user.as_deref().is_some_and(|own| Some(own) != user) =>
            {
                Err(forbidden(&format!(
                    "The token \"{}\" is for another user than this server, which was started with --user",
                    token.name
                )))
            }
            _ => Ok(()),
        }
    }
}

/// A refusal that no other token of the same kind would change.
pub fn forbidden(error: &str) -> Refusal {
    Refusal::new(403, "forbidden", error)
}
