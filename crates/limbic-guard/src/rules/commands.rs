//! Commands and files that contain a password without a keyword.

use super::rule::{Asks, Begins, Rule, asking, inner, is_of_host, rule};

pub(super) const RULES: &[Rule] = &[
    inner(
        "password on a command line",
        &["curl "],
        Begins::WithCommand,
        r#"^curl [^\n]{0,200}?(?:-u|--user)[ =]?["']?[^\s:"'$]+:([^\s"'@]{3,})"#,
        "curl -u ops:Ch4rcoal99 https://repo.acme.dev",
    ),
    inner(
        "password on a command line",
        &["sshpass "],
        Begins::WithCommand,
        r#"^sshpass -p ?["']?([^\s"']{3,})"#,
        "sshpass -p 'Marm0ta*' ssh host",
    ),
    inner(
        "password on a command line",
        &["mysql ", "mysqldump ", "mariadb "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:[^\n|;]{0,100}?\s)?-p["']?([^\s"'`-][^\s"'`]{3,})"#,
        "mysql -u root -pV3lociraptor shop",
    ),
    inner(
        "password on a command line",
        &["docker login ", "podman login ", "helm registry login ", "az login "],
        Begins::WithCommand,
        r#"^[a-z ]+login (?:[^\n|;]{0,100}?\s)?-p[ =]["']?([^\s"'`@-][^\s"'`]{3,})"#,
        "docker login -u ci -p q83kzPw1Lx0d registry.acme.dev",
    ),
    inner(
        "password on a command line",
        &["redis-cli "],
        Begins::WithCommand,
        r#"^redis-cli (?:[^\n|;]{0,100}?\s)?-a ["']?([^\s"'`-][^\s"'`]{3,})"#,
        "redis-cli -h cache -a s0meRedisPw --tls",
    ),
    inner(
        "password on a command line",
        &["ldapsearch ", "ldapmodify ", "ldapadd ", "ldapdelete ", "ldappasswd ", "ldapwhoami "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:[^\n|;]{0,200}?\s)?-w ?["']?([^\s"'`-][^\s"'`]{0,60}[0-9!@#$%^&*][^\s"'`]{0,60})"#,
        "ldapsearch -x -D cn=admin,dc=acme,dc=dev -w T4mbourine",
    ),
    inner(
        "password on a command line",
        &["mongosh ", "mongo ", "mongodump ", "mongorestore ", "cqlsh "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:[^\n|;]{0,200}?\s)?-p ["']?([^\s"'`-][^\s"'`]{0,60}[0-9!@#$%^&*][^\s"'`]{0,60})"#,
        "mongosh --host db -u root -p T4mbourine shop",
    ),
    inner(
        "password on a command line",
        &["sqlcmd ", "bcp "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:[^\n|;]{0,200}?\s)?-P ?["']?([^\s"'`-][^\s"'`]{0,60}[0-9!@#$%^&*][^\s"'`]{0,60})"#,
        "sqlcmd -S db -U sa -P T4mbourine",
    ),
    inner(
        "password on a command line",
        &["sqlplus ", "sqlcl ", "sqlldr ", "expdp ", "impdp ", "rman "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:[^\n|;]{0,200}?[\s=])?["']?[A-Za-z][\w$#]*/["']?([^\s"'`@/]{4,})["']?@"#,
        "sqlplus hr/T4mbourine@//db.acme.dev:1521/HRPROD",
    ),
    inner(
        "password on a command line",
        &["smbclient ", "rpcclient ", "smbget "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:[^\n|;]{0,200}?\s)?-U ?["']?[^\s"'%]+%([^\s"'`]{4,})"#,
        "smbclient //files/share -U marta%T4mbourine",
    ),
    inner(
        "password on a command line",
        &["net use "],
        Begins::WithCommand,
        r#"^net use [^\n]{0,200}?/user:\S+ ["']?([^\s"'`/*-][^\s"'`]{3,})"#,
        "net use Z: //files/share /user:marta T4mbourine",
    ),
    inner(
        "password on a command line",
        &["rabbitmqctl "],
        Begins::WithCommand,
        r#"^rabbitmqctl [^\n|;]{0,60}?(?:add_user|change_password) \S+ ["']?([^\s"'`]{4,})"#,
        "rabbitmqctl add_user app T4mbourine",
    ),
    inner(
        "password on a command line",
        &["htpasswd "],
        Begins::WithCommand,
        r#"^htpasswd -[A-Za-z]*b[A-Za-z]* (?:\S*htpasswd\S* )?\S+ ["']?([^\s"'`]{0,60}[0-9!@#$%^&*][^\s"'`]{0,60})"#,
        "htpasswd -nb marta T4mbourine",
    ),
    // Passed on standard input.
    inner(
        "password on a command line",
        &["echo ", "printf "],
        Begins::WithCommand,
        r#"^[a-z]+ (?:-n )?["']?([^\s"'`|$][^\s"'`|]{3,})["']? ?\| ?[^\n|]{0,100}?(?:sudo -S|chpasswd|-stdin|--with-token)"#,
        "echo 'T4mbourine' | sudo -S systemctl restart api",
    ),
    rule(
        "unseal key",
        &["vault operator unseal "],
        r"^vault operator unseal [A-Za-z0-9+/]{40,}",
        "vault operator unseal Kx8tVq3mRw7LzBn2Yc5HpD4sGf6JaW9eUi1oMnTrQk0=",
    ),
    rule(
        "password on a command line",
        &["-pass pass:", "-passin pass:", "-passout pass:"],
        r#"^-pass(?:in|out)? pass:["']?([^\s"']{4,})"#,
        "-passout pass:T4mbourine",
    ),
    // Password files of PostgreSQL: host, port, database, user and password.
    inner(
        "credentials file",
        &[":5432:", ":5433:", ":6432:", ":*:*:", ":*:"],
        Begins::Before(is_of_host, 1, 100),
        r"^[\w.*-]+:(?:\d{4,5}|\*):[\w*-]+:[\w.-]+:([^\s:]{0,60}[0-9][^\s:]{0,60})(?:\s|$)",
        "db.acme.dev:5432:shop:app:T4mbourine",
    ),
    // Credentials for sending mail, as Postfix reads them: server and port, user and password.
    inner(
        "credentials file",
        &["]:25 ", "]:465 ", "]:587 ", "]:2525 "],
        Begins::Before(is_of_host, 3, 100),
        r"^[\w.-]+\]:\d+ +[^\s:]+:([^\s:]{4,})",
        "smtp.acme.dev]:587 mailer@acme.dev:T4mbourine",
    ),
    rule(
        "password assignment",
        &["bindpw ", "wpa-psk ", "snmp-server community ", "rootpw "],
        r#"^(?:bindpw|wpa-psk|rootpw|snmp-server community) +["']?([^\s"']{0,60}[0-9!@#$%^&*][^\s"']{0,60})"#,
        "bindpw T4mbourine",
    ),
    rule(
        "password assignment",
        &["<property name=\"", "<entry key=\"", "<param name=\""],
        r#"^<[a-z]+ [a-z]+="[^"]*(?i:password|passwd|secret|api[-_.]?key|token)"[^>]{0,40}>([^<\s]{4,})</"#,
        "<property name=\"connection.password\">T4mbourine</property>",
    ),
    rule(
        "password assignment",
        &["psk="],
        r#"^psk=["']?([^"'\s]{8,63})(?:["'\s]|$)"#,
        "psk=\"T4mbourine#88\"",
    ),
    rule(
        "password assignment",
        &["define(", "setProperty(", "setenv(", "put(", "set("],
        r#"^\w+\(\s*["']\w*(?i:password|passwd|secret|token|api_?key|_key|_salt)["'],\s*["']([^"'\s]{0,60}[0-9][^"'\s]{3,60})["']"#,
        "define('DB_PASSWORD', 'T4mbourine')",
    ),
    asking(
        Asks::Digit,
        rule(
            "recovery codes",
            &["recovery code", "Recovery code", "backup code", "Backup code"],
            r"^(?i:recovery|backup) codes?[^\n:=]{0,40}[:=]\s*(?:(?:[A-Za-z0-9]{4,6}-[A-Za-z0-9]{4,6}|\d{6,10})[\s,;]+){2,}(?:[A-Za-z0-9]{4,6}-[A-Za-z0-9]{4,6}|\d{6,10})",
            "recovery codes: 7d1f3-08a3f 9f980-bc9f5 e4a0b-c5ba5",
        ),
    ),
    asking(
        Asks::Digit,
        rule(
            "one-time password secret",
            &["TOTP ", "totp ", "OTP ", "2FA ", "MFA "],
            r"^(?i:totp|otp|2fa|mfa) [^\n:=]{0,40}[:=]\s*[A-Z2-7]{16,}",
            "TOTP seed of the admin: 3NV5KPYJ6ODYWXLD3L7R",
        ),
    ),
    rule(
        "password assignment",
        &["IDENTIFIED BY '", "identified by '", "PASSWORD '", "password '"],
        r"^(?i:identified by|password) '([^'\n]{4,})'",
        "IDENTIFIED BY 'L4ntern_Oil'",
    ),
    rule(
        "password assignment",
        &["machine "],
        r"^machine \S+\s+login \S+\s+password (\S{4,})",
        "machine api.acme.dev login bot password n1ghtOwl33",
    ),
    rule(
        "password assignment",
        &["<password>", "<Password>", "<pwd>"],
        r"^<(?i:password|pwd)>([^<\s]{4,})</",
        "<password>L4nternOil</password>",
    ),
    rule(
        "password assignment",
        &["<add key=\""],
        r#"^<add key="[^"]*(?i:password|secret|apikey|token)[^"]*"\s+value="([^"]{4,})""#,
        "<add key=\"Password\" value=\"Hex4gon!!\" />",
    ),
];
