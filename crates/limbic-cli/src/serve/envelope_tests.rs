use super::*;

fn envelope(meta: &Value) -> Result<Option<Envelope>, i64> {
    let params = json!({"name": "t", "_meta": meta}).to_string();
    let params: &RawValue = serde_json::from_str(&params).expect("it is JSON");
    envelope_of(Some(params)).map_err(|refused| refused.code)
}

#[test]
fn a_request_names_its_version_and_client() {
    let of = |capabilities: Value| json!({(VERSION): "2026-07-28", (CAPABILITIES): capabilities});
    let mut named = of(json!({}));
    named[CLIENT] = json!({"name": "editor", "version": "1"});
    let found = envelope(&named).expect("it is valid").expect("it names a version");
    assert_eq!((found.version.as_str(), found.client.as_str()), ("2026-07-28", "editor"));
    assert!(found.require_version().is_ok());
    for (capabilities, can_ask) in [
        (json!({}), false),
        (json!({"elicitation": {}}), true),
        (json!({"elicitation": {"form": {}}}), true),
        (json!({"elicitation": {"url": {}}}), false),
        (json!({"elicitation": {"form": {}, "url": {}}}), true),
        (json!({"elicitation": true}), false),
    ] {
        let found = envelope(&of(capabilities.clone())).expect("it is valid").expect("it names a version");
        assert_eq!((found.client.as_str(), found.can_ask), ("", can_ask), "{capabilities}");
    }
}

#[test]
fn a_name_with_a_lone_surrogate_is_read() {
    let meta = format!(
        r#"{{"_meta":{{"{VERSION}":"2026-07-28","{CAPABILITIES}":{{}},"{CLIENT}":{{"name":"a\ud800","version":"1"}}}}}}"#
    );
    let found = envelope_of(Some(serde_json::from_str(&meta).expect("it is JSON")));
    assert_eq!(found.ok().flatten().map(|found| found.client).as_deref(), Some("a\u{fffd}"));
}

#[test]
fn a_request_without_a_version_is_of_the_older_protocol() {
    assert_eq!(envelope_of(None), Ok(None));
    for meta in [json!({}), json!({"progressToken": 1}), json!({(CAPABILITIES): {}}), json!(7), Value::Null] {
        assert_eq!(envelope(&meta), Ok(None), "{meta}");
    }
}

#[test]
fn a_version_with_invalid_fields_is_refused() {
    for meta in [
        json!({(VERSION): "2026-07-28", (CAPABILITIES): {}, (CLIENT): null}),
        json!({(VERSION): 7, (CAPABILITIES): {}}),
        json!({(VERSION): "2026-07-28"}),
        json!({(VERSION): "2026-07-28", (CAPABILITIES): []}),
        json!({(VERSION): "2026-07-28", (CAPABILITIES): {}, (CLIENT): {"name": "editor"}}),
        json!({(VERSION): "2026-07-28", (CAPABILITIES): {}, (CLIENT): "editor"}),
    ] {
        assert_eq!(envelope(&meta), Err(INVALID_PARAMS), "{meta}");
    }
    let later = envelope(&json!({(VERSION): "2099-01-01", (CAPABILITIES): {}})).expect("it is valid");
    let refused = later.and_then(|later| later.require_version().err()).expect("it is unknown");
    assert_eq!(refused.code, UNSUPPORTED_VERSION);
    assert_eq!(refused.data, Some(json!({"supported": ["2026-07-28"], "requested": "2099-01-01"})));
}

#[test]
fn a_result_is_completed_and_otherwise_unchanged() {
    let result = r#"{"content":[{"text":"\ud800"}],"n":1.10}"#;
    let whole = complete(result, Some(Cache::Content));
    assert!(whole.starts_with(r#"{"resultType":"complete","#) && whole.ends_with(&result[1..]), "{whole}");
    let empty: Value = serde_json::from_str(&complete("{}", Some(Cache::List))).expect("it is JSON");
    assert_eq!((&empty["ttlMs"], &empty["cacheScope"]), (&json!(LIST_MILLIS), &json!("public")));
    assert_eq!(empty["_meta"][SERVER], short_identity());
}
