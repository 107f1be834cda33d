//! Responses to requests.

use hyper::{
    Response, StatusCode,
    header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde_json::value::RawValue;

use super::{body::ResponseBody, refusal::Refusal};
use crate::serve::message::{self, Refused};

/// What a request is answered with.
pub type Answered = Result<Response<ResponseBody>, Refusal>;

/// The response to a request that is rejected.
pub fn refused(refusal: &Refusal) -> Response<ResponseBody> {
    let mut response = json_response(refusal.status, refusal.body());
    if let Some((name, value)) = refusal.header {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("refusals name valid headers");
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if refusal.closes {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A response with a body of JSON; none with an empty one.
pub fn json_response(status: u16, body: String) -> Response<ResponseBody> {
    let has_body = !body.is_empty();
    let mut response = Response::new(ResponseBody::from(body));
    *response.status_mut() = StatusCode::from_u16(status).expect("it is a status of HTTP");
    if has_body {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    response
}

/// The response to a request that needs no database.
pub fn answer(id: &RawValue, answered: Result<String, Refused>) -> Response<ResponseBody> {
    let answer = match answered {
        Ok(result) => message::answer(id, &result),
        Err(reason) => message::refusal(&message::Refusal { id: Some(id), reason }),
    };
    json_response(200, answer)
}
