//! Personal data out of a memory that is imported.

use super::Memory;
use limbic_guard::redact_personal;

use crate::records::merger::RedactJson;

impl Memory {
    /// Takes it out of all its texts; whose it is stays.
    pub(super) fn redact(&mut self, redact_json: RedactJson) {
        let texts = [&mut self.content, &mut self.subject, &mut self.path];
        let optional = [&mut self.source, &mut self.summary, &mut self.invalidation_reason];
        for text in texts.into_iter().chain(&mut self.tags).chain(optional.into_iter().flatten()) {
            *text = redact_personal(text).into_owned();
        }
        self.metadata = self.metadata.as_deref().map(redact_json);
    }
}
