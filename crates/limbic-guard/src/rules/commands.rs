//! Commands and files that contain a password without a keyword.

use super::{Begins, Rule, inner, rule};

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
