//! Protocol requests that are answered without the database, so that long calls do not delay them.

use anyhow::Result;
use limbic_tools::Options;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::tools;

/// Versions of MCP, newest first.
const PROTOCOLS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Whether this server speaks a version.
pub fn is_known_version(version: &str) -> bool {
    PROTOCOLS.contains(&version)
}

/// Lists that do not change while the server runs.
pub struct Protocol {
    /// Whether clients hear of changes of resources.
    has_notices: bool,
    tools: String,
    instructions: Option<String>,
    resources: String,
    templates: String,
    prompts: String,
}

impl Protocol {
    /// Creates the lists.
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self::listing(options, tools::listed(options)?, true))
    }

    /// As [`Protocol::new`], for clients whose calls are not understood by earlier ones, and that hear of nothing.
    pub fn without_sessions(options: &Options) -> Result<Self> {
        Ok(Self::listing(options, tools::without_sessions(options)?, false))
    }

    /// As [`Protocol::new`], for the explorer: tools have example arguments, and there is no model to instruct.
    pub fn for_explorer(options: &Options) -> Result<Self> {
        let listing = Self::listing(options, tools::with_examples(options)?, false);
        Ok(Self { instructions: None, ..listing })
    }

    fn listing(options: &Options, tools: Vec<Value>, has_notices: bool) -> Self {
        let resources = limbic_tools::resources_json(options);
        let templates = limbic_tools::resource_templates_json(options);
        let prompts = limbic_tools::prompts_json(options);
        Self {
            has_notices,
            tools: json!({"tools": tools}).to_string(),
            instructions: limbic_tools::instructions(options),
            resources: format!(r#"{{"resources":{resources}}}"#),
            templates: format!(r#"{{"resourceTemplates":{templates}}}"#),
            prompts: format!(r#"{{"prompts":{prompts}}}"#),
        }
    }

    /// Returns the answer to a request that needs no database, or `None`.
    pub fn answer(&self, method: &str, params: Option<&RawValue>) -> Option<String> {
        match method {
            "initialize" => Some(self.greeting(params)),
            "ping" => Some("{}".to_owned()),
            "tools/list" => Some(self.tools.clone()),
            "resources/list" => Some(self.resources.clone()),
            "prompts/list" => Some(self.prompts.clone()),
            "resources/templates/list" => Some(self.templates.clone()),
            _ => None,
        }
    }

    fn greeting(&self, params: Option<&RawValue>) -> String {
        let params: Value =
            params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        let wanted = params["protocolVersion"].as_str().unwrap_or_default();
        let version = PROTOCOLS.iter().find(|known| **known == wanted).unwrap_or(&PROTOCOLS[0]);
        let resources = if self.has_notices { json!({"subscribe": true}) } else { json!({}) };
        let mut greeting = json!({
            "protocolVersion": version,
            "capabilities": {"tools": {}, "resources": resources, "prompts": {}, "completions": {}},
            "serverInfo": {"name": "limbic-memory", "title": "Limbic", "version": env!("CARGO_PKG_VERSION")},
        });
        if let Some(instructions) = &self.instructions {
            greeting["instructions"] = instructions.as_str().into();
        }
        greeting.to_string()
    }
}
