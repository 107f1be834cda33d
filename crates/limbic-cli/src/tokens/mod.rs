//! Named tokens of clients over HTTP. Those of a database file are stored beside it, as by the Node server; those of a
//! memory in a store are in that store, so that they are valid on all its servers.

mod command;
mod files;
mod rights;
mod storage;
#[cfg(feature = "postgres")]
mod store;
mod timestamps;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub use command::{TokenCommand, run};
pub use files::{create_private, make_token_folder, token_folder};
use limbic_memory::location::Location;
pub use rights::{GivenRights, NAME_RULE, Prefix, is_name, token_rights, toolsets_for};
pub use storage::Unusable;
use storage::{Entry, Storage};
pub use timestamps::format as timestamp;

const TOKEN_BYTES: usize = 32;
/// Number of letters that write these bytes in Base64.
const RANDOM_LETTERS: usize = (TOKEN_BYTES * 8).div_ceil(6);
/// Identifies tokens of Limbic to people and to secret scanners.
const PREFIX: &str = "limbic_";
/// The time of the last use is stored at most once per interval.
const USE_INTERVAL: Duration = Duration::from_secs(60);
/// Number of hexadecimal digits of [`NamedToken::holder`].
const HOLDER_DIGITS: usize = 32;

/// The rights of a token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenRights {
    /// Toolsets of its calls; default: those of the server.
    pub toolsets: Option<Vec<String>>,
    /// Whether its calls may only read.
    pub read_only: bool,
    /// The only user whose memories its calls reach; default: all users, or that of the server.
    pub user: Option<String>,
    /// Whether it opens the explorer, which shows and edits everything.
    pub explorer: bool,
    /// Unix time in milliseconds after which it is refused.
    pub expires_millis: Option<i64>,
}

/// A token; its text is not stored.
#[derive(Debug, Clone)]
pub struct NamedToken {
    /// Unique for a database.
    pub name: String,
    /// Its rights.
    pub rights: TokenRights,
    /// When it was created, as stored.
    pub created: String,
    /// Time of its last use since 1970, at most a minute before the actual one.
    pub used: Option<Duration>,
    sha256: String,
}

/// The JSON of a token, in its file and in a store; the same that the Node server writes.
#[derive(Serialize, Deserialize)]
struct StoredToken {
    sha256: String,
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    toolsets: Option<Vec<String>>,
    #[serde(default)]
    read_only: Option<bool>,
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    user: Option<Value>,
    #[serde(default)]
    explorer: Option<bool>,
    created: String,
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
}

/// A field that is there: `null` is a value, which must not count as no limit.
fn stated<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Creates, finds and revokes the tokens of a database.
pub struct Tokens {
    storage: Box<dyn Storage>,
    /// Stored times of the last use, by name.
    uses: Mutex<HashMap<String, Duration>>,
}

impl Tokens {
    /// The tokens of a database. Nothing is opened before they are needed. With `read_only`, a store may be a standby.
    pub fn of(location: &Location, read_only: bool) -> Self {
        let storage: Box<dyn Storage> = match location {
            Location::File(path) => Box::new(files::TokenFiles::new(path, read_only)),
            #[cfg(feature = "postgres")]
            Location::Store(address) => Box::new(store::StoredTokens::new(address, read_only)),
        };
        #[cfg(not(feature = "postgres"))]
        let _ = read_only;
        Self { storage, uses: Mutex::default() }
    }

    /// Creates a token and returns its text, which cannot be read again.
    ///
    /// # Errors
    /// When the name is taken, or the token cannot be stored.
    pub fn create(&self, name: &str, rights: &TokenRights) -> Result<String> {
        let text = format!("{PREFIX}{}", random_text());
        let stored = StoredToken {
            sha256: digest(&text),
            toolsets: rights.toolsets.clone(),
            read_only: Some(rights.read_only),
            user: rights.user.clone().map(Value::from),
            explorer: Some(rights.explorer),
            created: timestamps::format(now_millis()),
            expires: rights.expires_millis.map(timestamps::format),
        };
        if !self.storage.add(name, &stored.sha256, &serde_json::to_string(&stored)?)? {
            bail!("there is a token {name:?} already: choose another name, or revoke it first");
        }
        Ok(text)
    }

    /// Every token, by name. Those that cannot be read are logged and left out.
    ///
    /// # Errors
    /// When the storage cannot be read.
    pub fn list(&self) -> Result<Vec<NamedToken>> {
        Ok(self.storage.list()?.into_iter().filter_map(parsed).collect())
    }

    /// Fails if there is no such memory in the store; a file may be created later.
    ///
    /// # Errors
    /// For that, and when the store cannot be read.
    pub fn require_database(&self) -> Result<()> {
        self.storage.require_database()
    }

    /// Checks whether the database can be reached.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check_storage(&self) -> Result<(), Unusable> {
        self.storage.check()
    }

    /// Names of tokens whose name another token of `other` has.
    ///
    /// # Errors
    /// When one of the storages cannot be read.
    #[cfg(feature = "postgres")]
    pub fn clashes_with(&self, other: &Tokens) -> Result<Vec<String>> {
        let taken = other.list()?;
        let clashes = |token: &NamedToken| {
            taken.iter().any(|known| known.name == token.name && !is_same(&token.sha256, &known.sha256))
        };
        Ok(self.list()?.into_iter().filter(clashes).map(|token| token.name).collect())
    }

    /// Adds every token to those of `other`, with its rights and its last use, so that clients can use the same token
    /// there. Returns the names; a token of the same name there stays as it is.
    ///
    /// # Errors
    /// When a token cannot be read or stored. Another attempt does the rest.
    #[cfg(feature = "postgres")]
    pub fn copy_to(&self, other: &Tokens) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in self.storage.list()? {
            let (text, used) = (entry.text.clone(), entry.used);
            let Some(NamedToken { name, sha256, .. }) = parsed(entry) else { continue };
            if other.storage.add(&name, &sha256, text.trim_end())?
                && let Some(used) = used
            {
                other.storage.note_use(&name, used)?;
            }
            names.push(name);
        }
        Ok(names)
    }

    /// Deletes a token: it is refused from the next request on. Returns whether there was one.
    ///
    /// # Errors
    /// When the storage cannot be written.
    pub fn revoke(&self, name: &str) -> Result<bool> {
        self.storage.remove(name)
    }

    /// The token with this text, unless it has expired, and notes its use.
    ///
    /// # Errors
    /// When the storage cannot be read: whether the token is valid is unknown.
    pub fn find(&self, text: &str) -> Result<Option<NamedToken>> {
        if !has_token_form(text) {
            return Ok(None);
        }
        let found = self.with_digest(&digest(text))?;
        if let Some(token) = &found {
            self.note_use(&token.name);
        }
        Ok(found)
    }

    /// Whether a token is unchanged: neither revoked nor expired, with the same rights.
    ///
    /// # Errors
    /// As [`Tokens::find`].
    pub fn is_current(&self, token: &NamedToken) -> Result<bool> {
        Ok(self.with_digest(&token.sha256)?.is_some_and(|known| known.holder() == token.holder()))
    }

    fn with_digest(&self, sha256: &str) -> Result<Option<NamedToken>> {
        let candidates = self.storage.candidates(sha256)?.into_iter().filter_map(parsed);
        let found = candidates.into_iter().find(|token| is_same(sha256, &token.sha256));
        Ok(found.filter(|token| token.rights.expires_millis.is_none_or(|expires| now_millis() < expires)))
    }

    fn note_use(&self, name: &str) {
        let now = since_1970();
        let Ok(mut uses) = self.uses.lock() else { return };
        if uses.get(name).is_some_and(|last| now < *last + USE_INTERVAL) {
            return;
        }
        uses.insert(name.to_owned(), now);
        drop(uses);
        // On a read-only disk the token remains valid.
        let _ = self.storage.note_use(name, now);
    }
}

impl NamedToken {
    /// A text that identifies the token and its rights.
    pub fn holder(&self) -> String {
        let Self { name, rights, created, sha256, used: _ } = self;
        let TokenRights { toolsets, read_only, user, explorer, expires_millis } = rights;
        let all = json!([name, created, sha256, toolsets, read_only, user, explorer, expires_millis]);
        digest(&all.to_string())[..HOLDER_DIGITS].to_owned()
    }

    /// The token as lists show it, without its text, which is not stored.
    pub fn describe(&self) -> Value {
        let TokenRights { toolsets, read_only, user, explorer, expires_millis } = &self.rights;
        let mut shown = json!({
            "name": self.name,
            "toolsets": toolsets,
            "read_only": read_only,
            "user": user,
            "explorer": explorer,
            "created": self.created,
            "expires": expires_millis.map(timestamps::format),
            "last_used": self.used.map(|used| timestamps::format(millis(used))),
        });
        if let Some(fields) = shown.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        shown
    }
}

/// Reads a token; `None` for one that is damaged, which is logged.
fn parsed(Entry { name, text, used }: Entry) -> Option<NamedToken> {
    match read(&name, &text, used) {
        Ok(token) => Some(token),
        Err(reason) => {
            log!("the token {name:?} is refused: {reason}");
            None
        }
    }
}

fn read(name: &str, text: &str, used: Option<Duration>) -> Result<NamedToken> {
    let StoredToken { sha256, toolsets, read_only, user, explorer, created, expires } =
        serde_json::from_str(text)?;
    // An invalid date, such as one edited by hand, must not give a token that never expires.
    let expires_millis = match expires {
        None => None,
        Some(expires) => match timestamps::parse(&expires) {
            Some(millis) => Some(millis),
            None => bail!("\"expires\" is not a date: {expires}"),
        },
    };
    // The server takes an empty list for its default toolsets.
    if toolsets.as_ref().is_some_and(Vec::is_empty) {
        bail!("\"toolsets\" is an empty list: revoke the token, and create it again");
    }
    let user = match user {
        None => None,
        Some(Value::String(user)) if !user.is_empty() => Some(user),
        Some(_) => bail!("\"user\" is not the name of a user"),
    };
    let rights = TokenRights {
        toolsets,
        // A missing field grants no rights.
        read_only: read_only != Some(false),
        explorer: explorer == Some(true) && user.is_none(),
        user,
        expires_millis,
    };
    Ok(NamedToken { name: name.to_owned(), rights, created, used, sha256 })
}

/// A random text of 43 letters, digits, `-` and `_`.
pub fn random_text() -> String {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Whether a text may be a token: others are not looked up.
fn has_token_form(text: &str) -> bool {
    let is_random = |rest: &str| {
        rest.len() == RANDOM_LETTERS
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    text.strip_prefix(PREFIX).is_some_and(is_random)
}

/// The SHA-256 of a text, in hexadecimal digits.
fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares in constant time, as blake3 compares its hashes.
fn is_same(wanted: &str, known: &str) -> bool {
    blake3::hash(wanted.as_bytes()) == blake3::hash(known.to_ascii_lowercase().as_bytes())
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// The Unix time in milliseconds.
pub fn now_millis() -> i64 {
    millis(since_1970())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn missing_fields_of_a_token_allow_less() {
        let stored =
            |more: &str| format!(r#"{{"sha256":"{SHA256}","created":"2026-01-01T00:00:00.000Z"{more}}}"#);
        let token = read("laptop", &stored(""), None).expect("it is a token");
        assert!(token.rights.read_only && !token.rights.explorer);
        let token = read("laptop", &stored(r#","user":"ada","explorer":true,"read_only":false"#), None);
        let token = token.expect("it is a token");
        assert!(!token.rights.explorer && !token.rights.read_only && is_same(&digest("abc"), &token.sha256));
        for damaged in [
            r#","user":"""#,
            r#","user":1"#,
            r#","expires":"soon""#,
            r#","expires":"now""#,
            r#","toolsets":[]"#,
            r#","toolsets":null"#,
        ] {
            assert!(read("laptop", &stored(damaged), None).is_err(), "{damaged}");
        }
    }

    #[test]
    fn only_texts_in_the_form_of_tokens_are_looked_up() {
        assert!(has_token_form(&format!("{PREFIX}{}", random_text())));
        let random = random_text();
        for other in [
            random.clone(),
            PREFIX.to_owned(),
            format!("{PREFIX}x"),
            format!("{PREFIX}{random}x"),
            format!("{PREFIX}{}+", &random[1..]),
            format!("{PREFIX}{}", "ä".repeat(RANDOM_LETTERS)),
            format!("{PREFIX}{}", "x".repeat(100_000)),
        ] {
            assert!(!has_token_form(&other), "{other:.60}");
        }
    }

    #[test]
    fn the_holder_changes_with_the_rights_and_not_with_a_use() {
        let text =
            format!(r#"{{"sha256":"{SHA256}","created":"2026-01-01T00:00:00.000Z","read_only":false}}"#);
        let token = read("laptop", &text, None).expect("it is a token");
        let used = NamedToken { used: Some(USE_INTERVAL), ..token.clone() };
        let mut limited = token.clone();
        limited.rights.user = Some("ada".to_owned());
        assert_eq!(token.holder(), used.holder());
        assert_ne!(token.holder(), limited.holder());
    }
}
