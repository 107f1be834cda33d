//! Views of origins in answers.

use limbic_core::store::origins::StoredOrigin;
use schemars::JsonSchema;
use serde::Serialize;

use super::memory::shown;

/// Where a memory or a record of the graph comes from; absent parts are not known.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OriginView {
    /// Number, as memory_list and memory_maintain take it.
    pub id: i64,
    /// Label, by which an origin is trusted.
    pub label: String,
    /// client, hook, import, explorer, library or cli.
    pub kind: &'static str,
    /// Client name, as reported by the client.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub client: String,
    /// Id of the session.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub session: String,
    /// Project of the session.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub project: String,
    /// Name of the imported file.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub file: String,
    /// Id of the import.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub import_id: String,
    /// Time of its first write.
    pub since: String,
}

impl From<StoredOrigin> for OriginView {
    fn from(stored: StoredOrigin) -> Self {
        let origin = stored.origin;
        Self {
            id: stored.id,
            label: shown(stored.label),
            kind: origin.kind.name(),
            client: shown(origin.client),
            session: shown(origin.session),
            project: shown(origin.project),
            file: shown(origin.file),
            import_id: shown(origin.import_id),
            since: stored.created_at,
        }
    }
}
