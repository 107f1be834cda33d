//! The domains of a session's project.

use limbic_core::{Result, store::domains};

use super::event::Event;
use crate::Limbic;

/// Returns the domains that a hook reads: the project's, which has the name of the project or else is the database's
/// default, then the shared one, `general`. Other domains are excluded.
pub fn domains_of(limbic: &mut Limbic, event: &Event) -> Result<Vec<String>> {
    let mut found = vec![home(limbic, event)?];
    let is_shared = limbic.memory.read(|tx| domains::exists(tx, domains::FIRST))?;
    if is_shared && found[0] != domains::FIRST {
        found.push(domains::FIRST.to_owned());
    }
    Ok(found)
}

/// Returns the project's domain; see [`domains_of`].
pub fn home(limbic: &mut Limbic, event: &Event) -> Result<String> {
    if let Some(project) = event.project()
        && let Some(domain) = limbic.memory.read(|tx| domains::find(tx, project))?
    {
        return Ok(domain);
    }
    limbic.memory.domain()
}
