//! Limbic's own Markdown; see [`crate::memory_markdown`].

use limbic_core::records::{Domain, Memory};

use crate::{
    import::parsed_records::{Located, ParsedRecords},
    memory_markdown::{self as format, Line},
};

/// Whether a text is such an export.
pub fn is_known(text: &str) -> bool {
    text.starts_with(format::HEADER)
}

/// Adds its domains and memories. A bullet without an id is a new memory.
pub fn read(text: &str, prefix: &str, parsed: &mut ParsedRecords) {
    let mut domain: Option<String> = None;
    let mut subject = String::new();
    for (number, line) in format::lines(text) {
        if parsed.is_too_large() {
            return;
        }
        let location = format!("{prefix}line {number}");
        match line {
            Line::Domain(heading, fields) => {
                let found = fields.map(serde_json::from_str::<Domain>);
                subject = String::new();
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
            Line::Subject(text) => text.clone_into(&mut subject),
            Line::Memory { content, fields: None } => {
                let memory =
                    Memory { content, domain: domain.clone(), subject: subject.clone(), ..Memory::default() };
                parsed.push(memory, location);
            }
            Line::Memory { content, fields: Some(fields) } => match format::memory(&content, fields) {
                Ok((memory, is_edited)) => {
                    let memory = Memory { domain: domain.clone(), ..memory };
                    parsed.push_exact(Located { memory, location, is_edited });
                }
                Err(error) => parsed.report.skip(|| format!("{location}: {error}")),
            },
        }
    }
}
