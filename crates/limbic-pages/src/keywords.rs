//! The parameters of libpq: which are used here, which are ignored, and which have only some of their values.

/// Parameters that are used, whatever their value, wherever they are written.
const USED: [&str; 24] = [
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
    "memory",
    "options",
    "passfile",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "tcp_user_timeout",
    "user",
];

/// Parameters of libpq that may be ignored: the client library speaks UTF-8 alone, compresses nothing, never logs in
/// with Kerberos, and records no keys.
const IGNORED: [&str; 6] =
    ["client_encoding", "gssdelegation", "gsslib", "krbsrvname", "sslcompression", "sslkeylogfile"];

/// A parameter of which only some values are supported.
struct Limited {
    key: &'static str,
    /// The values that are supported.
    supported: &'static [&'static str],
    /// The other values that libpq has; none are listed where any text is one.
    unsupported: &'static [&'static str],
    /// Why they are not supported.
    reason: &'static str,
}

const NO_AUTHENTICATION: &str = "how the server authenticates cannot be limited";
const NO_REVOCATION: &str = "certificates that were revoked would be accepted";
const NO_OAUTH: &str = "there is no login with OAuth";
const NO_KEYS: &str = "a login needs the password";
const PROTOCOLS: &str = "versions 3.2 and later of the protocol are not spoken";

const LIMITED: &[Limited] = &[
    Limited {
        key: "channel_binding",
        supported: &["disable", "prefer"],
        unsupported: &["require"],
        reason: "use sslmode=verify-full, which protects against the same",
    },
    Limited {
        key: "gssencmode",
        supported: &["disable", "prefer"],
        unsupported: &["require"],
        reason: "connections are encrypted by TLS alone: use gssencmode=disable and sslmode",
    },
    Limited { key: "load_balance_hosts", supported: &["disable", "random"], unsupported: &[], reason: "" },
    Limited {
        key: "max_protocol_version",
        supported: &["", "3.0", "3.2", "latest"],
        unsupported: &[],
        reason: "",
    },
    Limited {
        key: "min_protocol_version",
        supported: &["", "3.0"],
        unsupported: &["3.2", "latest"],
        reason: PROTOCOLS,
    },
    Limited { key: "oauth_client_id", supported: &[""], unsupported: &[], reason: NO_OAUTH },
    Limited { key: "oauth_client_secret", supported: &[""], unsupported: &[], reason: NO_OAUTH },
    Limited { key: "oauth_issuer", supported: &[""], unsupported: &[], reason: NO_OAUTH },
    Limited { key: "oauth_scope", supported: &[""], unsupported: &[], reason: NO_OAUTH },
    Limited {
        key: "replication",
        supported: &["", "0", "false", "no", "off"],
        unsupported: &["1", "database", "on", "true", "yes"],
        reason: "a memory needs a connection for statements",
    },
    Limited { key: "require_auth", supported: &[""], unsupported: &[], reason: NO_AUTHENTICATION },
    Limited {
        key: "requirepeer",
        supported: &[""],
        unsupported: &[],
        reason: "who owns the server's process is not checked",
    },
    Limited { key: "scram_client_key", supported: &[""], unsupported: &[], reason: NO_KEYS },
    Limited { key: "scram_server_key", supported: &[""], unsupported: &[], reason: NO_KEYS },
    Limited {
        key: "sslcertmode",
        supported: &["allow", "disable"],
        unsupported: &["require"],
        reason: "whether the server asks for the client's certificate is not checked",
    },
    Limited { key: "sslcrl", supported: &[""], unsupported: &[], reason: NO_REVOCATION },
    Limited { key: "sslcrldir", supported: &[""], unsupported: &[], reason: NO_REVOCATION },
    Limited { key: "sslnegotiation", supported: &["postgres", "direct"], unsupported: &[], reason: "" },
    Limited {
        key: "sslpassword",
        supported: &[""],
        unsupported: &[],
        reason: "an encrypted key cannot be read: decrypt the file of sslkey",
    },
    Limited {
        key: "sslsni",
        supported: &["1"],
        unsupported: &["0"],
        reason: "the name of the host is part of each handshake",
    },
    Limited {
        key: "ssl_max_protocol_version",
        supported: &["", "TLSv1.2", "TLSv1.3"],
        unsupported: OLD_TLS,
        reason: TLS,
    },
    Limited {
        key: "ssl_min_protocol_version",
        supported: &["", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"],
        unsupported: &[],
        reason: "",
    },
    Limited {
        key: "target_session_attrs",
        supported: &["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
        unsupported: &[],
        reason: "",
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

/// Why a value is refused, if it is: the key, then `origin` and the reason. Where any text may be a value, it is not
/// repeated, since it may be a secret.
pub fn refusal(key: &str, value: &str, origin: &str) -> Option<String> {
    let Limited { supported, unsupported, reason, .. } = LIMITED.iter().find(|limited| limited.key == key)?;
    // As in libpq, case matters everywhere else.
    let is_tls = key.starts_with("ssl_m");
    let is = |known: &&str| *known == value || is_tls && known.eq_ignore_ascii_case(value);
    if supported.iter().any(is) {
        return None;
    }
    if unsupported.iter().any(is) {
        return Some(format!("{key}={value} {origin} is not supported: {reason}"));
    }
    if *supported == [""] {
        return Some(format!("{key} {origin} is not supported: {reason}"));
    }
    let known: Vec<&str> =
        supported.iter().chain(*unsupported).copied().filter(|known| !known.is_empty()).collect();
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
    fn no_parameter_is_in_two_lists() {
        let limited = LIMITED.iter().map(|limited| limited.key);
        let mut all: Vec<&str> = USED.into_iter().chain(IGNORED).chain(limited).collect();
        all.sort_unstable();
        let twice: Vec<&[&str]> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert_eq!(twice, <[&[&str]; 0]>::default());
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
