//! Limbic's own Markdown; see [`crate::memory_markdown`].

use std::collections::BTreeSet;

use limbic_core::records::{Domain, Edits, Memory};

use crate::{
    import::parsed_records::{Located, ParsedRecords},
    memory_markdown::{self as format, Line},
};

/// Adds the domains and memories of such an export. A bullet without an id is a new memory. Returns whether it is one.
pub fn read(text: &str, prefix: &str, parsed: &mut ParsedRecords) -> bool {
    let header_lines = match format::header(text) {
        Ok(Some(lines)) => lines,
        Ok(None) => return false,
        Err(reason) => {
            parsed.report.skip(|| format!("{prefix}{reason}"));
            return true;
        }
    };
    let mut domain: Option<String> = None;
    // The heading of a subject, and the subject, which may have other blanks or fewer backslashes.
    let (mut heading_of_subject, mut subject) = (String::new(), String::new());
    let mut ids = BTreeSet::new();
    for (number, line) in format::lines(text, header_lines) {
        if parsed.is_too_large() {
            break;
        }
        let location = format!("{prefix}line {number}");
        match line {
            Line::Domain(heading, fields) => {
                let found = fields.map(serde_json::from_str::<Domain>);
                (heading_of_subject, subject) = (String::new(), String::new());
                match found {
                    Some(Ok(found)) => {
                        domain = Some(found.id.clone());
                        parsed.push_domain(found);
                    }
                    Some(Err(_)) => parsed.report.skip(|| format!("{location}: its comment cannot be read")),
                    None => {
                        domain = Some(heading.to_owned());
                        parsed.push_domain(Domain {
                            id: heading.to_owned(),
                            name: heading.to_owned(),
                            description: None,
                            created: None,
                            last_access: None,
                        });
                    }
                }
            }
            Line::Subject(text) => (heading_of_subject, subject) = (text.to_owned(), text.to_owned()),
            Line::Memory { content, fields: None } => {
                let memory =
                    Memory { content, domain: domain.clone(), subject: subject.clone(), ..Memory::default() };
                parsed.push(memory, location);
            }
            Line::Memory { content, fields: Some(fields) } => match format::memory(&content, fields) {
                Ok((memory, _)) if !ids.insert(memory.id.clone()) => parsed.report.skip(|| {
                    format!(
                        "{location}: an earlier bullet has the same id: remove the comment below it to make it a new \
                         memory"
                    )
                }),
                Ok((memory, edits)) => {
                    let mut memory = Memory { domain: domain.clone(), ..memory };
                    let is_moved = !format::is_heading_of(&heading_of_subject, &memory.subject);
                    match is_moved {
                        true => subject.clone_into(&mut memory.subject),
                        false => memory.subject.clone_into(&mut subject),
                    }
                    parsed.push_exact(Located {
                        memory,
                        location,
                        edits: Some(Edits { text: edits.text || is_moved, ..edits }),
                    });
                }
                Err(error) => parsed.report.skip(|| format!("{location}: {error}")),
            },
            Line::Other => parsed.report.skip(|| {
                format!("{location}: neither a heading nor a bullet: begin it with \"- \" to make it a memory")
            }),
        }
    }
    true
}
