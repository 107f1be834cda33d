//! Completions of words that a user has begun to type.

use rusqlite::params_from_iter;

use super::{conditions::Conditions, graph::entities};
use crate::{
    Result, Transaction,
    model::{memory_words::Category, text},
};

/// The kind of word that is being typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The name of an entity.
    Entity,
    /// The id of a domain.
    Domain,
    /// The category of a memory.
    Category,
    /// A tag of memories.
    Tag,
}

/// The memories whose words are suggested; without a restriction, also words that no memory has.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope<'a> {
    /// The domain.
    pub domain: Option<&'a str>,
    /// The user.
    pub user_id: Option<&'a str>,
}

/// Returns the first `limit` words with this beginning, ignoring case, in alphabetical order, and their total count.
pub fn beginning_with(
    tx: &Transaction<'_>,
    kind: Kind,
    scope: Scope<'_>,
    begun: &str,
    limit: usize,
) -> Result<(usize, Vec<String>)> {
    // A domain is not one of itself.
    let domain = scope.domain.filter(|_| kind != Kind::Domain);
    let is_of_all = domain.is_none() && scope.user_id.is_none();
    let words = match kind {
        Kind::Entity if is_of_all => return entities::beginning_with(tx, begun, limit),
        Kind::Category if is_of_all => Category::WORDS
            .iter()
            .filter(|word| word.starts_with(&text::fold(begun)))
            .map(|word| (*word).to_owned())
            .collect(),
        _ => {
            let mut conditions = Conditions::default();
            if let Some(domain) = domain {
                conditions.and("m.domain = ?", domain.to_owned());
            }
            if let Some(user) = scope.user_id {
                conditions.and("m.user_id = ?", user.to_owned());
            }
            found(tx, &format!("{}{}", source(kind, is_of_all), conditions.sql()), conditions, begun)?
        }
    };
    Ok((words.len(), words.into_iter().take(limit).collect()))
}

/// The source of the words: memories `m`, if restricted to some of them.
fn source(kind: Kind, is_of_all: bool) -> &'static str {
    match kind {
        Kind::Domain if is_of_all => "SELECT id AS word FROM DOMAINS",
        Kind::Domain => "SELECT m.domain AS word FROM MEMORY_NODES AS m",
        Kind::Tag if is_of_all => "SELECT tag AS word FROM MEMORY_TAGS",
        Kind::Tag => "SELECT t.tag AS word FROM MEMORY_NODES AS m JOIN MEMORY_TAGS AS t ON t.nodeId = m.id",
        Kind::Category => "SELECT m.category AS word FROM MEMORY_NODES AS m",
        Kind::Entity => {
            "SELECT e.name AS word FROM MEMORY_NODES AS m JOIN memory_entities AS l ON l.memory_id = m.id
             JOIN entities AS e ON e.id = l.entity_id"
        }
    }
}

fn found(tx: &Transaction<'_>, sql: &str, mut conditions: Conditions, begun: &str) -> Result<Vec<String>> {
    let begun = conditions.value(text::fold(begun));
    let mut statement = tx.prepare_cached(&format!(
        "SELECT DISTINCT word FROM ({sql}) WHERE {begun} = '' OR instr(fold(word), {begun}) = 1
         ORDER BY fold(word), word"
    ))?;
    let words = statement.query_map(params_from_iter(conditions.values()), |row| row.get(0))?;
    Ok(words.collect::<rusqlite::Result<_>>()?)
}
