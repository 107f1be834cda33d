//! The phrasings of a query: the arguments `query` and `queries`.

use serde_json::Value;

/// Returns the phrasings of a query, `query` first, each once.
pub fn of(query: Option<&str>, queries: Option<&[String]>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for text in query.into_iter().chain(queries.unwrap_or_default().iter().map(String::as_str)) {
        if !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    }
    texts
}

/// Returns the phrasings in a call's arguments, in the same order: the texts to embed before the call.
pub fn in_arguments(arguments: &Value) -> Vec<String> {
    let queries: Vec<String> = arguments
        .get("queries")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|text| Some(text.as_str()?.to_owned()))
        .collect();
    of(arguments.get("query").and_then(Value::as_str), Some(&queries))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_query_comes_first_and_a_repeated_phrasing_counts_once() {
        let of = |arguments: Value| in_arguments(&arguments);
        assert_eq!(of(json!({"queries": ["b", "a", "b"], "query": "a"})), ["a", "b"]);
        assert_eq!(of(json!({"queries": ["b", "c"]})), ["b", "c"]);
        assert_eq!(of(json!({"query": "a"})), ["a"]);
        assert!(of(json!({})).is_empty());
    }
}
