//! Finds random strings that directly follow the name of a service: `algolia admin 9fce…`.

use super::{entropy, rules::SecretKind, value};

/// Services that issue keys, in lower case.
pub(super) const SERVICES: [&str; 98] = [
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
const BETWEEN: [&str; 32] = [
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
];
/// Maximum number of words between the name and the key.
const MAX_WORDS: usize = 4;
/// Lengths of a key, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=128;

/// Returns the kind of the first such key.
pub(super) fn find(text: &str) -> Option<SecretKind> {
    text.lines().any(follows_name).then_some(SecretKind::new("key of a service"))
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
        ] {
            assert!(find(&text).is_none(), "{text}");
        }
    }
}
