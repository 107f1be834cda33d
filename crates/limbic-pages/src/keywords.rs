//! The parameters of libpq: which of them change a connection here, and which values of the others are met without.

/// Parameters that every place may have and that change something here.
const USED: [&str; 29] = [
    "answer_timeout",
    "application_name",
    "cache",
    "connect_timeout",
    "dbname",
    "fallback_application_name",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "memory",
    "options",
    "passfile",
    "password",
    "port",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcert",
    "sslcertmode",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// Parameters of libpq that may be ignored: the client library speaks UTF-8 alone, compresses nothing, never logs in
/// with Kerberos, and records no keys.
const IGNORED: [&str; 6] =
    ["client_encoding", "gssdelegation", "gsslib", "krbsrvname", "sslcompression", "sslkeylogfile"];

/// A parameter with some values only.
struct Limited {
    key: &'static str,
    /// The values that are met.
    met: &'static [&'static str],
    /// The other values that libpq has; empty if any other text is one.
    others: &'static [&'static str],
    /// What is said of them.
    why: &'static str,
}

const NO_AUTHENTICATION: &str = "how the server authenticates cannot be limited";
const NO_REVOCATION: &str = "certificates that were revoked would be accepted";
const NO_OAUTH: &str = "there is no login with OAuth";
const NO_KEYS: &str = "a login needs the password";
const PROTOCOLS: &str = "versions 3.2 and later of the protocol are not spoken";

const LIMITED: &[Limited] = &[
    Limited {
        key: "channel_binding",
        met: &["disable", "prefer"],
        others: &["require"],
        why: "use sslmode=verify-full, which protects against the same",
    },
    Limited {
        key: "gssencmode",
        met: &["disable", "prefer"],
        others: &["require"],
        why: "connections are encrypted by TLS alone: use gssencmode=disable and sslmode",
    },
    Limited { key: "load_balance_hosts", met: &["disable", "random"], others: &[], why: "" },
    Limited { key: "max_protocol_version", met: &["", "3.0", "3.2", "latest"], others: &[], why: "" },
    Limited { key: "min_protocol_version", met: &["", "3.0"], others: &["3.2", "latest"], why: PROTOCOLS },
    Limited { key: "oauth_client_id", met: &[""], others: &[], why: NO_OAUTH },
    Limited { key: "oauth_client_secret", met: &[""], others: &[], why: NO_OAUTH },
    Limited { key: "oauth_issuer", met: &[""], others: &[], why: NO_OAUTH },
    Limited { key: "oauth_scope", met: &[""], others: &[], why: NO_OAUTH },
    Limited {
        key: "replication",
        met: &["", "0", "false", "no", "off"],
        others: &["1", "database", "on", "true", "yes"],
        why: "a memory needs a connection for statements",
    },
    Limited { key: "require_auth", met: &[""], others: &[], why: NO_AUTHENTICATION },
    Limited {
        key: "requirepeer",
        met: &[""],
        others: &[],
        why: "who owns the server's process is not checked",
    },
    Limited { key: "scram_client_key", met: &[""], others: &[], why: NO_KEYS },
    Limited { key: "scram_server_key", met: &[""], others: &[], why: NO_KEYS },
    Limited {
        key: "sslcertmode",
        met: &["allow", "disable"],
        others: &["require"],
        why: "whether the server asks for the client's certificate is not checked",
    },
    Limited { key: "sslcrl", met: &[""], others: &[], why: NO_REVOCATION },
    Limited { key: "sslcrldir", met: &[""], others: &[], why: NO_REVOCATION },
    Limited { key: "sslnegotiation", met: &["postgres", "direct"], others: &[], why: "" },
    Limited {
        key: "sslpassword",
        met: &[""],
        others: &[],
        why: "an encrypted key cannot be read: decrypt the file of sslkey",
    },
    Limited {
        key: "sslsni",
        met: &["1"],
        others: &["0"],
        why: "the name of the host is part of each handshake",
    },
    Limited { key: "ssl_max_protocol_version", met: &["", "TLSv1.2", "TLSv1.3"], others: OLD_TLS, why: TLS },
    Limited {
        key: "ssl_min_protocol_version",
        met: &["", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"],
        others: &[],
        why: "",
    },
    Limited {
        key: "target_session_attrs",
        met: &["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
        others: &[],
        why: "",
    },
];

const OLD_TLS: &[&str] = &["TLSv1", "TLSv1.1"];
const TLS: &str = "TLS begins with version 1.2 here";

/// Environment variables of libpq, with the parameters that they set.
pub const VARIABLES: &[(&str, &str)] = &[
    ("PGAPPNAME", "application_name"),
    ("PGCHANNELBINDING", "channel_binding"),
    ("PGCLIENTENCODING", "client_encoding"),
    ("PGCONNECT_TIMEOUT", "connect_timeout"),
    ("PGDATABASE", "dbname"),
    ("PGGSSDELEGATION", "gssdelegation"),
    ("PGGSSENCMODE", "gssencmode"),
    ("PGGSSLIB", "gsslib"),
    ("PGHOST", "host"),
    ("PGHOSTADDR", "hostaddr"),
    ("PGKRBSRVNAME", "krbsrvname"),
    ("PGLOADBALANCEHOSTS", "load_balance_hosts"),
    ("PGMAXPROTOCOLVERSION", "max_protocol_version"),
    ("PGMINPROTOCOLVERSION", "min_protocol_version"),
    ("PGOPTIONS", "options"),
    ("PGPASSFILE", "passfile"),
    ("PGPASSWORD", "password"),
    ("PGPORT", "port"),
    ("PGREQUIREAUTH", "require_auth"),
    ("PGREQUIREPEER", "requirepeer"),
    ("PGSSLCERT", "sslcert"),
    ("PGSSLCERTMODE", "sslcertmode"),
    ("PGSSLCOMPRESSION", "sslcompression"),
    ("PGSSLCRL", "sslcrl"),
    ("PGSSLCRLDIR", "sslcrldir"),
    ("PGSSLKEY", "sslkey"),
    ("PGSSLMAXPROTOCOLVERSION", "ssl_max_protocol_version"),
    ("PGSSLMINPROTOCOLVERSION", "ssl_min_protocol_version"),
    ("PGSSLMODE", "sslmode"),
    ("PGSSLNEGOTIATION", "sslnegotiation"),
    ("PGSSLROOTCERT", "sslrootcert"),
    ("PGSSLSNI", "sslsni"),
    ("PGTARGETSESSIONATTRS", "target_session_attrs"),
    ("PGUSER", "user"),
];

/// Whether libpq or Limbic has this parameter.
pub fn is_known(key: &str) -> bool {
    USED.contains(&key) || IGNORED.contains(&key) || LIMITED.iter().any(|limited| limited.key == key)
}

/// Why a value cannot be met, with the key and `origin`, which follows it. A text of which any may be a secret is not
/// repeated.
pub fn refusal(key: &str, value: &str, origin: &str) -> Option<String> {
    let Limited { met, others, why, .. } = LIMITED.iter().find(|limited| limited.key == key)?;
    // As in libpq, case matters everywhere else.
    let is_tls = key.starts_with("ssl_m");
    let is = |known: &&str| *known == value || is_tls && known.eq_ignore_ascii_case(value);
    if met.iter().any(is) {
        return None;
    }
    if others.iter().any(is) {
        return Some(format!("{key}={value} {origin} is not supported: {why}"));
    }
    if *met == [""] {
        return Some(format!("{key} {origin} is not supported: {why}"));
    }
    let known: Vec<&str> = met.iter().chain(*others).copied().filter(|known| !known.is_empty()).collect();
    let (last, before) = known.split_last()?;
    let known =
        if before.is_empty() { (*last).to_owned() } else { format!("{} or {last}", before.join(", ")) };
    Some(format!("{key} {origin} must be {known}, but got {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_that_a_variable_sets_is_known() {
        for (variable, key) in VARIABLES {
            assert!(is_known(key), "{variable}");
        }
    }

    #[test]
    fn a_value_that_asks_for_more_than_is_done_is_refused_and_no_secret_repeated() {
        let said = |key, value| refusal(key, value, "(from the address)");
        for (key, value) in [
            ("channel_binding", "prefer"),
            ("gssencmode", "disable"),
            ("ssl_min_protocol_version", "tlsv1.3"),
            ("sslcrl", ""),
            ("sslmode", "checked elsewhere"),
        ] {
            assert_eq!(said(key, value), None, "{key}");
        }
        let required = said("gssencmode", "require").expect("it is refused");
        assert!(
            required.starts_with("gssencmode=require (from the address) is not supported: "),
            "{required}"
        );
        let secret = said("sslpassword", "s3cret").expect("it is refused");
        assert!(secret.contains("sslpassword (from the address)") && !secret.contains("s3cret"), "{secret}");
        let other = said("target_session_attrs", "bogus").expect("it is refused");
        assert!(other.contains("any, read-write, ") && other.ends_with("but got \"bogus\""), "{other}");
    }
}
