//! Keys as arguments of the functions that set up clients: `algoliasearch('APP', '3ad7…')`,
//! `larkspur.init("q83k…")`.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::keys::service_keys::SERVICES;
use crate::secrets::value;

/// Minimum length of a key.
const MIN_BYTES: usize = 20;
/// Maximum length of a function's path, and of its arguments, in bytes.
const MAX_PATH_BYTES: usize = 80;
const ARGUMENT_BYTES: usize = 400;
/// Functions that set up a client, in lower case without separators; the owner may be any.
const SETTERS: [&str; 38] = [
    "init",
    "initialize",
    "initialise",
    "configure",
    "authenticate",
    "authorize",
    "login",
    "signin",
    "withkey",
    "withapikey",
    "withtoken",
    "withsecret",
    "withcredentials",
    "usekey",
    "setapikey",
    "setkey",
    "setaccesstoken",
    "settoken",
    "setauthtoken",
    "setauth",
    "setsecret",
    "setwritekey",
    "apikey",
    "fromkey",
    "fromapikey",
    "fromtoken",
    "accesstoken",
    "addapikey",
    "usetoken",
    "bearer",
    "basicauth",
    "bearerauth",
    "withaccesstoken",
    "withauthtoken",
    "setsecretkey",
    "setprivatekey",
    "setlicensekey",
    "setbearertoken",
];
/// Functions that set up what owns them, if that is a client.
const MAKERS: [&str; 14] = [
    "new",
    "create",
    "start",
    "connect",
    "setup",
    "config",
    "build",
    "make",
    "getinstance",
    "instance",
    "of",
    "open",
    "load",
    "__init__",
];
/// Ends of the names of clients, in lower case.
const CLIENTS: [&str; 21] = [
    "analytics",
    "client",
    "api",
    "sdk",
    "search",
    "connection",
    "session",
    "credential",
    "credentials",
    "auth",
    "mailer",
    "notifier",
    "bot",
    "gateway",
    "exchange",
    "provider",
    "service",
    "account",
    "geocoder",
    "tracker",
    "realtime",
];
/// Further services, in lower case.
const MORE_SERVICES: [&str; 28] = [
    "tmdb",
    "finnhub",
    "pusher",
    "ably",
    "bugsnag",
    "mixpanel",
    "amplitude",
    "rollbar",
    "comet",
    "neptune",
    "wandb",
    "flickr",
    "reddit",
    "praw",
    "spotify",
    "spotipy",
    "binance",
    "kraken",
    "kucoin",
    "bybit",
    "razorpay",
    "spot",
    "opencage",
    "onesignal",
    "cloudinary",
    "contentful",
    "sanity",
    "typesense",
];
/// Ends of the names of functions that take ids and hashes, in lower case.
const OTHERS: [&str; 14] = [
    "publickey",
    "objectid",
    "commit",
    "hash",
    "uuid",
    "contract",
    "address",
    "blob",
    "worker",
    "transaction",
    "block",
    "checkout",
    "regexp",
    "websocket",
];

/// Returns the kind of the first such argument.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    text.match_indices('(')
        .any(|(index, _)| {
            let path = path_before(&text[..index]);
            let arguments = arguments_after(&text[index + 1..]);
            // Most calls end here.
            arguments.contains(['"', '\'', '`'])
                && !path.is_empty()
                && holds_key(path, &text[..index], arguments)
        })
        .then_some(SecretKind::new("argument of a client"))
}

/// Returns the path of the function that ends here: `Twilio::REST::Client.new`, `$client->setKey`.
fn path_before(before: &str) -> &str {
    let bytes = before.as_bytes();
    let is_of_path = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:->$\\=".contains(byte);
    let length = bytes.iter().rev().take(MAX_PATH_BYTES).take_while(is_of_path).count();
    &before[before.len() - length..]
}

fn arguments_after(after: &str) -> &str {
    let mut end = after.len().min(ARGUMENT_BYTES);
    while !after.is_char_boundary(end) {
        end -= 1;
    }
    let line = after[..end].lines().next().unwrap_or_default();
    line.split(')').next().unwrap_or_default()
}

fn holds_key(path: &str, before: &str, arguments: &str) -> bool {
    let quoted = || arguments.split(['"', '\'', '`']).skip(1).step_by(2);
    let is_short = |it: &str| {
        it.len() == 20 && it.bytes().all(|byte| byte.is_ascii_hexdigit()) && entropy::shannon(it) >= 2.8
    };
    let keys = quoted().filter(|it| is_key(it)).count();
    let short_keys = quoted().filter(|it| is_short(it)).count();
    if keys + short_keys == 0 {
        return false;
    }
    let parts: Vec<String> = path
        .split(['.', ':', '>', '\\', '$', '-', '='])
        .filter(|part| !part.is_empty())
        .map(|part| part.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect())
        .collect();
    let Some((last, owners)) = parts.split_last() else { return false };
    if OTHERS.iter().any(|end| last.ends_with(end)) {
        return false;
    }
    let names_service = |part: &String| {
        SERVICES.iter().chain(&MORE_SERVICES).any(|name| name.len() >= 4 && part.contains(name))
    };
    let is_client = |part: &String| CLIENTS.iter().any(|end| part.ends_with(end)) || names_service(part);
    let is_new = before[..before.len() - path.len()].ends_with("new ");
    if keys == 0 {
        return is_new && short_keys >= 2;
    }
    let begins_upper = path
        .rsplit(['.', ':', '\\', '=', '>'])
        .next()
        .is_some_and(|name| name.starts_with(char::is_uppercase));
    SETTERS.contains(&last.as_str())
        || last == "auth"
        || names_service(last)
        || (MAKERS.contains(&last.as_str()) && owners.iter().any(is_client))
        // `new Spot('…', '…')`, `comet_ml.Experiment('…')`
        || (is_new && (keys >= 2 || is_client(last)))
        || (is_client(last) && last != "search" && (last.starts_with("create") || begins_upper))
        || (begins_upper && owners.iter().any(names_service))
        || (MAKERS.contains(&last.as_str()) && last == "connect" && quoted().count() >= 2)
}

/// Whether it is random: hexadecimal digits, also in several groups, or letters of both cases and digits.
fn is_key(found: &str) -> bool {
    let is_grouped_hex = || {
        let digits = found.bytes().filter(u8::is_ascii_hexdigit).count();
        digits >= 40
            && found.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-' || byte == b':')
            && entropy::shannon(found) >= 2.8
    };
    (MIN_BYTES..=160).contains(&found.len())
        && found.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_.:-".contains(&byte))
        && (entropy::is_hex(found) || value::is_mixed(found) || is_grouped_hex())
        && !entropy::is_uuid(found)
        && !value::is_known_not_secret(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANDOM: &str = "q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7C";
    const HEX: &str = "9fceb02d0ae598e95dc970b74767f193";

    #[test]
    fn keys_of_clients_are_found() {
        for text in [
            format!("algoliasearch('JDATCSZTXT', '{HEX}') // admin"),
            format!("Twilio::REST::Client.new('AC{HEX}', '{HEX}')"),
            format!("let client = Client::new(\"{RANDOM}\");"),
            format!("larkspur.init(\"{RANDOM}\")"),
            format!("Bugsnag.start('{HEX}')"),
            format!("new Spot('{RANDOM}', '{RANDOM}')"),
            format!("SearchClient::create('2MYTJVXYGM', '{HEX}');"),
            format!("comet_ml.Experiment(\"{RANDOM}\", project_name=\"x\")"),
            format!("requests.post(url, auth=(\"api\", \"{HEX}-9f86d081-884c7d65\"))"),
            format!("Mailer.withKey(\"{RANDOM}\")"),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn ids_and_hashes_are_not() {
        for text in [
            format!("index.getObject('{HEX}')"),
            format!("new PublicKey('{RANDOM}')"),
            format!("repo.checkout(\"{HEX}\")"),
            format!("notion.databases.query(\"{HEX}\")"),
            format!("sentry.getEvent(\"{HEX}\")"),
            format!("new Commit(\"{HEX}\", author)"),
            "algoliasearch(process.env.APP_ID, 'YOUR_ADMIN_KEY')".to_owned(),
            "i18n.init(\"messages_2026_default_locale\")".to_owned(),
        ] {
            assert!(find(&text).is_none(), "{text}");
        }
    }
}
