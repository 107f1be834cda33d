//! The domains of a session's project.

use limbic_core::{
    Result,
    store::{domains, origins},
};

use super::event::Event;
use crate::Limbic;

/// Returns the domains that a hook reads: the project's, which has the name of the project or else is the database's
/// default, then the shared one, `general`. Other domains are excluded, and so are that of a name for which the folder
/// waits, and a default domain that has the name of another project: what clients of that project store there does not
/// wait, and any client may make it the default.
pub fn domains_of(limbic: &mut Limbic, event: &Event) -> Result<Vec<String>> {
    let project = event.project_name().filter(|_| event.unconfirmed.is_none());
    let named = project.map(|project| find(limbic, project)).transpose()?.flatten();
    let own = match named {
        None => default_of_none(limbic)?,
        named => named,
    };
    let mut found: Vec<String> = own.into_iter().collect();
    if !found.iter().any(|domain| domain == domains::FIRST) {
        found.extend(find(limbic, domains::FIRST)?);
    }
    let withheld = withheld(limbic, event)?;
    found.retain(|domain| Some(domain) != withheld.as_ref());
    Ok(found)
}

fn find(limbic: &mut Limbic, name: &str) -> Result<Option<String>> {
    limbic.memory.read(|tx| domains::find(tx, name))
}

/// Returns the database's default domain, unless it has the name of a project.
fn default_of_none(limbic: &mut Limbic) -> Result<Option<String>> {
    let default = limbic.memory.domain()?;
    let is_of_project =
        default != domains::FIRST && limbic.memory.read(|tx| origins::is_project(tx, &default))?;
    Ok(Some(default).filter(|_| !is_of_project))
}

/// Returns the domain whose memories a hook does not return: that of a project for whose name the folder waits.
pub fn withheld(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let Some(name) = event.project_name().filter(|_| event.unconfirmed.is_some()) else { return Ok(None) };
    Ok(find(limbic, name)?.filter(|domain| domain != domains::FIRST))
}

/// Returns the domain that marks are stored in: that of the project's name, or else the first one that hooks of the
/// project read. If there is none, the database's default, where marks wait.
pub fn home(limbic: &mut Limbic, event: &Event) -> Result<String> {
    let named = event.project_name().map(|project| find(limbic, project)).transpose()?.flatten();
    if let Some(domain) = named {
        return Ok(domain);
    }
    match domains_of(limbic, event)?.into_iter().next() {
        Some(domain) => Ok(domain),
        None => limbic.memory.domain(),
    }
}
