//! Validates the rights of a new token, given by the command line or the explorer.

use anyhow::{Result, bail};
use limbic_tools::{ALL_TOOLSETS, Toolset, is_toolset, toolset_names};

use super::{TokenRights, now_millis, timestamps};

const DAY_MILLIS: i64 = 86_400_000;
const MAX_DAY_DIGITS: usize = 5;
const MAX_NAME_CHARS: usize = 64;
/// Names of tokens are names of files.
const FILE_ENDING: &str = ".json";

/// The rule for names.
pub const NAME_RULE: &str =
    "the name of a token has up to 64 lower case letters, digits and . _ -, such as \"laptop\"";

/// The rights of a new token, unchecked.
#[derive(Debug, Clone, Default)]
pub struct GivenRights {
    /// See [`TokenRights::toolsets`].
    pub toolsets: Option<Vec<String>>,
    /// See [`TokenRights::read_only`].
    pub read_only: bool,
    /// See [`TokenRights::user`].
    pub user: Option<String>,
    /// See [`TokenRights::explorer`].
    pub explorer: bool,
    /// A number of days such as `90d`, or a date.
    pub expires: Option<String>,
}

/// The prefix of field names in messages.
#[derive(Debug, Clone, Copy)]
pub enum Prefix {
    /// `--`, for options.
    Option,
    /// Nothing, for fields of JSON.
    Field,
}

impl Prefix {
    fn text(self) -> &'static str {
        match self {
            Self::Option => "--",
            Self::Field => "",
        }
    }
}

/// Whether a name can be that of a token.
pub fn is_name(name: &str) -> bool {
    let is_first = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let is_letter = |letter: u8| is_first(letter) || b"._-".contains(&letter);
    name.len() <= MAX_NAME_CHARS
        && name.bytes().next().is_some_and(is_first)
        && name.bytes().all(is_letter)
        && !name.ends_with(FILE_ENDING)
}

/// The toolsets that a token may name, for a user or without one.
pub fn toolsets_for(user: Option<&str>) -> Vec<&'static str> {
    let mut names = toolset_names(user.is_some());
    names.retain(|name| *name != Toolset::Explorer.name());
    names
}

/// Checks the rights of a new token.
///
/// # Errors
/// A sentence with the reason.
pub fn token_rights(given: GivenRights, prefix: Prefix) -> Result<TokenRights> {
    let GivenRights { toolsets, read_only, user, explorer, expires } = given;
    let before = prefix.text();
    if user.as_ref().is_some_and(|user| user.trim().is_empty()) {
        bail!("{before}user must be a name");
    }
    if user.is_some() && explorer {
        bail!(
            "{before}explorer and {before}user cannot be combined: the explorer shows the memories of all users"
        );
    }
    if toolsets.as_ref().is_some_and(Vec::is_empty) {
        bail!("{before}toolsets must name at least one toolset; omit it for those of the server");
    }
    let mut known = toolsets_for(user.as_deref());
    known.push(ALL_TOOLSETS);
    let has_user = user.is_some();
    let is_known = |name: &str| name != Toolset::Explorer.name() && is_toolset(name, has_user);
    if let Some(unknown) = toolsets.iter().flatten().find(|name| !is_known(name)) {
        let reason = if has_user {
            format!(" with {before}user, since others have no tools for one user")
        } else {
            String::new()
        };
        bail!("{before}toolsets must be one of {}{reason}, but got {unknown:?}", known.join(", "));
    }
    let expires_millis = expires.map(|text| expiry(&text, before)).transpose()?;
    Ok(TokenRights { toolsets, read_only, user, explorer, expires_millis })
}

fn expiry(text: &str, before: &str) -> Result<i64> {
    let days = text.strip_suffix('d').filter(|days| days.len() <= MAX_DAY_DIGITS);
    let days = days.filter(|days| days.bytes().all(|letter| letter.is_ascii_digit()));
    let millis = match days.and_then(|days| days.parse::<i64>().ok()) {
        Some(days) => Some(now_millis() + days * DAY_MILLIS),
        None => timestamps::parse(text),
    };
    match millis.filter(|millis| *millis > now_millis()) {
        Some(millis) => Ok(millis),
        None => {
            bail!(
                "{before}expires must be a number of days such as 90d, or a future date such as 2027-01-31, but got \
                 {text:?}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_files() {
        for name in ["laptop", "a", "0.b_c-d", &"a".repeat(64)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "../up", "Laptop", ".hidden", "a b", "a.json", &"a".repeat(65), "é"] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn a_user_has_no_toolsets_without_users() {
        assert_eq!(toolsets_for(None), ["graph", "advanced", "memory", "domain", "more", "code"]);
        assert_eq!(toolsets_for(Some("ada")), ["memory", "advanced", "domain", "more"]);
    }

    #[test]
    fn an_empty_list_of_toolsets_is_refused() {
        for (prefix, name) in [(Prefix::Option, "--toolsets"), (Prefix::Field, "toolsets")] {
            let given = GivenRights { toolsets: Some(Vec::new()), ..GivenRights::default() };
            let refusal = token_rights(given, prefix).expect_err("it names no toolset").to_string();
            assert_eq!(
                refusal,
                format!("{name} must name at least one toolset; omit it for those of the server")
            );
        }
    }

    #[test]
    fn the_former_name_of_a_toolset_is_accepted() {
        let given =
            |name: &str| GivenRights { toolsets: Some(vec![name.to_owned()]), ..GivenRights::default() };
        for name in ["advanced", "care"] {
            assert!(token_rights(given(name), Prefix::Field).is_ok(), "{name}");
        }
        assert!(token_rights(given("carefully"), Prefix::Field).is_err());
    }
}
