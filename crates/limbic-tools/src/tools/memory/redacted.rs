//! Personal data taken out of what a caller says of a memory.

use super::fields::Fields;
use crate::redact;

impl Fields {
    /// The same without personal data. Whose it is stays, and so do its domain and what it is linked to.
    pub(super) fn redacted(self) -> Self {
        Self {
            content: self.content.map(redact::text),
            summary: self.summary.map(redact::text),
            subject: self.subject.map(redact::text),
            source: self.source.map(redact::text),
            path: self.path.map(redact::text),
            tags: self.tags.map(|tags| tags.into_iter().map(redact::text).collect()),
            metadata: self.metadata.map(redact::object),
            ..self
        }
    }
}
