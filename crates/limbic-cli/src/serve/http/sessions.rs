//! Session ids that every server understands: they hold what a server has to know of a client.
//!
//! Several servers share a memory, and any of them may end. A client's next request goes to another one, which adopts the
//! session: its id has the client's name, and no call is understood by an earlier one.

use super::super::reply::Client;

/// Number of hexadecimal digits that tell sessions apart.
const DIGITS: usize = 32;
/// Longer names are cut.
const MAX_NAME_BYTES: usize = 120;

/// Begins a session for a client of this name.
pub fn begin(name: &str) -> Client {
    let mut random = [0; DIGITS / 2];
    getrandom::fill(&mut random).expect("the operating system gives random bytes");
    let mut end = name.len().min(MAX_NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let name = &name[..end];
    Client { session: format!("{}-{}", hex(&random), hex(name.as_bytes())), name: name.to_owned() }
}

/// The client of a session, whichever server began it; `None` for what is no session id.
pub fn adopt(id: &str) -> Option<Client> {
    let (random, name) = id.split_once('-')?;
    let is_id = random.len() == DIGITS && name.len() <= 2 * MAX_NAME_BYTES && unhex(random).is_some();
    let name = String::from_utf8(unhex(name)?).ok()?;
    is_id.then(|| Client { session: id.to_owned(), name })
}

/// A client that sends no session id.
pub fn without_id() -> Client {
    Client { session: "http".to_owned(), name: String::new() }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_server_adopts_a_session() {
        for name in ["Ada's editor", "", "編集者", &"é".repeat(200)] {
            let begun = begin(name);
            assert!(begun.session.bytes().all(|byte| byte.is_ascii_graphic()), "{}", begun.session);
            assert_eq!(adopt(&begun.session).as_ref(), Some(&begun));
            assert!(name.starts_with(&begun.name));
        }
        assert_ne!(begin("a").session, begin("a").session);
    }

    #[test]
    fn what_is_no_session_id_is_not_adopted() {
        let id = begin("a").session;
        let long = format!("{id}{}", "61".repeat(MAX_NAME_BYTES));
        for text in
            ["", "-", "http", &id[1..], &format!("{id}f"), &id.replace('-', "_"), &format!("{id}ff"), &long]
        {
            assert_eq!(adopt(text), None, "{text}");
        }
    }
}
