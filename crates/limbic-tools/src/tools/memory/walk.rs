//! Where a walk goes that a caller asks for.

use limbic_core::{
    Error, Result, Transaction,
    store::memories::{
        self,
        traverse::{Traversal, Walk, newest, traverse},
    },
};

use super::{ALL, domain};
use crate::{context::Context, suggest::nearest};

/// So many known types of links are named in a hint.
const SHOWN_TYPES: usize = 20;

/// The argument that names types of links.
pub const RELATION_TYPES: &str = "relation_types";

/// How a walk goes, as a caller says it.
#[derive(Debug, Default)]
pub struct TraversalOptions {
    /// How many links.
    pub max_depth: usize,
    /// Only memories of this domain, beside the start.
    pub domain: Option<String>,
    /// Whether into other domains.
    pub follow_domains: bool,
    /// The most memories of each domain.
    pub max_nodes_per_domain: usize,
    /// Only links of these types.
    pub relation_types: Vec<String>,
    /// What the caller knows these as, if not as relation_types.
    pub types_argument: Option<&'static str>,
    /// Only links of at least this strength.
    pub min_strength: Option<f64>,
    /// Only memories of this user.
    pub user_id: Option<String>,
    /// Also what no longer holds.
    pub include_expired: bool,
}

/// Walks from a memory, or from the newest one; without any memory it is an empty walk.
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

/// That links of these types, which an argument names, are there, as far as this user may see.
///
/// # Errors
/// [`Error::InvalidArgument`] for the first that is not.
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
    let shown: Vec<&str> = known.iter().take(SHOWN_TYPES).map(String::as_str).collect();
    let shown = if shown.is_empty() { "none yet".to_owned() } else { shown.join(", ") };
    Err(Error::InvalidArgument {
        message: format!("{argument} names a type that no link has: {wrong:?}"),
        hint: Some(format!("{near}Types of links: {shown}")),
    })
}
