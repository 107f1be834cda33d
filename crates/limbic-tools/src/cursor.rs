//! Where the next page of a list starts.

use limbic_core::{Error, Result, model::text::echo};

/// Where the next page starts: an entity, and within it an observation and a relation, all by row number.
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
    /// Reads what [`Cursor::to_text`] wrote; nothing stands for the start.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::default()) };
        let numbers: Option<Vec<i64>> = text.split('.').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some([entity, observation, relation]) => {
                Ok(Self { entity: *entity, observation: *observation, relation: *relation })
            }
            _ => Err(Error::invalid(format!(
                "cursor must be the next_cursor of the previous page, or absent for the first; it got {:?}",
                echo(text)
            ))),
        }
    }

    /// The cursor as callers give it back.
    pub fn to_text(self) -> String {
        format!("{}.{}.{}", self.entity, self.observation, self.relation)
    }
}
