//! Both servers list the same tools, give the same instructions with all options, and say the same of themselves.

use anyhow::{Result, ensure};
use limbic_tests::{stdio::Server, transcript};
use serde_json::Value;
use tempfile::tempdir;

const HELLO: &str = r#"{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "limbic-tests", "version": "0"}}"#;

fn answers(mut server: Server) -> Result<(Value, Value)> {
    let mut ask = |method, parameters| {
        server.answer(method, parameters)?.map_err(|error| anyhow::anyhow!("{method}: {error}"))
    };
    let tools = ask("tools/list", "{}")?;
    let greeting = ask("initialize", HELLO)?;
    server.stop()?;
    Ok((tools, greeting))
}

/// With every number as a float: JavaScript writes 1.0 as 1.
fn with_plain_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Number(number), Value::from),
        Value::Array(items) => items.into_iter().map(with_plain_numbers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, with_plain_numbers(value))).collect()
        }
        other => other,
    }
}

/// The Node server has a shorter form of the icon.
fn without_icon(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(source) = value.pointer_mut("/icons/0/src") {
        *source =
            source.as_str().is_some_and(|source| source.starts_with("data:image/svg+xml;base64,")).into();
    }
    value
}

#[test]
fn both_servers_offer_the_same_tools_and_instructions() -> Result<()> {
    for toolsets in [
        &[][..],
        &["all"],
        &["graph"],
        &["memory", "more"],
        &["advanced"],
        &["all", "explorer"],
        &["explorer", "more"],
    ] {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        let native = answers(Server::native_offering(&path, toolsets)?)?;
        let node = answers(Server::node_offering(&path, toolsets)?)?;
        let (native, node) = ((with_plain_numbers(native.0), native.1), (with_plain_numbers(node.0), node.1));
        let difference = transcript::json_diff(&native.0.to_string(), &node.0.to_string());
        ensure!(native.0 == node.0, "{toolsets:?}: {difference}");
        for field in ["instructions", "serverInfo"] {
            let (native, node) = (without_icon(&native.1[field]), without_icon(&node.1[field]));
            ensure!(native == node, "{toolsets:?}: {native} and {node}");
        }
        ensure!(native.1["serverInfo"]["websiteUrl"].is_string(), "{}", native.1);
    }
    Ok(())
}
