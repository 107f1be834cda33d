//! Notes of basic-memory: front matter, observations and relations.
//!
//! The format is that of "Note Format Reference" in the documentation of basic-memory: `- [category] text #tag
//! (context)` is an observation, `- relation_type [[Target]] (context)` a relation, wherever they stand.

use limbic_core::{model::entity_status::EntityStatus, records::Entity};

use super::{blocks::Block, front_matter::FrontMatter, statements::Statement};
use crate::import::parsed_records::{Link, Note};

/// The name of the format.
pub const FORMAT: &str = "basic-memory";

/// The type of a relation without a type.
const UNTYPED: &str = "relates_to";

/// The type of a link in prose.
const IN_PROSE: &str = "links_to";

/// Maximum length of a relation's type, in bytes; a longer text before a link is prose.
const MAX_TYPE_BYTES: usize = 60;

/// Fields of a front matter that are fields of a note; others are observations.
const OF_NOTES: [&str; 12] = [
    "title",
    "type",
    "description",
    "tags",
    "permalink",
    "aliases",
    "created",
    "created_at",
    "date",
    "modified",
    "updated",
    "updated_at",
];

/// Headings that do not describe the text below them.
const USUAL_HEADINGS: [&str; 4] = ["observations", "relations", "notes", "content"];

/// Reads a note; `None` for other Markdown. `path` is that of the file within its folder. With more than `most`
/// observations and links, not all are read.
pub fn note(
    front: &FrontMatter,
    (blocks, statements): (&[Block], &[Statement]),
    path: &str,
    most: usize,
) -> Option<Note> {
    let is_below = |statement: &Statement, heading: &str| {
        statement.headings.last().is_some_and(|last| last.eq_ignore_ascii_case(heading))
    };
    let is_note = front.has("permalink")
        || statements.iter().any(|statement| {
            statement.is_bullet
                && (is_below(statement, "observations") && is_observation(&statement.text)
                    || is_below(statement, "relations") && relation(&statement.text).is_some())
        });
    if !is_note {
        return None;
    }
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let file_name = stem.rsplit(['/', '\\']).next().unwrap_or(stem);
    let heading = blocks.iter().find_map(|block| match block {
        Block::Heading { level: 1, text } if !text.is_empty() => Some(text.as_str()),
        _ => None,
    });
    let title = front.text(&["title"]).or(heading).unwrap_or(file_name).to_owned();
    let (mut observations, mut links) = (Vec::new(), Vec::new());
    for statement in statements {
        if observations.len() + links.len() > most {
            break;
        }
        // A heading without text below it.
        if statement.text.eq_ignore_ascii_case(&title) {
            continue;
        }
        if let Some(link) = relation(&statement.text).filter(|_| statement.is_bullet) {
            links.push(link);
            continue;
        }
        links.extend(targets(&statement.text).map(|target| Link {
            relation_type: IN_PROSE.to_owned(),
            target: target.to_owned(),
            context: None,
        }));
        let text = text_of(statement, &title);
        observations.push(match statement.is_done {
            Some(is_done) => format!("[{}] {text}", if is_done { "x" } else { " " }),
            None => text,
        });
    }
    let tags = front.list("tags");
    if !tags.is_empty() {
        observations.push(format!("Tags: {}", tags.join(", ")));
    }
    for (name, values) in front.others(&OF_NOTES) {
        let value = values.join(", ");
        if !value.is_empty() {
            observations.push(format!("{name}: {value}"));
        }
    }
    let created_at = front.text(&["created", "created_at", "date"]).map(str::to_owned);
    let entity = Entity {
        name: title,
        entity_type: front.text(&["type"]).unwrap_or("note").to_owned(),
        status: EntityStatus::Active.word().to_owned(),
        description: front.text(&["description"]).map(str::to_owned),
        user_id: None,
        created_at,
        updated_at: front.text(&["modified", "updated", "updated_at"]).map(str::to_owned),
    };
    let aliases = front.list("aliases");
    let names = front.text(&["permalink"]).into_iter().chain([stem, file_name]).map(str::to_owned);
    let names = names.chain(aliases).collect();
    Some(Note { location: path.to_owned(), entity, names, observations, links })
}

/// Returns the text of an observation, preceded by its heading if that adds to the title.
fn text_of(statement: &Statement, title: &str) -> String {
    let heading = statement.headings.last().filter(|heading| {
        !heading.eq_ignore_ascii_case(title) && !USUAL_HEADINGS.contains(&heading.to_lowercase().as_str())
    });
    match heading {
        Some(heading) if !is_observation(&statement.text) => format!("{heading}: {}", statement.text),
        _ => statement.text.clone(),
    }
}

/// Whether a bullet has the form `[category] text`.
fn is_observation(text: &str) -> bool {
    let Some((category, rest)) = text.strip_prefix('[').and_then(|inner| inner.split_once("] ")) else {
        return false;
    };
    !category.trim().is_empty()
        && category.len() <= 50
        && !category.contains(['[', ']'])
        && !rest.trim().is_empty()
}

/// Reads a bullet of the form `relation_type [[Target]] (context)`.
fn relation(text: &str) -> Option<Link> {
    let (relation_type, rest) = text.split_once("[[")?;
    let (target, after) = rest.split_once("]]")?;
    let after = after.trim();
    let context = match after {
        "" => None,
        // Of several groups, the text between them is prose.
        _ => Some(after.strip_prefix('(')?.strip_suffix(')')?.trim()).filter(|text| is_balanced(text)),
    };
    if context.is_none() && !after.is_empty() {
        return None;
    }
    let context = context.map(str::to_owned);
    let relation_type = relation_type.trim().trim_matches(['"', '\'']);
    let target = named(target)?;
    (relation_type.len() <= MAX_TYPE_BYTES && !is_observation(text)).then(|| Link {
        relation_type: if relation_type.is_empty() { UNTYPED } else { relation_type }.to_owned(),
        target: target.to_owned(),
        context,
    })
}

/// Whether no bracket of a text closes one that is before it.
fn is_balanced(text: &str) -> bool {
    let depth = text.chars().try_fold(0_usize, |depth, letter| match letter {
        '(' => Some(depth + 1),
        ')' => depth.checked_sub(1),
        _ => Some(depth),
    });
    depth.is_some()
}

/// Returns the names in double brackets.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("[[").skip(1).filter_map(|rest| named(rest.split_once("]]")?.0))
}

/// Returns the name of a link, without its heading and its display text.
fn named(target: &str) -> Option<&str> {
    let name = target.split(['|', '#']).next().unwrap_or_default().trim();
    (!name.is_empty() && !name.contains('\n')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_with_links_are_relations() {
        let link = relation("relates_to [[Coffee Bean Origins|beans]] (from memory)").expect("a relation");
        assert_eq!(
            (link.relation_type.as_str(), link.target.as_str()),
            ("relates_to", "Coffee Bean Origins")
        );
        assert_eq!(link.context.as_deref(), Some("from memory"));
        assert_eq!(relation("[[X]]").map(|link| link.relation_type), Some(UNTYPED.to_owned()));
        for text in
            ["see [[X]] and [[Y]]", "uses [[X]] (a) and [[Y]] (b)", "[method] uses [[X]]", "no link", "[[]]"]
        {
            assert!(relation(text).is_none(), "{text}");
        }
        assert_eq!(targets("see [[X#a]] and [[Y]]").collect::<Vec<_>>(), ["X", "Y"]);
    }

    #[test]
    fn categories_are_distinguished_from_links_and_tasks() {
        assert!(is_observation("[method] Pour over"));
        for text in ["[a](b) link", "[] none", "[x]", "plain"] {
            assert!(!is_observation(text), "{text}");
        }
    }
}
