//! Prompts, for clients without hooks.

use limbic_core::{
    Error, Result,
    model::text::echo,
    store::{
        project_folders::{canonical_project, unconfirmed_name},
        suggestions,
    },
};
use serde_json::{Map, Value, json};

use crate::{
    Answer, Limbic, Options,
    framing::framed,
    hooks, registry, resources,
    suggest::nearest,
    tools::memory::ALL,
    user_scope,
    views::memory::{shown, shown_value},
};

/// Prefix of a prompt's name in completion requests.
const REFERENCE: &str = "prompt:";

/// Maximum number of completions.
const MAX_COMPLETIONS: usize = 100;

/// The argument for the owner of memories.
const USER: (&str, &str) = ("user_id", "Only memories of this user; default all users");

/// A prompt.
struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Names and descriptions of the arguments; all are optional.
    arguments: &'static [(&'static str, &'static str)],
    /// The instructions to the model, after the memories.
    task: &'static str,
    /// The instructions where nothing can be written; `None` for prompts that are then not offered.
    read_only_task: Option<&'static str>,
    /// The text in place of memories and instructions if there are none; `None` for prompts without memories.
    without_memories: Option<&'static str>,
}

const PROMPTS: [Prompt; 3] = [
    Prompt {
        name: "recall-context",
        title: "Recall the context",
        description: "Recall memories of a project or topic at the start of a session",
        arguments: &[
            ("domain", "Domain id, or * for all; default the current one"),
            ("topic", "Topic of the session"),
            ("entity", "Entity mentioned by the memories"),
            ("category", "fact, preference, decision or convention"),
            ("tag", "Only memories with this tag"),
            USER,
        ],
        task: "Use these memories in this session. If one contradicts what you observe, say so, and correct it with \
               memory_update or memory_invalidate.",
        read_only_task: Some(
            "Use these memories in this session. If one contradicts what you observe, say so: \
             this memory is read-only.",
        ),
        without_memories: Some("There are no memories of this yet: continue without them."),
    },
    Prompt {
        name: "save-session",
        title: "Save the session",
        description: "Store the decisions and findings of this session",
        arguments: &[
            ("domain", "Domain id; default the current one"),
            ("user_id", "Owner of the memories; default none"),
        ],
        task: "Review this session and store with memory_store what later sessions need: decisions with their \
               reasons, conventions, stated preferences, errors and their fixes (subject error-kb), and open tasks. \
               One short memory each; nothing that the code shows, no secrets. Use memory_invalidate for memories \
               that this session has shown to be outdated.",
        read_only_task: None,
        without_memories: None,
    },
    Prompt {
        name: "review-memories",
        title: "Review memories",
        description: "Review memories and correct them",
        arguments: &[("domain", "Domain to review; default the current one"), USER],
        task: "Review these memories with the user: merge duplicates, invalidate outdated ones, correct wrong ones. \
               Then call memory_maintain without arguments, show its plan, and apply it with its plan_id only \
               when the user agrees.",
        read_only_task: None,
        without_memories: Some("There are no memories to review yet: tell the user."),
    },
];

/// Returns the prompts, as a JSON array in the format of MCP's prompts/list.
#[must_use]
pub fn prompts_json(options: &Options) -> String {
    // The prompts refer to tools of the toolset `memory` and call them.
    let has_recall = registry::offered(options).iter().any(|tool| tool.name == "memory_recall");
    let is_offered = |prompt: &&Prompt| has_recall && (!options.read_only || prompt.read_only_task.is_some());
    let prompts: Vec<Value> = PROMPTS
        .iter()
        .filter(is_offered)
        .map(|prompt| {
            let arguments: Vec<Value> = prompt
                .arguments
                .iter()
                .filter(|(name, _)| options.user.is_none() || *name != USER.0)
                .map(|(name, description)| json!({ "name": name, "description": description, "required": false }))
                .collect();
            json!({
                "name": prompt.name,
                "title": prompt.title,
                "description": prompt.description,
                "arguments": arguments,
            })
        })
        .collect();
    Value::Array(prompts).to_string()
}

impl Limbic {
    /// Returns a prompt with memories: `{description, messages}`. `arguments` is a JSON object of strings.
    pub fn prompt(&mut self, name: &str, arguments: &str) -> Answer {
        let prompt = get(self, name, arguments);
        self.answer(prompt)
    }

    /// Completes an argument of a resource template or of a prompt (`prompt:NAME`): `{values, total, hasMore}`.
    /// `known` is a JSON object of the other arguments; empty if there are none.
    pub fn complete(&mut self, template: &str, part: &str, begun: &str, known: &str) -> Answer {
        self.finish_first();
        let found = if template.starts_with(REFERENCE) {
            complete(&mut self.memory, &self.options, part, begun, known)
        } else {
            resources::complete(&mut self.memory, &self.options, template, part, begun)
        };
        self.answer(found.map(|found| shown_value(found).to_string()))
    }
}

/// Returns a prompt with memories, as JSON in the format of MCP's prompts/get.
fn get(limbic: &mut Limbic, name: &str, arguments: &str) -> Result<String> {
    let prompt = PROMPTS.iter().find(|prompt| prompt.name == name).ok_or_else(|| Error::InvalidArgument {
        message: format!("There is no prompt named {:?}", echo(name)),
        hint: nearest(name, PROMPTS.iter().map(|prompt| prompt.name))
            .map(|near| format!("Did you mean {near:?}?")),
    })?;
    let arguments: Map<String, Value> = serde_json::from_str(arguments).map_err(|error| {
        Error::invalid(format!("The arguments of a prompt must be an object of strings ({error})"))
    })?;
    for (key, value) in &arguments {
        if !value.is_string() || !prompt.arguments.iter().any(|(known, _)| known == key) {
            return Err(Error::invalid(format!(
                "{} is not a known argument, or not a string. Known: {}",
                echo(key),
                prompt.arguments.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ")
            )));
        }
    }
    user_scope::owner(given(&arguments, USER.0).map(str::to_owned), limbic.user())?;
    let instructions = match prompt.read_only_task {
        Some(task) if limbic.options.read_only => task,
        _ => prompt.task,
    };
    let project = project(limbic)?;
    let items = limbic.as_hook_of(&project, |limbic| items(limbic, prompt.name, &arguments))?;
    let task = match prompt.without_memories {
        Some(text) if items.is_empty() => text.to_owned(),
        Some(_) => {
            let framed = framed(limbic.memory.database().host(), "Memories:", &items);
            format!("{framed}\n{instructions}")
        }
        None => instructions.to_owned(),
    };
    let text = task + &limits(&arguments);
    Ok(json!({
        "description": prompt.description,
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    })
    .to_string())
}

/// Returns an argument unless it is empty.
fn given<'a>(arguments: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    arguments.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Returns the instruction to restrict tool calls to the prompt's domain and user.
fn limits(arguments: &Map<String, Value>) -> String {
    let limit = |key| {
        let value = given(arguments, key).map(|value| json!(shown(value.to_owned())));
        value.map(|value| format!("{key} {value}"))
    };
    let limits: Vec<String> = ["domain", "user_id"].into_iter().filter_map(limit).collect();
    if limits.is_empty() {
        return String::new();
    }
    format!(" Give {} to each memory tool that takes it.", limits.join(" and "))
}

/// Returns the project of the session; empty if it is not known. Memories that wait for a person are shown there only,
/// as by hooks.
fn project(limbic: &mut Limbic) -> Result<String> {
    let Some(caller) = limbic.memory.session().caller().cloned() else { return Ok(String::new()) };
    let (name, folder) = (&caller.project, &caller.folder);
    let other = limbic.memory.read(|tx| unconfirmed_name(tx, name, folder))?;
    Ok(other.unwrap_or_else(|| canonical_project(name)))
}

/// Returns the memories of a prompt; none for prompts without memories.
fn items(limbic: &mut Limbic, name: &str, arguments: &Map<String, Value>) -> Result<Vec<Value>> {
    let given = |key: &str| given(arguments, key);
    let limited = |mut call: Value| {
        for key in ["domain", "user_id"] {
            if let Some(value) = given(key) {
                call[key] = value.into();
            }
        }
        call
    };
    let mut recall = limited(json!({ "touch": false, "limit": 20 }));
    match name {
        "save-session" => Ok(Vec::new()),
        "recall-context" => {
            let query: Vec<&str> = [given("topic"), given("entity")].into_iter().flatten().collect();
            if !query.is_empty() {
                recall["query"] = query.join(" ").into();
            }
            if let Some(category) = given("category") {
                recall["category"] = category.into();
            }
            if let Some(tag) = given("tag") {
                recall["tags"] = json!([tag]);
            }
            hooks::items(limbic, "memory_recall", &recall)
        }
        _ => {
            let list = limited(json!({ "limit": 50, "sort": "confidence" }));
            hooks::items(limbic, "memory_list", &list)
        }
    }
}

/// Completes an argument, in the format of MCP's completion/complete. `known` is a JSON object of the other
/// arguments; completions are restricted to their domain and user.
fn complete(
    memory: &mut limbic_core::Engine,
    options: &Options,
    argument: &str,
    begun: &str,
    known: &str,
) -> Result<Value> {
    let known: Map<String, Value> = match known.trim() {
        "" => Map::new(),
        known => serde_json::from_str(known).map_err(|error| {
            Error::invalid(format!("The known arguments must be an object of strings ({error})"))
        })?,
    };
    let Some(kind) = completed(argument).filter(|kind| may_complete(*kind, options)) else {
        return Ok(json!({ "values": [], "total": 0, "hasMore": false }));
    };
    let user = user_scope::owner(given(&known, USER.0).map(str::to_owned), options.user.as_deref())?;
    let scope = suggestions::Scope { domain: given(&known, "domain"), user_id: user.as_deref() };
    let scope =
        suggestions::Scope { domain: scope.domain.map(str::trim).filter(|domain| *domain != ALL), ..scope };
    let (total, words) =
        memory.read(|tx| suggestions::beginning_with(tx, kind, scope, begun, MAX_COMPLETIONS))?;
    Ok(json!({ "hasMore": total > words.len(), "total": total, "values": words }))
}

/// Returns what an argument is completed from, if it is completed.
fn completed(argument: &str) -> Option<suggestions::Kind> {
    Some(match argument {
        "domain" => suggestions::Kind::Domain,
        "category" => suggestions::Kind::Category,
        "tag" => suggestions::Kind::Tag,
        "entity" => suggestions::Kind::Entity,
        _ => return None,
    })
}

/// Whether completions may show what is stored: only of memories and entities that tools show, too. The graph belongs
/// to no user.
fn may_complete(kind: suggestions::Kind, options: &Options) -> bool {
    let shows_entities = || options.user.is_none() && registry::shows(options, "open_nodes");
    !options.is_server_memory()
        && registry::shows(options, "memory_recall")
        && (kind != suggestions::Kind::Entity || shows_entities())
}
