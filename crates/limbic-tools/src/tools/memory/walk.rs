//! Traversal options as callers give them.

use limbic_core::{
    Error, Result, Transaction,
    store::memories::{
        self,
        traverse::{Traversal, Walk, newest, traverse},
    },
};

use super::{ALL, domain};
use crate::{context::Context, suggest::nearest};

/// Maximum number of known link types in a hint.
const MAX_SHOWN_TYPES: usize = 20;

/// The argument that names link types.
pub const RELATION_TYPES: &str = "relation_types";

/// Traversal options as a caller gives them.
#[derive(Debug, Default)]
pub struct TraversalOptions {
    /// Maximum number of links from the start.
    pub max_depth: usize,
    /// Only memories of this domain, besides the start.
    pub domain: Option<String>,
    /// Whether to follow references into other domains.
    pub follow_domains: bool,
    /// Maximum number of memories per domain.
    pub max_nodes_per_domain: usize,
    /// Only links of these types.
    pub relation_types: Vec<String>,
    /// The caller's name of the argument, if not relation_types.
    pub types_argument: Option<&'static str>,
    /// Minimum strength of links.
    pub min_strength: Option<f64>,
    /// Only memories of this user.
    pub user_id: Option<String>,
    /// Include invalidated memories.
    pub include_expired: bool,
}

/// Traverses from a memory, or from the newest one; without any memory the result is empty.
///
/// # Errors
/// [`Error::MemoryNotFound`], [`Error::DomainNotFound`]; [`Error::InvalidArgument`] for a type that no link has.
pub fn walk(
    context: &mut Context<'_>,
    start: Option<String>,
    options: TraversalOptions,
) -> Result<Traversal> {
    let given = options.domain.clone().filter(|domain| domain.trim() != ALL);
    let is_given = given.is_some();
    let current = domain(context, given)?;
    context.memory.read(|tx| {
        let argument = options.types_argument.unwrap_or(RELATION_TYPES);
        known_types(tx, argument, &options.relation_types, options.user_id.as_deref())?;
        let walk = Walk {
            max_depth: options.max_depth,
            domain: current.as_deref().filter(|_| is_given),
            follow_domains: options.follow_domains,
            max_nodes_per_domain: options.max_nodes_per_domain,
            relation_types: &options.relation_types,
            min_strength: options.min_strength,
            user_id: options.user_id.as_deref(),
            include_expired: options.include_expired,
        };
        let start = match (start, &current) {
            (Some(start), _) => Some(start),
            (None, Some(domain)) => newest(tx, domain, walk.user_id, walk.include_expired)?,
            (None, None) => None,
        };
        start.map_or_else(|| Ok(Traversal::default()), |start| traverse(tx, &start, &walk))
    })
}

/// Checks that links of these types exist among those visible to this user.
///
/// # Errors
/// [`Error::InvalidArgument`] for the first type that does not exist.
pub fn known_types(
    tx: &Transaction<'_>,
    argument: &str,
    wanted: &[String],
    user_id: Option<&str>,
) -> Result<()> {
    let known = if wanted.is_empty() { Vec::new() } else { memories::link_types(tx, user_id)? };
    let Some(wrong) = wanted.iter().find(|link_type| !known.contains(link_type)) else { return Ok(()) };
    let near = nearest(wrong, known.iter().map(String::as_str));
    let near = near.map(|near| format!("Did you mean {near:?}? ")).unwrap_or_default();
    let shown: Vec<&str> = known.iter().take(MAX_SHOWN_TYPES).map(String::as_str).collect();
    let shown = if shown.is_empty() { "none yet".to_owned() } else { shown.join(", ") };
    Err(Error::InvalidArgument {
        message: format!("{argument}: no link has the type {wrong:?}"),
        hint: Some(format!("{near}Types of links: {shown}")),
    })
}
