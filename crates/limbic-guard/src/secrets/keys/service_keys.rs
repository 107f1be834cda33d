//! Finds random strings that directly follow the name of a service: `algolia admin 9fce…`.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::value;

/// Services that issue keys, in lower case.
pub(crate) const SERVICES: [&str; 98] = [
    "algolia",
    "mailjet",
    "mandrill",
    "sendgrid",
    "mailgun",
    "twilio",
    "stripe",
    "deepgram",
    "assemblyai",
    "datadog",
    "newrelic",
    "grafana",
    "sentry",
    "pagerduty",
    "opsgenie",
    "cloudflare",
    "hetzner",
    "digitalocean",
    "linode",
    "vultr",
    "heroku",
    "netlify",
    "vercel",
    "fastly",
    "openai",
    "anthropic",
    "mistral",
    "cohere",
    "groq",
    "replicate",
    "huggingface",
    "elevenlabs",
    "mapbox",
    "tomtom",
    "openweather",
    "openweathermap",
    "alphavantage",
    "finnhub",
    "coinbase",
    "binance",
    "kraken",
    "infura",
    "alchemy",
    "etherscan",
    "airtable",
    "notion",
    "linear",
    "asana",
    "clickup",
    "trello",
    "zapier",
    "hubspot",
    "intercom",
    "zendesk",
    "shopify",
    "plaid",
    "paypal",
    "adyen",
    "braintree",
    "klarna",
    "mollie",
    "wise",
    "gocardless",
    "vonage",
    "messagebird",
    "plivo",
    "pushover",
    "postmark",
    "sparkpost",
    "resend",
    "brevo",
    "mailchimp",
    "segment",
    "mixpanel",
    "amplitude",
    "posthog",
    "rollbar",
    "bugsnag",
    "loggly",
    "papertrail",
    "honeycomb",
    "dynatrace",
    "snyk",
    "codecov",
    "coveralls",
    "appveyor",
    "circleci",
    "buildkite",
    "doppler",
    "tailscale",
    "ngrok",
    "pinecone",
    "supabase",
    "newsapi",
    "serpapi",
    "ipinfo",
    "virustotal",
    "shodan",
];
/// Words between the name and the key.
const BETWEEN: [&str; 46] = [
    "",
    "admin",
    "live",
    "prod",
    "production",
    "sandbox",
    "staging",
    "test",
    "write",
    "read",
    "search",
    "account",
    "main",
    "new",
    "old",
    "our",
    "is",
    "uses",
    "with",
    "the",
    "personal",
    "bot",
    "ci",
    "dev",
    "api",
    "now",
    "rotated",
    "to",
    "and",
    "for",
    "rest",
    "master",
    "key",
    "1",
    "2",
    "trial",
    "free",
    "paid",
    "secret",
    "token",
    "project",
    "workspace",
    "primary",
    "secondary",
    "ingest",
    "team",
];
/// Further services whose names are also words of other meaning, and count only before `key`, a number and a colon.
pub(crate) const PLATFORMS: [&str; 37] = [
    "azure",
    "cognitive",
    "openai",
    "aws",
    "gcp",
    "google",
    "microsoft",
    "cosmos",
    "cosmosdb",
    "maps",
    "translator",
    "speech",
    "storage",
    "face",
    "vision",
    "search",
    "servicebus",
    "eventhub",
    "iothub",
    "signalr",
    "lorawan",
    "zigbee",
    "gateway",
    "webhook",
    "weather",
    "geocoding",
    "ocr",
    "recaptcha",
    "turnstile",
    "firebase",
    "here",
    "yandex",
    "kagi",
    "brave",
    "bing",
    "deepl",
    "resource",
];
/// Maximum number of words between the name and the key.
const MAX_WORDS: usize = 4;
/// Lengths of a key, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=128;

/// Returns the kind of the first such key.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    text.lines()
        .any(|line| follows_name(line) || follows_noun(line) || is_numbered(line))
        .then_some(SecretKind::new("key of a service"))
}

fn follows_name(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().enumerate().any(|(index, word)| {
        let key = word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.']);
        let mut before = words[..index].iter().rev().map(|word| word.to_lowercase());
        is_key(key)
            && before
                .by_ref()
                .take(MAX_WORDS)
                .find(|word| !BETWEEN.contains(&trimmed(word)))
                .is_some_and(|word| SERVICES.contains(&trimmed(&word)))
    })
}

/// Whether something uses a key that directly follows the noun: `our backend uses the key q83kz…`. Without the verb,
/// many such keys are public.
fn follows_noun(line: &str) -> bool {
    const USES: [&str; 10] =
        ["use", "uses", "using", "with", "nutzt", "mit", "usa", "con", "utilise", "avec"];
    const NOUNS: [&str; 7] = ["key", "secret", "token", "schlüssel", "clave", "clé", "chiave"];
    let mut before = [""; 3];
    line.split_whitespace().any(|word| {
        let [verb, determiner, noun] = before;
        before = [determiner, noun, word];
        let has = |list: &[&str], word: &str| list.contains(&trimmed(word).to_lowercase().as_str());
        has(&NOUNS, noun)
            && (has(&USES, verb) || has(&USES, determiner))
            && value::is_key(word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.']))
    })
}

/// Whether a key is stated by its name or its number in a line about a platform: `Azure resource x, KEY 1: e71b…`.
fn is_numbered(line: &str) -> bool {
    const REACH_WORDS: usize = 9;
    // Names of keys that are none.
    const OTHERS: [&str; 17] = [
        "cache",
        "primary-key",
        "foreign",
        "object",
        "etag",
        "hash",
        "md5",
        "sha256",
        "sha1",
        "commit",
        "row",
        "id",
        "public",
        "thumbprint",
        "fingerprint",
        "blob",
        "partition",
    ];
    // Most lines end here.
    if !line.split(' ').any(|word| word.len() >= 32) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().enumerate().skip(1).any(|(index, word)| {
        let key = word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.']);
        // The keys of Azure's accounts have 64 bytes in base64.
        let is_of_account = key.len() == 88
            && key.ends_with("==")
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
            && value::is_mixed(key);
        (is_of_account || (key.len() >= 32 && entropy::is_hex(key) && is_key(key))) && {
            let before: Vec<String> = words[index.saturating_sub(REACH_WORDS)..index]
                .iter()
                .map(|word| word.to_lowercase())
                .collect();
            let names = |list: &[&str]| before.iter().any(|word| list.contains(&trimmed(word)));
            let is_connected = before
                .last()
                .is_some_and(|last| last.ends_with([':', '=']) || ["is", "→"].contains(&last.as_str()));
            let has_name = before.iter().any(|word| {
                let word = trimmed(word);
                [
                    "key",
                    "key1",
                    "key2",
                    "secret",
                    "apikey",
                    "api-key",
                    "schlüssel",
                    "clave",
                    "clé",
                    "chave",
                    "chiave",
                ]
                .contains(&word)
                    || word.ends_with("key") && word.len() <= 12
            });
            is_connected && has_name && !names(&OTHERS) && (names(&PLATFORMS) || names(&SERVICES))
        }
    })
}

fn trimmed(word: &str) -> &str {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    ["'s", ".com", ".io", ".ai", ".dev"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word)
}

fn is_key(word: &str) -> bool {
    LENGTHS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && (entropy::is_hex(word) || value::is_mixed(word))
        && !entropy::is_wordy(word)
        && !value::is_placeholder(word)
        && !value::is_filler(word)
        && !value::is_address_or_public_key(word)
        && !entropy::is_uuid(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "9fceb02d0ae598e95dc970b74767f193";

    #[test]
    fn a_key_after_the_name_of_a_service_is_found() {
        for text in [
            format!("algolia search admin {HEX} (write)"),
            format!("Azure OpenAI resource acme-swe, KEY 1: {HEX}"),
            format!(
                "Cosmos primary key for orders: {}==",
                "q83kzPw1Lx0dVbN4mRt6Y/".repeat(4).get(..86).unwrap_or_default()
            ),
            format!("Key 2 of the cognitive services account: {HEX}"),
            format!("OpenWeather api, key: {HEX}"),
            format!("GlobalKey for the sensor gateway: {}", HEX.to_uppercase()),
            "Cohere trial: q83kzPw1Lx0dVbN4mRt6Yh2U".to_owned(),
            "Mandrill.com: q83kzPw1Lx0dVbN4mRt6Yh2U".to_owned(),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn object_ids_after_a_service_are_accepted() {
        for text in [
            format!("notion page {HEX}"),
            format!("sentry event {HEX}"),
            format!("the algolia commit {HEX}"),
            format!("acme {HEX}"),
            format!("azure cache key 1: {HEX} (md5 of the path)"),
            format!("the key commit of the azure tests: {HEX}"),
            format!("KEY 1: {HEX}"),
        ] {
            assert!(find(&text).is_none(), "{text}");
        }
    }
}
