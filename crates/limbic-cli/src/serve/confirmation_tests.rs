use serde_json::value::{RawValue, to_raw_value};

use super::*;

const ARGUMENTS: &str = r#"{"id":"a"}"#;
const QUESTION: &str = "Delete this memory?";

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("it is JSON")
}

/// Reads a yes to the question of `asked` for a call with these arguments of the client with this token.
fn yes(asked: &Confirmations, read: &Confirmations, arguments: &str, holder: &str) -> Confirmation {
    let call = |arguments, input_responses, request_state| Call {
        name: "memory_forget".to_owned(),
        arguments,
        progress_token: None,
        input_responses,
        request_state,
    };
    let question: Value = serde_json::from_str(&asked.ask(QUESTION, &call(ARGUMENTS, None, None), "agents"))
        .expect("the question is JSON");
    let state = raw(&question["requestState"]);
    let responses = raw(&json!({CONFIRM: {"action": "accept", "content": {CONFIRM: true}}}));
    let envelope = Envelope { version: String::new(), client: String::new(), can_ask: true };
    read.read(&call(arguments, Some(&responses), Some(&state)), &envelope, holder).expect("it is valid")
}

#[test]
fn a_yes_counts_for_its_call_and_client_on_servers_with_the_same_secret() {
    let (own, same, other) =
        (Confirmations::new(b"secret"), Confirmations::new(b"secret"), Confirmations::new(b"other"));
    let accepted = Confirmation::Accepted(digest_of(QUESTION));
    assert_eq!(yes(&own, &own, ARGUMENTS, "agents"), accepted);
    assert_eq!(yes(&own, &same, ARGUMENTS, "agents"), accepted);
    assert_eq!(yes(&own, &own, r#"{ "id": "a" }"#, "agents"), accepted);
    assert_eq!(yes(&own, &other, ARGUMENTS, "agents"), Confirmation::Open);
    assert_eq!(yes(&own, &own, r#"{"id":"b"}"#, "agents"), Confirmation::Open);
    assert_eq!(yes(&own, &own, ARGUMENTS, "another token"), Confirmation::Open);
}
