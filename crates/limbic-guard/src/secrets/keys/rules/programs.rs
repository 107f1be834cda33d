//! Flags of one letter for a password, and short keys that only their prefix or their service distinguishes.

use super::rule::{Asks, Begins, Rule, asking, inner, random, rule};

/// A value that mixes letters with digits or punctuation, as the rules for flags capture it.
pub(super) const RULES: &[Rule] = &[
    // A user on the same line, and a flag for the password.
    inner(
        "password on a command line",
        &["-u ", "-U ", "-l ", "--user ", "--username ", "login "],
        Begins::WithCommand,
        r#"^(?:--?\w+|login) [^\n|;]{0,120}?\s-[pPwaAXk] ["']?([A-Za-z0-9!@#$%^&*+_]*(?:[A-Za-z][0-9!@#$%^&*+]|[0-9!@#$%^&*+][A-Za-z])[A-Za-z0-9!@#$%^&*+_]{5,}|[A-Za-z0-9!@#$%^&*+_]{6,}(?:[A-Za-z][0-9!@#$%^&*+]|[0-9!@#$%^&*+][A-Za-z]))["']?(?:\s|$)"#,
        "-u marta -p T4mbourine",
    ),
    inner(
        "password on a command line",
        &["--user ", "--user="],
        Begins::WithCommand,
        r#"^--user[ =]["']?[A-Za-z][\w.@-]*:([^\s"'@:/]{6,}[0-9!#$%^&*][^\s"'@:/]*)"#,
        "--user root:T4mbourine5",
    ),
    inner(
        "password on a command line",
        &["net user "],
        Begins::WithCommand,
        r#"^net user [\w.-]+ ["']?([^\s"'`/*-][^\s"'`]{0,60}[0-9!@#$%^&*][^\s"'`]{0,60})"#,
        "net user marta T4mbourine /add",
    ),
    // The bytes of a key, in decimal.
    rule(
        "key assignment",
        &["key: [", "key = [", "key=[", "key\": [", "secret: ["],
        r#"^(?:key|secret)"?(?: =|[:=]) ?\[(?:\s?[0-9]{1,3},){15,}\s?[0-9]{1,3}\]"#,
        "key: [51, 16, 81, 166, 48, 150, 69, 135, 194, 92, 142, 112, 169, 84, 97, 246]",
    ),
    rule(
        "password assignment",
        &["secret answer", "security answer", "Secret answer", "Security answer"],
        r#"^[Ss]ec(?:ret|urity) answer[^\n"']{0,40}["']([^"'\n]{3,})["']"#,
        "security answer is \"T4mbourine\"",
    ),
    inner(
        "password on a command line",
        &["unzip ", "zip ", "7z ", "7za ", "rar ", "unrar "],
        Begins::WithCommand,
        r#"^[a-z0-9]+ (?:[^\n|;]{0,100}?\s)?-(?:P |p|hp)["']?([^\s"'`-][^\s"'`/]{0,60}[0-9!@#$%^&*][^\s"'`/]{0,60})"#,
        "unzip -P T4mbourine backup.zip",
    ),
    inner(
        "password on a command line",
        &["openssl enc ", "openssl aes-", "openssl des3 "],
        Begins::WithCommand,
        r#"^openssl [^\n|;]{0,120}?\s-k ["']?([^\s"'`-][^\s"'`]{3,})"#,
        "openssl enc -d -aes-256-cbc -k T4mbourine -in a.enc",
    ),
    inner(
        "password on a command line",
        &["http ", "https ", "xh ", "wget ", "lftp "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:[^\n|;]{0,100}?\s)?-[au] ?["']?[^\s:,"'$]+[:,]([^\s"'@:/]{3,}[A-Za-z!#%^&*][^\s"'@:/]*|[A-Za-z][^\s"'@:/]{3,})(?:["'\s]|$)"#,
        "http -a marta:T4mbourine https://api.acme.dev",
    ),
    inner(
        "password on a command line",
        &["xfreerdp ", "wfreerdp ", "rdesktop ", "cmdkey ", "runas "],
        Begins::WithCommand,
        r#"^[a-z]+ [^\n|;]{0,120}?\s(?:/p:|/pass:|-p )["']?([^\s"'`-][^\s"'`]{3,})"#,
        "xfreerdp /v:win01 /u:marta /p:T4mbourine",
    ),
    inner(
        "password on a command line",
        &["rclone obscure ", "vncpasswd -f <<< ", "mkpasswd ", "chpasswd <<< "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:obscure |-f |<<< |-m \S+ )*["']?([^\s"'`-][^\s"'`]{0,60}[0-9!@#$%^&*][^\s"'`]{0,60})"#,
        "rclone obscure T4mbourine",
    ),
    asking(
        Asks::Digit,
        rule(
            "key with a prefix",
            &["sk_", "rk_", "csk-", "esk_", "ssk_"],
            r"^[a-z]{0,2}k[_-](?:live[_-]|prod[_-]|test[_-])?[a-z0-9]{24,}\b",
            "sk_ph0s2586j1dh53suglif0mr6b6",
        ),
    ),
    random("key with a prefix", &["md-"], r"^md-[A-Za-z0-9_-]{22}\b", "md-q83kzPw1Lx0dVbN4mRt6Yh"),
    asking(
        Asks::Digit,
        rule(
            "AppVeyor token",
            &["v2."],
            r"^v2\.[a-z0-9]{20}(?:[^A-Za-z0-9._-]|$)",
            "v2.q83kzpw1lx0dvbn4mrt6",
        ),
    ),
    // Oracle's thin driver: user and password before the host.
    rule(
        "URL with a password",
        &["jdbc:oracle:"],
        r"^jdbc:oracle:[a-z0-9]{2,5}:[^\s/@:]{1,60}/([^\s@]{3,})@",
        "jdbc:oracle:thin:ops/T4mbourine@//db.acme.dev:1521/SHOP",
    ),
    // Google app passwords: four groups of four letters, directly behind a sign or at the end of a line. Words have
    // vowels.
    rule(
        "password assignment",
        &["app password", "App password", "app-password", "App-Password", "App Password"],
        r#"^(?i:app[ -]password)(?: for [A-Za-z0-9@._-]{1,40})?(?:(?: is|\s?[:=]|\s["'(])\s{0,3}["'(]?(?:[b-df-hj-np-tv-xz]{4} [a-z]{4} [a-z]{4} [a-z]{4}|[a-z]{4} [b-df-hj-np-tv-xz]{4} [a-z]{4} [a-z]{4}|[a-z]{4} [a-z]{4} [b-df-hj-np-tv-xz]{4} [a-z]{4}|[a-z]{4} [a-z]{4} [a-z]{4} [b-df-hj-np-tv-xz]{4})\b|\s(?:[b-df-hj-np-tv-xz]{4} [a-z]{4} [a-z]{4} [a-z]{4}|[a-z]{4} [b-df-hj-np-tv-xz]{4} [a-z]{4} [a-z]{4}|[a-z]{4} [a-z]{4} [b-df-hj-np-tv-xz]{4} [a-z]{4}|[a-z]{4} [a-z]{4} [a-z]{4} [b-df-hj-np-tv-xz]{4})(?:["')\n]|$))"#,
        "app password kdwq zxtr plvb ncmh",
    ),
    // A token by which machines join a cluster.
    inner(
        "password on a command line",
        &["kubeadm join "],
        Begins::WithCommand,
        r"^kubeadm join [^\n]{0,200}?--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})\b",
        "kubeadm join 10.0.0.5:6443 --token q83kzp.w1lx0dvbn4mrt6yh",
    ),
    // What the key file of Rails holds.
    rule(
        "encryption key",
        &["master.key", "credentials.key", "production.key"],
        r#"^[a-z]+\.key\b(?: (?:of|for|in) [A-Za-z0-9_ .-]{1,40}?)??\s{0,3}(?:[:=]|is|contains|holds|has)\s{0,3}["'`]?([0-9a-f]{32})\b"#,
        "master.key of the shop: 9f86d081884c7d659a2feaa0c55ad015",
    ),
];
