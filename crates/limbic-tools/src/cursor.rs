//! Cursors of paged lists.

use limbic_core::{Error, Result, model::text::echo};

/// The start of the next page: an entity, and within it an observation and a relation, by row number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The first entity.
    pub entity: i64,
    /// The first observation of that entity.
    pub observation: i64,
    /// The first relation of that entity.
    pub relation: i64,
}

impl Cursor {
    /// Parses the output of [`Cursor::to_text`]; `None` is the start.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::default()) };
        let numbers: Option<Vec<i64>> = text.split('.').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some([entity, observation, relation]) => {
                Ok(Self { entity: *entity, observation: *observation, relation: *relation })
            }
            _ => Err(Error::invalid(format!(
                "cursor must be the next_cursor of the previous page, or absent for the first, but got {:?}",
                echo(text)
            ))),
        }
    }

    /// Returns the text that callers pass back.
    pub fn to_text(self) -> String {
        format!("{}.{}.{}", self.entity, self.observation, self.relation)
    }
}
