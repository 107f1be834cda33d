//! A symbol in an answer.

use limbic_core::store::code::symbols::CodeSymbol;
use limbic_guard::redact_secrets;
use schemars::JsonSchema;
use serde::Serialize;

/// A definition.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SymbolView {
    /// Id for symbol_graph: project:path#qualified.name.
    pub symbol_id: String,
    /// Name.
    pub name: String,
    /// function, method, class, struct, enum, interface, module, trait, constant or type.
    pub symbol_type: String,
    /// Path in the project.
    pub file_path: String,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Declaration without the body.
    pub signature: String,
    /// Documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Id of the enclosing symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

impl From<CodeSymbol> for SymbolView {
    fn from(symbol: CodeSymbol) -> Self {
        let parent =
            symbol.parent.as_ref().map(|name| format!("{}:{}#{name}", symbol.project_id, symbol.file_path));
        Self {
            symbol_id: symbol.id(),
            name: symbol.name,
            symbol_type: symbol.kind,
            file_path: symbol.file_path,
            start_line: symbol.start_line,
            end_line: symbol.end_line,
            signature: redact_secrets(symbol.signature),
            doc: symbol.doc.map(redact_secrets),
            parent,
        }
    }
}
