//! Random values that are credentials by their place: parameters and webhooks in URLs, cookies, arguments of clients.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::value;

/// Minimum length of a random value.
const MIN_BYTES: usize = 20;
/// Minimum Shannon entropy of a session's identifier with parts, in bits per byte.
const MIN_ENTROPY: f64 = 4.2;
/// Length of the text that is examined after a cookie's header or a call's name, in bytes.
const REACH_BYTES: usize = 1_000;
/// Maximum length of a parameter's value, and of the part of an address on either side of a webhook's segment, in
/// bytes.
const MAX_VALUE_BYTES: usize = 300;
/// Maximum length of a parameter's name, in bytes.
const MAX_NAME_BYTES: usize = 24;
/// Parameters of URLs whose random values give access.
const PARAMETERS: [&str; 24] = [
    "x-amz-signature",
    "x-goog-signature",
    "x-amz-security-token",
    "otp",
    "secret",
    "appid",
    "appkey",
    "app_key",
    "sig",
    "signature",
    "sign",
    "code",
    "sid",
    "session",
    "sessionid",
    "ticket",
    "hapikey",
    "jwt",
    "auth",
    "sas",
    "key",
    "apikey",
    "api_key",
    "subscription-key",
];
/// Parts of the names of cookies that identify a session or a user.
const COOKIES: [&str; 10] =
    ["sess", "sid", "auth", "token", "login", "remember", "jwt", "identity", "clearance", "li_at"];
/// Names of cookies of frameworks, with their sign.
const SESSIONS: [&str; 8] = [
    "connect.sid=",
    "phpsessid=",
    "jsessionid=",
    "asp.net_sessionid=",
    "laravel_session=",
    "_session_id=",
    "cf_clearance=",
    "sessionid=",
];
/// Segments of paths that precede the random part of a webhook's address.
const HOOKS: [&str; 21] = [
    "/hook/",
    "/hooks/",
    "/webhook/",
    "/webhooks/",
    "/trigger/",
    "://hook.",
    "://hooks.",
    "://webhook.",
    "/with/key/",
    "/reset/",
    "/reset-password/",
    "/password-reset/",
    "/password/reset/",
    "/invite/",
    "/invitation/",
    "/magic/",
    "/magic-link/",
    "/verify/",
    "/ical/",
    "/feed/",
    "/feeds/",
];
/// Ends of the names of functions that take credentials.
const CALLS: [&str; 16] = [
    "client(",
    "credential(",
    "credentials(",
    "api(",
    "login(",
    "auth(",
    "authenticate(",
    "session(",
    "hmac(",
    "hmac.new(",
    "jwt.sign(",
    "jwt.verify(",
    "jwt.encode(",
    "jwt.decode(",
    "fernet(",
    "cipher(",
];

/// Returns the kind of the first such value.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    // It has the same length, so that offsets are those of the text.
    let lower = text.to_ascii_lowercase();
    if has_parameter(text, &lower) {
        return Some(SecretKind::new("parameter of an address"));
    }
    if has_webhook(text, &lower) {
        return Some(SecretKind::new("webhook address"));
    }
    if has_cookie(text, &lower) {
        return Some(SecretKind::new("session cookie"));
    }
    has_argument(text, &lower).then_some(SecretKind::new("argument of a client"))
}

fn has_parameter(text: &str, lower: &str) -> bool {
    text.match_indices(['?', '&']).any(|(index, _)| {
        let start = index + 1 + if lower[index + 1..].starts_with("amp;") { 4 } else { 0 };
        let name = lower[start..].bytes().take(MAX_NAME_BYTES).take_while(|byte| is_of_name(*byte)).count();
        let value = start + name;
        lower[value..].starts_with('=')
            && PARAMETERS.contains(&&lower[start..value])
            && is_random(value_at(text, value + 1))
    })
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn has_webhook(text: &str, lower: &str) -> bool {
    HOOKS.iter().any(|hook| {
        lower.match_indices(hook).any(|(index, _)| {
            let path = value_at(text, index + hook.len());
            let before = end_of(&text[..index]).rsplit(char::is_whitespace).next();
            let is_address = hook.starts_with(':') || before.is_some_and(|before| before.contains("://"));
            // Ids of objects have a prefix such as `we_`.
            is_address
                && path.split(['/', '?', '=', '@']).any(|part| {
                    let part = part.strip_prefix("private-").unwrap_or(part);
                    !part.contains('_')
                        && (is_random(part)
                            || entropy::is_uuid(part)
                            || (part.len() >= MIN_BYTES
                                && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
                                && part.bytes().any(|byte| byte.is_ascii_digit())
                                && entropy::is_random(part)))
                })
        })
    })
}

/// Returns the text from a position to a character that ends a parameter or an address.
fn value_at(text: &str, start: usize) -> &str {
    let rest = start_of(&text[start..], MAX_VALUE_BYTES);
    let ends = |letter: char| letter.is_whitespace() || "&#\"'`<>()[]{}|,;".contains(letter);
    &rest[..rest.find(ends).unwrap_or(rest.len())]
}

/// Returns the first bytes of a text.
fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the last bytes of a text.
fn end_of(text: &str) -> &str {
    let mut start = text.len().saturating_sub(MAX_VALUE_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

fn has_cookie(text: &str, lower: &str) -> bool {
    let names_session = |name: &&str| {
        lower.match_indices(*name).any(|(index, _)| is_session(value_at(text, index + name.len())))
    };
    SESSIONS.iter().any(names_session)
        || ["cookie", " -b "].iter().any(|name| {
            lower.match_indices(name).any(|(index, _)| {
                let line = reach(text, index + name.len());
                let line = line.strip_prefix('s').unwrap_or(line);
                let line = line.trim_start_matches(['(', '"', '\'', ':', '=', ' ', ',']);
                line.split(';').any(|pair| {
                    pair.split_once('=').is_some_and(|(name, value)| {
                        let name = name.trim().to_ascii_lowercase();
                        let is_name = name.len() <= 40 && !name.contains(char::is_whitespace);
                        is_name
                            && COOKIES.iter().any(|part| name.contains(part))
                            && is_session(value_at(value, 0))
                    })
                })
            })
        })
}

fn has_argument(text: &str, lower: &str) -> bool {
    CALLS.iter().any(|call| {
        lower.match_indices(call).any(|(index, _)| {
            let arguments = reach(text, index + call.len());
            let arguments = arguments.split(')').next().unwrap_or_default();
            // Every second part stands between quotation marks.
            arguments.split(['"', '\'']).skip(1).step_by(2).any(|it| it.len() <= 128 && is_random(it))
        })
    })
}

/// Returns the rest of the line from a position, limited in length.
fn reach(text: &str, start: usize) -> &str {
    start_of(&text[start..], REACH_BYTES).lines().next().unwrap_or_default()
}

/// Whether it identifies a session: random, or signed parts of which one is.
fn is_session(found: &str) -> bool {
    let has = |is: fn(&u8) -> bool| found.bytes().any(|byte| is(&byte));
    let is_long = found.len() >= 32
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && entropy::shannon(found) >= MIN_ENTROPY
        && !value::is_placeholder(found);
    let is_lower = found.len() >= MIN_BYTES
        && found.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && has(u8::is_ascii_digit)
        && entropy::is_random(found);
    is_long || is_lower || found.split(['.', '|', ':']).any(is_random)
}

/// Whether it is random: hexadecimal digits, or letters of both cases and digits.
fn is_random(found: &str) -> bool {
    // `%3D` at the end and `s%3A` at the start belong to the encoding.
    let found = found.trim_end_matches("%3D").trim_start_matches("s%3A").trim_end_matches('.');
    let is_encoded = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_.~-%".contains(&byte);
    found.len() >= MIN_BYTES
        && found.bytes().all(is_encoded)
        && (entropy::is_hex(found) || value::is_mixed(found))
        && !value::is_known_not_secret(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANDOM: &str = "q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7C";
    const HEX: &str = "9fceb02d0ae598e95dc970b74767f193";

    fn name(text: &str) -> Option<&'static str> {
        find(text).map(SecretKind::name)
    }

    #[test]
    fn random_values_in_the_place_of_credentials_are_found() {
        for (text, kind) in [
            (format!("https://api.acme.dev/data?q=Oslo&appid={HEX}"), "parameter of an address"),
            (format!("https://fn.acme.dev/run?code={RANDOM}%3D%3D"), "parameter of an address"),
            (format!("https://chat.acme.dev/hooks/{}", RANDOM.to_lowercase()), "webhook address"),
            (
                format!("https://acme.dev/x.zip?X-Amz-Credential=a&X-Amz-Signature={HEX}{HEX}"),
                "parameter of an address",
            ),
            (format!("https://hook.acme.dev/{}", RANDOM.to_lowercase()), "webhook address"),
            (format!("https://acme.dev/calendar/ical/ada/private-{HEX}/basic.ics"), "webhook address"),
            (format!("https://acme.dev/reset-password/{RANDOM}"), "webhook address"),
            (format!("Cookie: session={RANDOM}_{RANDOM}; theme=dark"), "session cookie"),
            ("ASP.NET_SessionId=9bmjgvg8ffh2cmzzmvvdd080".to_owned(), "session cookie"),
            (
                "https://bot.acme.dev/v2/hook/3f2504e0-4f89-11d3-9a0c-0305e82c3301".to_owned(),
                "webhook address",
            ),
            (format!("Cookie: theme=dark; sessionid={RANDOM}.{RANDOM}"), "session cookie"),
            (format!("Set-Cookie: JSESSIONID={}; Path=/", HEX.to_uppercase()), "session cookie"),
            (format!("curl -b \"connect.sid=s%3A{RANDOM}\" https://acme.dev"), "session cookie"),
            (format!("connect.sid=s%3A{RANDOM}.{RANDOM}"), "session cookie"),
            (format!("jwt.sign(payload, \"{RANDOM}\", {{ expiresIn: \"1h\" }})"), "argument of a client"),
            (format!("const c = new AcmeClient(\"acme\", '{HEX}')"), "argument of a client"),
        ] {
            assert_eq!(name(&text), Some(kind), "{text}");
        }
    }

    #[test]
    fn values_of_other_parameters_are_accepted() {
        for text in [
            format!("https://acme.dev/watch?v={RANDOM}&list={RANDOM}"),
            "https://acme.dev/login?code=<code>&session=none".to_owned(),
            "https://acme.dev/docs/webhooks/receiving-and-verifying-events-2024".to_owned(),
            "https://acme.dev/webhooks/we_1NxYzQ83kzPw1Lx0dVbN4mRt".to_owned(),
            format!("Cookie: _ga=GA1.2.1234567890.1234567890; build={RANDOM}"),
            "the cookie named session is set by the login page; it expires after a day".to_owned(),
            format!("new AcmeClient(process.env.ACME_KEY, \"https://acme.dev\") // {HEX}"),
            format!("sha256({HEX})"),
        ] {
            assert_eq!(name(&text), None, "{text}");
        }
    }
}
