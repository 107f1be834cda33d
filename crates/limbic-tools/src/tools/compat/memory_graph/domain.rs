//! The view of domains in Memory Graph's answers.

use limbic_core::store::domains::Domain;
use schemars::JsonSchema;
use serde::Serialize;

/// A domain.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainInfo {
    /// Unique domain identifier
    pub id: String,
    /// Human-readable name
    pub name: String,
    /// Purpose/scope of the domain
    pub description: String,
    /// When it was created
    pub created: String,
    /// When it was last selected or written to
    pub last_access: String,
}

impl From<Domain> for DomainInfo {
    fn from(domain: Domain) -> Self {
        Self {
            id: domain.id,
            name: domain.name,
            description: domain.description.unwrap_or_default(),
            created: domain.created,
            last_access: domain.last_access,
        }
    }
}
