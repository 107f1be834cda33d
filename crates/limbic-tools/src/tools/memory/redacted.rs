//! Redaction of personal data in a caller's fields of a memory.

use super::fields::Fields;
use crate::redact;

impl Fields {
    /// Returns the fields without personal data. Owner, domain and links are kept.
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
