//! The toolset domain: separate collections of memories.

pub mod list_domains;
pub mod create_domain;
pub mod select_domain;
pub mod delete_domain;

use limbic_core::store::domains::Domain;
use schemars::JsonSchema;
use serde::Serialize;

/// A domain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DomainView {
    /// Unique.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When it was created.
    pub created: String,
    /// When it was last written to or made the default.
    pub last_access: String,
    /// Count of memories.
    pub memories: u64,
}

impl From<Domain> for DomainView {
    fn from(domain: Domain) -> Self {
        Self {
            id: domain.id,
            name: domain.name,
            description: domain.description,
            created: domain.created,
            last_access: domain.last_access,
            memories: domain.memories,
        }
    }
}
