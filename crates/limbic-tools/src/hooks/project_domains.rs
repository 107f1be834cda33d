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
    let default = limbic.memory.domain()?;
    let (own, is_shared) = limbic.memory.read(|tx| {
        let named = project.map(|project| domains::find(tx, project)).transpose()?.flatten();
        let is_of_another = default != domains::FIRST && origins::is_project(tx, &default)?;
        let default = Some(default).filter(|_| !is_of_another);
        Ok((named.or(default), domains::exists(tx, domains::FIRST)?))
    })?;
    let mut found: Vec<String> = own.into_iter().collect();
    if is_shared && !found.iter().any(|domain| domain == domains::FIRST) {
        found.push(domains::FIRST.to_owned());
    }
    let withheld = withheld(limbic, event)?;
    found.retain(|domain| Some(domain) != withheld.as_ref());
    Ok(found)
}

/// Returns the domain whose memories a hook does not return: that of a project for whose name the folder waits.
pub fn withheld(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let Some(name) = event.project_name().filter(|_| event.unconfirmed.is_some()) else { return Ok(None) };
    let named = limbic.memory.read(|tx| domains::find(tx, name))?;
    Ok(named.filter(|domain| domain != domains::FIRST))
}

/// Returns the domain that marks are stored in: that of the project's name, or else the database's default.
pub fn home(limbic: &mut Limbic, event: &Event) -> Result<String> {
    if let Some(project) = event.project_name()
        && let Some(domain) = limbic.memory.read(|tx| domains::find(tx, project))?
    {
        return Ok(domain);
    }
    limbic.memory.domain()
}
