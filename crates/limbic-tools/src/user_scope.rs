//! Calls that are limited to one user reach only that user's memories.
//!
//! Domains have no owner: all users see the same names, but only their own memories. The graph of entities,
//! the code index and the explorer have no owners, so that their tools are not offered.

use limbic_core::{Error, Result};
use schemars::Schema;
use serde_json::Value;

use crate::tool::{Access, Tool, Toolset};

/// The argument for the owner of memories.
const USER_ID: &str = "user_id";

/// Arguments that refer to records without an owner: entities of the graph, symbols of code.
const WITHOUT_OWNER: [&str; 2] = ["entities", "symbols"];

/// The argument that adds code to recalled memories.
pub(crate) const INCLUDE_CODE: &str = "include_code";

/// The argument that changes the domain in which the sessions of all users start.
const AS_DEFAULT: &str = "as_default";

impl Tool {
    /// Whether it can be limited to one user's memories.
    #[must_use]
    pub fn has_users(&self) -> bool {
        match self.toolset {
            Toolset::Memory | Toolset::More => true,
            // Deleting a domain moves the memories of all users.
            Toolset::Domain => self.access != Access::Destroy,
            Toolset::Graph | Toolset::Code | Toolset::Explorer => false,
        }
    }
}

/// Limits validated arguments to a user, if there is one.
///
/// # Errors
/// [`Error::OtherUser`] if they name another user; [`Error::OneUserOnly`] if they would reach what has no owner.
pub fn limit(tool: &Tool, arguments: &mut Value, user: Option<&str>) -> Result<()> {
    let Some(user) = user else { return Ok(()) };
    if !tool.has_users() {
        return Err(Error::OneUserOnly(tool.name.to_owned()));
    }
    let Some(fields) = arguments.as_object_mut() else { return Ok(()) };
    if let Some(argument) = WITHOUT_OWNER.into_iter().find(|argument| fields.contains_key(*argument)) {
        return Err(refused(argument));
    }
    for argument in [AS_DEFAULT, INCLUDE_CODE] {
        if fields.get(argument) == Some(&Value::Bool(true)) {
            return Err(refused(argument));
        }
    }
    if takes_user((tool.input)()) {
        let given = fields.get(USER_ID).map(|given| given.as_str().unwrap_or_default().to_owned());
        fields.insert(USER_ID.to_owned(), owner(given, Some(user))?.into());
    }
    Ok(())
}

/// Returns the owner for a call: the user that it is limited to, else the user in its arguments.
///
/// # Errors
/// [`Error::OtherUser`] if it names another user than the one that it is limited to.
pub fn owner(given: Option<String>, user: Option<&str>) -> Result<Option<String>> {
    match (given, user) {
        (given, None) => Ok(given),
        (Some(given), Some(user)) if given != user => Err(Error::OtherUser(user.to_owned())),
        (_, Some(user)) => Ok(Some(user.to_owned())),
    }
}

/// Returns the error for an argument that refers to records without an owner.
pub fn refused(argument: &str) -> Error {
    Error::OneUserOnly(format!("The argument {argument}"))
}

/// Whether a tool has an argument for the owner.
fn takes_user(input: &Schema) -> bool {
    input.as_value()["properties"].get(USER_ID).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_name_another_user_are_refused() {
        assert_eq!(owner(None, Some("ada")).ok().flatten().as_deref(), Some("ada"));
        assert_eq!(owner(Some("ada".into()), Some("ada")).ok().flatten().as_deref(), Some("ada"));
        assert_eq!(owner(Some("ben".into()), None).ok().flatten().as_deref(), Some("ben"));
        for other in ["ben", "Ada", "ada ", ""] {
            assert!(matches!(owner(Some(other.into()), Some("ada")), Err(Error::OtherUser(_))), "{other:?}");
        }
    }
}
