//! The toolset domain: separate collections of memories.

pub mod list_domains;
pub mod create_domain;
pub mod select_domain;
pub mod delete_domain;

use limbic_core::{
    Result, Transaction,
    store::domains::{self, Domain},
};
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
    /// When it was last written to or made the default. Absent for a limited user: others may have written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_access: Option<String>,
    /// Count of memories.
    pub memories: u64,
}

impl DomainView {
    /// Returns the view of a domain. With a user, only that user's memories are counted, and nothing reveals when
    /// others wrote.
    pub fn new(tx: &Transaction<'_>, domain: Domain, user: Option<&str>) -> Result<Self> {
        let memories = match user {
            Some(user) => domains::memories_of(tx, &domain.id, user)?,
            None => domain.memories,
        };
        Ok(Self {
            id: domain.id,
            name: domain.name,
            description: domain.description,
            created: domain.created,
            last_access: user.is_none().then_some(domain.last_access),
            memories,
        })
    }
}
