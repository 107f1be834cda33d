//! The tools' declarations: a reviewed snapshot of every schema, and every example is called.

use std::fs;

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_tests::{BackEnd, memory::Native, project, transcript};
use limbic_tools::{Options, TOOLS, tools_json};
use serde_json::Value;
use tempfile::tempdir;

/// Maximum size of the default tools/list, in bytes.
const MAX_DEFAULT_LIST_BYTES: usize = 20_000;
/// Maximum size of the default tools/list as a model gets it (name, description and input schema), in tokens of four
/// bytes.
const MAX_DEFAULT_MODEL_TOKENS: usize = 4_500;
/// Maximum size of tools/list with every toolset for agents, in bytes.
const MAX_FULL_LIST_BYTES: usize = 45_000;
/// Maximum length of the instructions, in characters.
const MAX_INSTRUCTIONS_CHARS: usize = 1_500;

/// Calls that store the records which the examples of the toolsets memory and domain refer to.
const MEMORIES: &[(&str, &str)] = &[
    (
        "memory_store",
        r#"{"id": "0190d2a0-0000-7000-8000-000000000000", "content": "The office is in Lisbon", "subject": "office"}"#,
    ),
    (
        "memory_store",
        r#"{"id": "0190d2a0-0000-7000-8000-000000000001", "content": "The office has a roof garden"}"#,
    ),
    ("create_domain", r#"{"id": "atlas"}"#),
];

/// Every tool with complete schemas.
fn tools() -> Result<Vec<Value>> {
    Ok(serde_json::from_str(&tools_json(&Options {
        toolsets: vec!["all".into(), "more".into(), "explorer".into()],
        code: true,
        ..Options::default()
    }))?)
}

#[test]
fn every_schema_equals_its_reviewed_snapshot() -> Result<()> {
    let folder = project("tests/expected/tools");
    let mut surface = String::new();
    for tool in tools()? {
        let name = tool["name"].as_str().unwrap_or_default().to_owned();
        surface.push_str(&format!("{name} {}\n", tool.to_string().len()));
        reviewed(&folder.join(format!("{name}.json")), &format!("{tool:#}\n"))?;
    }
    let (bytes, tokens) = size(&listed(&[])?);
    surface.push_str(&format!("default: {bytes} bytes, {tokens} model tokens\n"));
    ensure!(bytes <= MAX_DEFAULT_LIST_BYTES, "tools/list has {bytes} bytes: shorten descriptions");
    ensure!(tokens <= MAX_DEFAULT_MODEL_TOKENS, "tools/list has {tokens} model tokens: shorten descriptions");
    let (bytes, tokens) = size(&listed(&["all"])?);
    surface.push_str(&format!("all: {bytes} bytes, {tokens} model tokens\n"));
    ensure!(
        bytes <= MAX_FULL_LIST_BYTES,
        "tools/list has {bytes} bytes with all toolsets: shorten descriptions"
    );
    reviewed(&folder.join("surface.txt"), &surface)
}

/// The tools of these toolsets as a server lists them, which has a code index: without the fields that shells remove.
fn listed(toolsets: &[&str]) -> Result<Vec<Value>> {
    let toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
    let mut listed: Vec<Value> =
        serde_json::from_str(&tools_json(&Options { toolsets, code: true, ..Options::default() }))?;
    for tool in &mut listed {
        tool.as_object_mut().context("a tool is an object")?.remove("_limbic");
    }
    Ok(listed)
}

/// The size of a list of tools in bytes, and in tokens as a model gets it.
fn size(listed: &[Value]) -> (usize, usize) {
    let model: usize = listed
        .iter()
        .map(|tool| {
            let texts = [&tool["name"], &tool["description"]].map(|text| text.as_str().map_or(0, str::len));
            texts.iter().sum::<usize>() + tool["inputSchema"].to_string().len()
        })
        .sum();
    (Value::from(listed.to_vec()).to_string().len(), model / 4)
}

fn names(listed: &[Value]) -> Vec<&str> {
    listed.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn advanced_tools_are_offered_by_name_and_reachable_by_default() -> Result<()> {
    let (default, all, advanced) = (listed(&[])?, listed(&["all"])?, listed(&["advanced"])?);
    ensure!(
        names(&advanced).contains(&"memory_maintain") && names(&advanced).contains(&"migrate"),
        "{advanced:?}"
    );
    ensure!(names(&default).contains(&"more_tools") && !names(&all).contains(&"more_tools"));
    ensure!(
        !names(&advanced).iter().any(|name| names(&default).contains(name)),
        "advanced is off by default"
    );
    ensure!(names(&advanced).iter().all(|name| names(&all).contains(name)), "all includes advanced");
    ensure!(listed(&["care"])? == advanced, "the former name is accepted");
    let mut memory = Native::in_memory()?;
    let (_, answer) = memory.call("more_tools", "{}")?;
    let answer: Value = serde_json::from_str(&answer)?;
    let reachable = answer["tools"].as_array().context("tools")?;
    // Without the toolset code, projects are not kept up to date: its tools are neither.
    let code = listed(&["code"])?;
    for name in names(&all).into_iter().filter(|name| !names(&code).contains(name)) {
        ensure!(
            names(&default).contains(&name) || names(reachable).contains(&name),
            "{name} is neither listed nor reachable"
        );
    }
    Ok(())
}

#[test]
fn a_brief_list_names_only_existing_and_all_required_arguments() -> Result<()> {
    for tool in TOOLS.iter().filter(|tool| !tool.brief.is_empty()) {
        let schema = (tool.input)().as_value();
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        ensure!(required.into_iter().all(|name| tool.brief.contains(&name)), "{}: {schema}", tool.name);
        for name in tool.brief {
            ensure!(schema["properties"].get(*name).is_some(), "{} has no argument {name}", tool.name);
        }
    }
    Ok(())
}

#[test]
fn a_tool_called_through_more_tools_gives_its_own_answer() -> Result<()> {
    let through = |name: &str, arguments: &str| format!(r#"{{"name": "{name}", "arguments": {arguments}}}"#);
    let (mut one, mut other) = (Native::in_memory()?, Native::in_memory()?);
    let store = r#"{"content": "Tests run in release builds", "tags": ["ci"], "source": "a talk"}"#;
    let secret = r#"{"content": "password=Tr0ub4dor&3xKq9"}"#;
    for (name, arguments) in [
        ("memory_store", store),
        ("memory_recall", r#"{"query": "how do tests run?", "min_confidence": 0.1}"#),
        ("consolidation_report", "{}"),
        ("memory_store", secret),
        ("memory_traverse", r#"{"start": 1}"#),
        ("explore_stats", "{}"),
        ("no_such_tool", "{}"),
    ] {
        let direct = one.call(name, arguments)?;
        ensure!(direct == other.call("more_tools", &through(name, arguments))?, "{name}: {direct:?}");
    }
    let (is_error, answer) = other.call("more_tools", r#"{"name": "memory_update"}"#)?;
    ensure!(!is_error && answer.contains("valid_from"), "{answer}");
    Ok(())
}

#[test]
fn more_tools_of_a_read_only_memory_change_nothing() -> Result<()> {
    let options = Options { read_only: true, ..Options::default() };
    let listed: Vec<Value> = serde_json::from_str(&tools_json(&options))?;
    ensure!(
        names(&listed).contains(&"more_tools") && !names(&listed).contains(&"memory_store"),
        "{listed:?}"
    );
    ensure!(listed.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true), "{listed:?}");
    let file = limbic_tests::memory_file::MemoryFile::new()?;
    drop(file.open(0, Options::default())?);
    let mut memory = file.open(1, options)?;
    let answer = memory.limbic().call(
        "more_tools",
        r#"{"name": "add_reflection", "arguments": {"content": "x"}}"#,
        &[],
    );
    ensure!(answer.is_error && answer.json.contains("read_only"), "{}", answer.json);
    Ok(())
}

#[test]
fn output_schemas_are_listed_as_selected() -> Result<()> {
    let schema = |how: Option<&str>, compat: Option<&str>| -> Result<Value> {
        let options = Options {
            output_schemas: how.map(Into::into),
            compat: compat.map(Into::into),
            ..Options::default()
        };
        let listed: Vec<Value> = serde_json::from_str(&tools_json(&options))?;
        let found = listed.into_iter().find(|tool| tool["name"] == "search_nodes").context("search_nodes")?;
        Ok(found["outputSchema"].clone())
    };
    ensure!(schema(None, None)?.is_null() && schema(Some("none"), None)?.is_null());
    let (short, full) = (schema(Some("short"), None)?, schema(Some("full"), None)?);
    ensure!(short["type"] == "object" && !short.to_string().contains("\"description\""), "{short}");
    ensure!(full.to_string().contains("\"description\""), "{full}");
    ensure!(schema(Some("none"), Some("server-memory"))? == schema(None, Some("server-memory"))?);
    ensure!(!schema(None, Some("server-memory"))?.is_null());
    Ok(())
}

#[test]
fn instructions_name_only_offered_tools() -> Result<()> {
    let instructions = |options: &Options| limbic_tools::instructions(options);
    let of = |toolsets: &[&str], read_only| {
        let toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
        instructions(&Options { toolsets, read_only, ..Options::default() }).unwrap_or_default()
    };
    let cases: [(&[&str], bool); 6] = [
        (&[], false),
        (&[], true),
        (&["all"], false),
        (&["graph"], true),
        (&["memory"], true),
        (&["memory"], false),
    ];
    for (toolsets, read_only) in cases {
        let text = of(toolsets, read_only);
        ensure!(
            text.chars().count() < MAX_INSTRUCTIONS_CHARS,
            "{toolsets:?}: {} characters",
            text.chars().count()
        );
        ensure!(text.contains("read-only") == read_only, "{toolsets:?}: {text}");
        ensure!(text.matches("read-only").count() <= 1, "{toolsets:?}: {text}");
        for tool in TOOLS.iter().filter(|tool| tool.name.contains('_')) {
            let options = Options {
                toolsets: toolsets.iter().map(|name| (*name).to_owned()).collect(),
                read_only,
                ..Options::default()
            };
            let is_offered = limbic_tools::offered(&options).iter().any(|other| other.name == tool.name);
            ensure!(
                is_offered || !text.contains(tool.name),
                "{toolsets:?}: the instructions name {}: {text}",
                tool.name
            );
        }
    }
    let emulating = |name: &str| Options { compat: Some(name.into()), code: true, ..Options::default() };
    for name in ["server-memory", "memory-graph"] {
        ensure!(instructions(&emulating(name)).is_none(), "{name}");
    }
    // Our tools are offered beside its own.
    ensure!(instructions(&emulating("memory-mcp-server")) == instructions(&Options::default()));
    Ok(())
}

#[test]
fn the_tools_of_the_explorer_are_offered_only_by_name() -> Result<()> {
    let names = |toolsets: &[&str]| -> Result<Vec<String>> {
        let toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
        let tools: Vec<Value> =
            serde_json::from_str(&tools_json(&Options { toolsets, ..Options::default() }))?;
        Ok(tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect())
    };
    let is_for_pages = |name: &String| {
        name.starts_with("explore_") || ["query_sql", "review_inbox"].contains(&name.as_str())
    };
    for toolsets in [&[][..], &["all"], &["graph"]] {
        ensure!(!names(toolsets)?.iter().any(is_for_pages), "{toolsets:?} offers a tool of the explorer");
    }
    ensure!(names(&["explorer"])?.iter().all(is_for_pages), "explorer offers other tools");
    ensure!(names(&["all", "explorer"])?.iter().any(is_for_pages), "explorer is not offered by name");
    Ok(())
}

#[test]
fn tools_that_need_the_code_index_are_offered_with_it() -> Result<()> {
    let offers = |toolsets: &[&str], compat: Option<&str>, code: bool, name: &str| -> Result<bool> {
        let toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
        let options = Options { toolsets, compat: compat.map(Into::into), code, ..Options::default() };
        let tools: Vec<Value> = serde_json::from_str(&tools_json(&options))?;
        Ok(tools.iter().any(|tool| tool["name"] == name))
    };
    let original = Some("memory-mcp-server");
    for (toolsets, compat, code, name, is_offered) in [
        (&["explorer"][..], None, true, "explore_source", false),
        (&["code", "explorer"], None, true, "explore_source", true),
        (&["all", "explorer"], None, false, "explore_source", false),
        (&["all", "explorer"], None, true, "recall_code", false),
        (&[], original, true, "recall_code", true),
        (&[], original, true, "project_info", true),
        (&[], original, true, "search_code", true),
        (&[], original, true, "memory_store", true),
        (&["graph"], original, true, "memory_store", false),
        (&[], original, false, "recall_code", false),
    ] {
        let found = offers(toolsets, compat, code, name)?;
        ensure!(found == is_offered, "{toolsets:?} {compat:?} {code}: {name} is offered: {found}");
    }
    Ok(())
}

#[test]
fn names_of_any_length_are_refused_briefly() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let long = "x".repeat(1_000_000);
    let calls = [
        (long.as_str(), "{}".to_owned()),
        ("create_entities", format!(r#"{{"{long}": 1}}"#)),
        ("create_entities", format!(r#"{{"entities": [{{"name": "a", "{long}": 1}}]}}"#)),
        ("memory_recall", format!(r#"{{"query": "a", "category": "{long}"}}"#)),
        ("memory_recall", format!(r#"{{"query": "a", "as_of": "{long}"}}"#)),
        ("memory_maintain", format!(r#"{{"dry_run": false, "plan_id": "{long}"}}"#)),
        ("read_graph", format!(r#"{{"cursor": "{long}"}}"#)),
    ];
    let mut answers = Vec::new();
    for (tool, arguments) in calls {
        answers.push(memory.call(tool, &arguments)?);
    }
    for answer in [
        memory.limbic().read_resource(&format!("memory://entity/{long}")),
        memory.limbic().read_resource(&long),
        memory.limbic().prompt(&long, "{}"),
        memory.limbic().prompt("recall-context", &format!(r#"{{"{long}": "a"}}"#)),
    ] {
        answers.push((answer.is_error, answer.json));
    }
    for (is_error, answer) in answers {
        ensure!(
            is_error && answer.chars().count() < 3_000,
            "{}",
            answer.chars().take(300).collect::<String>()
        );
    }
    let completed = memory.limbic().complete("prompt:recall-context", "entity", &long, "");
    ensure!(!completed.is_error && completed.json.contains("\"total\":0"), "{}", completed.json);
    Ok(())
}

#[test]
fn every_field_is_described() -> Result<()> {
    for tool in TOOLS {
        let mut missing = Vec::new();
        undescribed((tool.input)().as_value(), "input", &mut missing);
        undescribed((tool.output)().as_value(), "output", &mut missing);
        ensure!(missing.is_empty(), "{}: no description for {missing:?}", tool.name);
    }
    Ok(())
}

#[test]
fn every_schema_uses_only_keywords_that_clients_accept() -> Result<()> {
    for tool in tools()? {
        for schema in ["inputSchema", "outputSchema"] {
            ensure!(tool[schema]["type"] == "object", "{} {schema} is not an object", tool["name"]);
            for keyword in ["anyOf", "oneOf", "allOf"] {
                ensure!(
                    tool[schema].get(keyword).is_none(),
                    "{} {schema} has {keyword} at the top",
                    tool["name"]
                );
            }
        }
        ensure!(
            !tool.to_string().contains("$ref"),
            "{} refers to definitions that clients may not follow",
            tool["name"]
        );
    }
    Ok(())
}

#[test]
fn every_type_is_a_single_name() -> Result<()> {
    for tool in tools()? {
        let mut lists = Vec::new();
        each_schema(&tool, "", &mut |schema, path| {
            if schema.get("type").is_some_and(Value::is_array) {
                lists.push(path.to_owned());
            }
        });
        ensure!(lists.is_empty(), "{}: a list of types at {lists:?}: use anyOf", tool["name"]);
    }
    Ok(())
}

#[test]
fn every_description_is_one_line() -> Result<()> {
    for tool in tools()? {
        let mut broken = Vec::new();
        each_schema(&tool, "", &mut |schema, path| {
            if schema["description"].as_str().is_some_and(|text| text.contains(['\n', '\r', '\t'])) {
                broken.push(path.to_owned());
            }
        });
        ensure!(broken.is_empty(), "{}: line breaks in the descriptions of {broken:?}", tool["name"]);
    }
    Ok(())
}

#[test]
fn fields_of_an_update_have_no_defaults() -> Result<()> {
    let tools = tools()?;
    let update = tools.iter().find(|tool| tool["name"] == "memory_update").context("memory_update")?;
    let fields = update["inputSchema"]["properties"].as_object().context("properties")?;
    for (name, field) in fields {
        let description = field["description"].as_str().unwrap_or_default();
        let claims_default =
            description.contains("when not given") || description.to_lowercase().contains("default");
        ensure!(!claims_default && field.get("default").is_none(), "{name} stays unchanged: {description}");
    }
    Ok(())
}

#[test]
fn every_example_works() -> Result<()> {
    for tool in TOOLS {
        let folder = tempdir()?;
        let mut memory = Native::offering(&folder.path().join("memory.db"), &["all", "more", "explorer"])?;
        let facts = r#"{"entities": [{"name": "Atlas", "observations": ["Released every second Tuesday"]}, {"name": "SQLite"}]}"#;
        memory.call("create_entities", facts)?;
        for (name, arguments) in MEMORIES {
            memory.call(name, arguments)?;
        }
        if tool.name != "create_relations" {
            let relation = r#"{"relations": [{"from": "Atlas", "to": "SQLite", "relationType": "uses"}]}"#;
            memory.call("create_relations", relation)?;
        }
        if tool.is_for_code() {
            memory.limbic().set_code_files(Box::new(DiskFiles::below_root(&project("tests/files/shop"))));
            memory.call("index_project", r#"{"path": "."}"#)?;
        }
        let (is_error, answer) = if tool.file_argument.is_some() {
            let mut file =
                br#"{"type": "entity", "name": "Ada", "entityType": "person", "observations": []}"#.to_vec();
            let answer =
                memory.limbic().call_with_file(tool.name, tool.example, &[], &mut file, &mut |_, _| {});
            (answer.is_error, answer.json)
        } else {
            memory.call(tool.name, tool.example)?
        };
        let told: Value = serde_json::from_str(&answer)?;
        ensure!(!is_error && told["error"].is_null(), "the example of {} fails: {answer}", tool.name);
    }
    Ok(())
}

fn reviewed(path: &std::path::Path, text: &str) -> Result<()> {
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::write(path, text)?;
    }
    let known = fs::read_to_string(path).unwrap_or_default();
    ensure!(
        known == text,
        "{} differs: run with UPDATE=1 and review the change\n{}",
        path.display(),
        transcript::json_diff(&known, text)
    );
    Ok(())
}

/// Calls `visit` with the tool and every object within its schemas, each with its path.
fn each_schema(value: &Value, path: &str, visit: &mut dyn FnMut(&Value, &str)) {
    match value {
        Value::Object(fields) => {
            visit(value, path);
            fields.iter().for_each(|(name, field)| each_schema(field, &format!("{path}.{name}"), visit));
        }
        Value::Array(items) => items.iter().for_each(|item| each_schema(item, path, visit)),
        _ => {}
    }
}

fn undescribed(schema: &Value, path: &str, missing: &mut Vec<String>) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        if field.get("description").is_none() {
            missing.push(path.clone());
        }
        undescribed(field, &path, missing);
    }
    if let Some(items) = schema.get("items") {
        undescribed(items, path, missing);
    }
    for choice in schema["anyOf"].as_array().into_iter().flatten() {
        undescribed(choice, path, missing);
    }
}
