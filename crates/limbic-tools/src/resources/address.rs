//! URIs of resources.

use crate::percent_encoding::decoded;

/// The whole graph; the reference server's URI.
pub const KNOWLEDGE_GRAPH: &str = "memory://knowledge-graph";
/// Statistics of the memory.
pub const STATS: &str = "memory://stats";
/// One entity.
pub const ENTITY_TEMPLATE: &str = "memory://entity/{name}";

const ENTITY: &str = "memory://entity/";

/// The target of a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// The whole graph.
    KnowledgeGraph,
    /// Statistics of the memory.
    Stats,
    /// The entity of this name.
    Entity(String),
}

impl Address {
    /// Parses a URI; `None` if there can be no such resource.
    pub fn parse(uri: &str) -> Option<Self> {
        match uri {
            KNOWLEDGE_GRAPH => Some(Self::KnowledgeGraph),
            STATS => Some(Self::Stats),
            _ => decoded(uri.strip_prefix(ENTITY)?).filter(|name| !name.is_empty()).map(Self::Entity),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_percent_encoded() {
        let named = |name: &str| Some(Address::Entity(name.to_owned()));
        assert_eq!(Address::parse("memory://entity/Atlas"), named("Atlas"));
        assert_eq!(Address::parse("memory://entity/%C3%8Ele%20%e2%98%95"), named("Île ☕"));
        assert_eq!(Address::parse("memory://entity/a%2Fb/c+d%25"), named("a/b/c+d%"));
        assert_eq!(Address::parse("memory://entity/Île"), named("Île"));
    }

    #[test]
    fn invalid_uris_are_rejected() {
        for uri in [
            "memory://entity/",
            "memory://entity",
            "memory://entity/%",
            "memory://entity/%4",
            "memory://entity/%zz",
            "memory://entity/%+1",
            "memory://entity/%ff",
            "memory://statistics",
            "",
        ] {
            assert_eq!(Address::parse(uri), None, "{uri}");
        }
    }
}
