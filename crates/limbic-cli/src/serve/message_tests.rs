use super::*;

fn refused(line: &str) -> (String, i64) {
    let refusal = read(line).expect_err(line);
    (refusal.id.map_or("null", RawValue::get).to_owned(), refusal.reason.code)
}

#[test]
fn the_id_of_a_request_is_found_whatever_else_it_contains() {
    for (text, id) in [
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, Some("7")),
        (" {\"method\":7,\"id\":\"\\u00e9\"}\n", Some("\"\\u00e9\"")),
        (r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, Some("\"\\ud800\"")),
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, None),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, None),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, Some("1.0")),
        (r#"{"jsonrpc":"2.0","id":1e2,"method":"ping"}"#, Some("1e2")),
        (r#"{"jsonrpc":"2.0","id":36893488147419103232,"method":"ping"}"#, Some("36893488147419103232")),
        (r#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#, Some("1e400")),
        ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}", Some("7")),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None),
        (r#"{"jsonrpc":"2.0","method":"ping"}"#, None),
        (r#"["2.0",7,"ping"]"#, None),
        (r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#, None),
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping""#, None),
        ("", None),
    ] {
        assert_eq!(id_of(text).map(RawValue::get), id, "{text}");
    }
}

#[test]
fn an_id_is_a_text_or_an_integer_in_any_notation() {
    let is_id = |text: &str| is_id(serde_json::from_str(text).expect("it is JSON"));
    for text in [
        "\"\"",
        "\"\\udead\"",
        "0",
        "-0",
        "0.0",
        "0e-7",
        "1.0",
        "-1.50e1",
        "1e400",
        "100e-2",
        "10.00e-1",
        "120e-1",
        "1e99999999999999999999999999999999999999999",
        "9007199254740993",
    ] {
        assert!(is_id(text), "{text}");
    }
    for text in [
        "null",
        "true",
        "{}",
        "[]",
        "1.5",
        "1e-1",
        "100e-3",
        "1.05e1",
        "1.00000000000000000001",
        "1e-400",
        "1e-99999999999999999999999999999999999999999",
    ] {
        assert!(!is_id(text), "{text}");
    }
}

#[test]
fn invalid_messages_are_rejected_with_their_id() {
    let cases = [
        ("this is not JSON", "null", PARSE_ERROR),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list""#, "null", PARSE_ERROR),
        ("\0", "null", PARSE_ERROR),
        ("[]", "null", INVALID_REQUEST),
        (r#""text""#, "null", INVALID_REQUEST),
        ("null", "null", INVALID_REQUEST),
        (r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#, "null", INVALID_REQUEST),
        (r#"{"id":3,"method":"ping"}"#, "3", INVALID_REQUEST),
        (r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, "4", INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":5,"method":7}"#, "5", INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, "null", INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null", INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}"#, "6", INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":7}"#, "7", INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":8,"method":"ping","params":{"_meta":null}}"#, "8", INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":8,"method":"ping","params":{"_meta":[]}}"#, "8", INVALID_REQUEST),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"ping","params":{"_meta":{"progressToken":{}}}}"#,
            "8",
            INVALID_REQUEST,
        ),
        (r#"{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":"x"}}"#, "null", INVALID_REQUEST),
    ];
    for (line, id, code) in cases {
        assert_eq!(refused(line), (id.to_owned(), code), "{line}");
    }
}

#[test]
fn notifications_and_answers_need_no_answer() {
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#,
    ] {
        assert!(matches!(read(line), Ok(Message::Silent)), "{line}");
    }
}

#[test]
fn a_request_can_be_cancelled() {
    let line =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"x"}}"#;
    assert!(matches!(read(line), Ok(Message::Cancelled { id }) if id.get() == "\"a\""));
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#,
    ] {
        assert!(matches!(read(line), Ok(Message::Silent)), "{line}");
    }
}

#[test]
fn the_last_of_repeated_members_counts() {
    let line = r#"{"jsonrpc":"1.0","jsonrpc":"\u0032.0","id":1,"id":2,"other":1,"method":"ping","method":"tools/call","params":[],"params":{"name":"a","name":"t","\ud800":1,"arguments":[],"arguments":{"x":1},"_meta":null,"_meta":{"progressToken":1,"progressToken":"p"}}}"#;
    let Ok(Message::Request { id, method, params }) = read(line) else { panic!("this is a request") };
    assert_eq!((id.get(), method.as_str()), ("2", "tools/call"));
    let call = read_call(params).expect("this is a call");
    assert_eq!((call.name.as_str(), call.arguments), ("t", r#"{"x":1}"#));
    assert_eq!(call.progress_token.map(RawValue::get), Some("\"p\""));
}

#[test]
fn arguments_pass_through_as_they_came() {
    let line = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t","arguments":{ "x": 1.10, "y":"\ud800"},"_meta":{"progressToken":7}}}"#;
    let Ok(Message::Request { id, method, params }) = read(line) else { panic!("this is a request") };
    assert_eq!((id.get(), method.as_str()), ("\"a\"", "tools/call"));
    let call = read_call(params).expect("this is a call");
    assert_eq!(call.name, "t");
    assert_eq!(call.arguments, r#"{ "x": 1.10, "y":"\ud800"}"#);
    assert_eq!(call.progress_token.map(RawValue::get), Some("7"));
}

#[test]
fn a_progress_token_is_a_text_or_any_number() {
    for token in ["7", "1.5", "-1.50e-1", "1e400", r#""a""#, r#""\ud800""#] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","_meta":{{"progressToken":{token}}}}}}}"#
        );
        let Ok(Message::Request { params, .. }) = read(&line) else { panic!("this is a request: {token}") };
        let call = read_call(params).expect("this is a call");
        assert_eq!(call.progress_token.map(RawValue::get), Some(token));
    }
}

#[test]
fn a_call_needs_a_name_and_an_object() {
    let read = |params: &str| {
        let raw: &RawValue = serde_json::from_str(params).expect("the sample is JSON");
        read_call(Some(raw)).map(|call| call.arguments.to_owned())
    };
    assert_eq!(read(r#"{"name":"t"}"#), Ok("{}".to_owned()));
    assert!(read(r#"{"name":5}"#).is_err());
    assert!(read(r#"{"name":"t","arguments":[]}"#).is_err());
    assert!(read(r#"{"name":"t","arguments":null}"#).is_err());
    assert!(read_call(None).is_err());
}
