//! Session ids that every server understands, because they contain what a server must know about a client.
//!
//! Several servers share a memory, and any of them may end. A client's next request goes to another one, which adopts
//! the session: its id has the client's name, and no call is understood by an earlier one. A session belongs to the
//! token that began it: its id has a digest of the token's holder, so that another token does not continue it, and
//! neither does the same one with other rights.

/// Number of hexadecimal digits that distinguish sessions.
const DIGITS: usize = 32;
/// The end of the client in the id of a session whose version of the protocol has batches.
const BATCHES: &str = "-batches";
/// Longer names are cut.
const MAX_NAME_BYTES: usize = 120;

/// The session of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSession {
    /// The key of plans and feedback.
    pub id: String,
    /// The name that the client gave; may be empty.
    pub name: String,
    /// Whether its version of the protocol has batches.
    pub has_batches: bool,
}

/// Starts a session for a client of this name, with the token of a holder.
pub fn begin(name: &str, has_batches: bool, holder: &str) -> ClientSession {
    let mut random = [0; DIGITS / 2];
    getrandom::fill(&mut random).expect("the operating system gives random bytes");
    let name = cut(name);
    let batches = if has_batches { BATCHES } else { "" };
    let client = format!("{}-{}{batches}", hex(&random), hex(name.as_bytes()));
    ClientSession { id: format!("{client}-{}", tag(&client, holder)), name: name.to_owned(), has_batches }
}

/// Returns the client of a session, whichever server started it; `None` if the text is not a session id of this holder.
pub fn adopt(id: &str, holder: &str) -> Option<ClientSession> {
    let (client, given) = id.rsplit_once('-')?;
    let with_batches = client.strip_suffix(BATCHES);
    let (random, name) = with_batches.unwrap_or(client).split_once('-')?;
    let is_id = random.len() == DIGITS && name.len() <= 2 * MAX_NAME_BYTES && unhex(random).is_some();
    let name = String::from_utf8(unhex(name)?).ok()?;
    let has_batches = with_batches.is_some();
    (is_id && tag(client, holder) == given).then(|| ClientSession { id: id.to_owned(), name, has_batches })
}

/// Returns a client without a session id. Such clients share state only with those of the same token.
pub fn without_id(holder: &str) -> ClientSession {
    ClientSession { id: format!("http {holder}"), name: String::new(), has_batches: false }
}

/// A client without a session, as in protocol 2026-07-28. Such clients share state with those of the same token and
/// name.
pub fn of_request(name: &str, holder: &str) -> ClientSession {
    let name = cut(name);
    ClientSession { id: format!("http {holder} {name}"), name: name.to_owned(), has_batches: false }
}

/// The beginning of a long name.
fn cut(name: &str) -> &str {
    let mut end = name.len().min(MAX_NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

fn tag(client: &str, holder: &str) -> String {
    blake3::hash(format!("{holder} {client}").as_bytes()).to_hex()[..DIGITS].to_owned()
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

    const HOLDER: &str = "agents";

    #[test]
    fn another_server_adopts_a_session() {
        for name in ["Ada's editor", "", "編集者", &"é".repeat(200)] {
            for has_batches in [false, true] {
                let begun = begin(name, has_batches, HOLDER);
                assert!(begun.id.bytes().all(|byte| byte.is_ascii_graphic()), "{}", begun.id);
                assert_eq!(adopt(&begun.id, HOLDER).as_ref(), Some(&begun));
                assert!(name.starts_with(&begun.name));
            }
        }
        assert_ne!(begin("a", false, HOLDER).id, begin("a", false, HOLDER).id);
    }

    #[test]
    fn another_token_does_not_continue_a_session() {
        let begun = begin("a", false, HOLDER);
        assert_eq!(adopt(&begun.id, "another"), None);
        let (client, _) = begun.id.rsplit_once('-').expect("it has a tag");
        assert_eq!(adopt(client, HOLDER), None);
        assert_ne!(without_id(HOLDER).id, without_id("another").id);
    }

    #[test]
    fn a_text_that_is_not_a_session_id_is_not_adopted() {
        let id = begin("a", false, HOLDER).id;
        let (client, _) = id.rsplit_once('-').expect("it has a tag");
        let long = format!("{client}{}", "61".repeat(MAX_NAME_BYTES));
        let long = format!("{long}-{}", tag(&long, HOLDER));
        for text in [
            "",
            "-",
            "--",
            "http",
            &id[1..],
            &format!("{id}f"),
            &id.replace('-', "_"),
            &id.replacen("-61-", "-61-batches-", 1),
            &format!("{id}ff"),
            &long,
        ] {
            assert_eq!(adopt(text, HOLDER), None, "{text}");
        }
    }
}
