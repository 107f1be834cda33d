//! Passwords as arguments of calls that log in: `SetBasicAuth("svc", "…")`, `new mysqli(host, "wp", "…", "shop")`,
//! `auth=("svc", "…")`, `.password("…")`, and users with passwords in the names of MySQL's data sources.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::value;

/// Maximum length of a function's path, and of its arguments, in bytes.
const MAX_PATH_BYTES: usize = 80;
const ARGUMENT_BYTES: usize = 400;
/// Functions whose arguments are a user, then a password, in lower case without separators.
const PAIRS: [&str; 46] = [
    "basicauth",
    "setbasicauth",
    "withbasicauth",
    "usebasicauth",
    "addbasicauth",
    "httpbasicauth",
    "httpdigestauth",
    "digestauth",
    "authbasic",
    "basicauthentication",
    "basiccredentials",
    "basicauthorization",
    "basicauthmiddleware",
    "auth",
    "authpassword",
    "loginwithpassword",
    "login",
    "ftplogin",
    "logon",
    "loginuser",
    "signin",
    "authenticate",
    "sasllogin",
    "networkcredential",
    "usernamepasswordcredential",
    "usernamepasswordcredentials",
    "usernamepasswordauthenticationtoken",
    "passwordauthentication",
    "passwordcredential",
    "passwordcredentials",
    "plainauthentication",
    "plaincredentials",
    "plainauth",
    "plainauthenticator",
    "plaintextauthprovider",
    "simplebind",
    "simplebinds",
    "ldapbind",
    "userpassword",
    "setcredentials",
    "withcredentials",
    "setauth",
    "sshpasswordauth",
    "ssh2authpassword",
    "userauthpassword",
    "authenticateuser",
];
/// Functions that connect: their user and their password stand among at least three arguments.
const CONNECTS: [&str; 25] = [
    "connect",
    "mysqli",
    "mysqliconnect",
    "mysqlconnect",
    "mysqlpconnect",
    "realconnect",
    "mysqlrealconnect",
    "pdo",
    "getconnection",
    "ociconnect",
    "odbcconnect",
    "sqlsrvconnect",
    "ssh2connect",
    "ftpconnect",
    "ftp",
    "open",
    "start",
    "sshstart",
    "dial",
    "connectto",
    "opendatabase",
    "createconnection",
    "ldapconnection",
    "connection",
    "createpool",
];
/// Methods whose only argument is a password.
const SETTERS: [&str; 12] = [
    "password",
    "setpassword",
    "withpassword",
    "passwd",
    "passphrase",
    "setpassphrase",
    "userpassword",
    "withpass",
    "setpass",
    "dbpassword",
    "kennwort",
    "storepassword",
];
/// Names before `(` or `[` for a pair: `auth=("svc", "…")`.
const NAMED_PAIRS: [&str; 6] = ["auth", "basicauth", "httpauth", "credentials", "creds", "proxyauth"];

/// An argument of a call.
struct Argument<'a> {
    /// The text in its only pair of quotation marks.
    literal: Option<&'a str>,
    /// Whether it has a name: `port=22`.
    is_named: bool,
}

/// Returns the kind if a call has such an argument.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    text.match_indices(['(', '['])
        .any(|(index, _)| logs_in(text, index))
        .then_some(SecretKind::new("argument of a client"))
        .or_else(|| is_data_source(text).then_some(SecretKind::new("URL with a password")))
}

fn logs_in(text: &str, index: usize) -> bool {
    let after = start_of(&text[index + 1..]);
    // Most calls end here.
    if !after.contains(['"', '\'', '`']) {
        return false;
    }
    let before = &text[..index];
    let name = name_before(before);
    let is_tuple = name.is_empty() && {
        let before = before.trim_end_matches(' ');
        before.ends_with(['=', ':'])
            && NAMED_PAIRS
                .contains(&name_before(before.trim_end_matches(['=', ':', ' ', '"', '\''])).as_str())
    };
    let is = |names: &[&str]| names.contains(&name.as_str());
    let is_basic = name == "basic" && before.to_ascii_lowercase().ends_with("credentials.basic");
    if is_tuple || is_basic || is(&PAIRS) {
        let arguments = arguments(after);
        let user = usize::from(name == "plainauth" && arguments.len() == 4);
        // `ftp_login($connection, "up", "…")`
        return arguments.iter().skip(user + 1).take(2).any(|it| {
            !it.is_named
                && it.literal.is_some_and(|it| !it.contains('@') && is_password(it) || is_letters(it))
        });
    }
    if is(&SETTERS) {
        let arguments = arguments(after);
        return before.len() > name.len()
            && arguments.len() == 1
            && arguments[0].literal.is_some_and(|it| is_password(it) && !it.contains(' '));
    }
    // `NewDialer("mail.acme.dev", 587, "bot@acme.dev", "…")`: an address, then a password, in any call.
    let follows_address = || {
        arguments(after).windows(2).any(|pair| {
            pair[0]
                .literal
                .is_some_and(|user| user.contains('@') && user.contains('.') && !user.contains([' ', '/']))
                && !pair[1].is_named
                && pair[1].literal.is_some_and(|it| value::is_strong(it) && is_password(it))
        })
    };
    if after.contains('@') && follows_address() {
        return true;
    }
    // `pymysql.connect("db1", "etl", "…")`, `DriverManager.getConnection(url, "etl", "…")`
    is(&CONNECTS) && {
        let arguments = arguments(after);
        let stated = |at: usize| arguments[at].literal.filter(|_| !arguments[at].is_named);
        arguments.len() >= 3
            && (1..arguments.len().min(5)).any(|at| {
                let follows_user = !arguments[at - 1].is_named
                    && arguments[at - 1].literal.is_none_or(|user| !user.is_empty() && !user.contains(' '));
                let is_name = |it: &str| !value::is_strong(it) && !value::is_chosen(it, false);
                follows_user
                    && stated(at).is_some_and(|it| is_password(it) && !is_address(it) && !is_name(it))
            })
    }
}

/// Returns the name of the function that ends here, in lower case without underscores: `setbasicauth`.
fn name_before(before: &str) -> String {
    let bytes = before.as_bytes();
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = bytes.iter().rev().take(MAX_PATH_BYTES).take_while(is_of_name).count();
    before[before.len() - length..].to_ascii_lowercase().replace('_', "")
}

fn start_of(text: &str) -> &str {
    let mut end = text.len().min(ARGUMENT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].lines().next().unwrap_or_default()
}

/// Returns the arguments up to the end of a call.
fn arguments(text: &str) -> Vec<Argument<'_>> {
    const MAX_ARGUMENTS: usize = 12;
    let mut found = Vec::new();
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    let (mut literal, mut literals, mut is_named, mut start) = (None, 0, false, 0);
    for (index, letter) in text.char_indices() {
        if let Some(mark) = quote {
            if escaped {
                escaped = false;
            } else if letter == '\\' {
                escaped = true;
            } else if letter == mark {
                literal = Some(&text[start..index]);
                literals += 1;
                quote = None;
            }
            continue;
        }
        match letter {
            '"' | '\'' | '`' => (quote, start) = (Some(letter), index + 1),
            '(' | '[' | '{' => depth += 1,
            '=' if literals == 0 => is_named = true,
            ',' | ')' | ']' | '}' if depth == 0 => {
                found.push(Argument { literal: literal.filter(|_| literals == 1), is_named });
                (literal, literals, is_named) = (None, 0, false);
                if letter != ',' || found.len() == MAX_ARGUMENTS {
                    return found;
                }
            }
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    // A call that is not closed in this line.
    if literals > 0 {
        found.push(Argument { literal: literal.filter(|_| literals == 1), is_named });
    }
    found
}

/// Whether it is an address, the name of a host or a path.
fn is_address(literal: &str) -> bool {
    literal.contains(['/', ':', '\\'])
        || (literal.contains('.') && literal.split('.').all(|part| part.len() <= 24 && !part.is_empty()))
            && literal
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte))
}

/// Whether it is a password, and no placeholder of an example.
fn is_password(literal: &str) -> bool {
    const EXAMPLES: [&str; 8] =
        ["passw", "secret", "changeme", "example", "anonymous", "test", "hunter", "pwd"];
    let lower = literal.to_ascii_lowercase();
    // Google's passwords for programs have four groups of four letters.
    let is_of_google = literal.len() == 19
        && literal.split(' ').count() == 4
        && literal
            .split(' ')
            .all(|group| group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_lowercase()))
        && !lower.contains("word");
    let is_chosen = value::is_chosen(literal, true) && (literal.len() >= 8 || has_classes(literal));
    !EXAMPLES.iter().any(|part| lower.contains(part))
        && !value::is_reference(literal)
        && !value::is_placeholder(literal)
        && !value::is_common_example(literal)
        && (is_of_google
            || (!literal.contains(' ')
                && literal.len() <= 128
                && (value::is_strong(literal) || is_chosen || value::is_hyphenated_phrase(literal))
                && !(literal.contains('.') && literal.starts_with('.'))))
}

/// Whether it consists of random letters of both cases.
fn is_letters(literal: &str) -> bool {
    let is_upper = |byte: &u8| byte.is_ascii_uppercase();
    let changes =
        literal.as_bytes().windows(2).filter(|pair| is_upper(&pair[0]) != is_upper(&pair[1])).count();
    (10..=40).contains(&literal.len())
        && literal.bytes().all(|byte| byte.is_ascii_alphabetic())
        && changes >= 3
        && !entropy::is_wordy(literal)
        && literal.split(|letter: char| "aeiouyAEIOUY".contains(letter)).any(|consonants| {
            consonants.len() >= 4 && !consonants.bytes().all(|byte| byte.is_ascii_uppercase())
        })
}

fn has_classes(literal: &str) -> bool {
    literal.bytes().any(|byte| byte.is_ascii_digit()) && literal.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether a name of a data source has a user and a password: `etl:…@tcp(10.4.1.9:3306)/shop`.
fn is_data_source(text: &str) -> bool {
    ["@tcp(", "@unix("].iter().any(|mark| {
        text.match_indices(mark).any(|(index, _)| {
            let bytes = &text.as_bytes()[..index];
            let is_of_pair = |byte: &&u8| byte.is_ascii_graphic() && !b"\"'`(,=".contains(byte);
            let length = bytes.iter().rev().take(MAX_PATH_BYTES).take_while(is_of_pair).count();
            text.get(index - length..index)
                .and_then(|pair| pair.split_once(':'))
                .is_some_and(|(user, password)| !user.is_empty() && is_password(password))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_calls_are_found() {
        for text in [
            r#"resty.New().SetBasicAuth("svc-scan", "T3Ir1Qizfs6V")"#,
            r#"new mysqli("db3.acme.dev", "k71_wp", "_Fo*hKwvyWG!4_cq", "k71_shop");"#,
            r#"mysqli_connect("localhost", "wp", 'yQjV9hfafw', "wp");"#,
            r#"pymysql.connect("10.4.1.9", "etl", "nl8LzRRIC7?w", "shop")"#,
            r#"DriverManager.getConnection(url, "reports", "Gullwing_77tide");"#,
            r#"new PDO("mysql:host=db;dbname=x", $user, "2eXVVwn^DeV3");"#,
            r#"requests.get(url, auth=("svc", "gannet-rock-19"))"#,
            r#"HTTPBasicAuth("svc", "bdgVK0lE89hxt9")"#,
            r#"smtp.login("box@acme.dev", "fyaq oieh whqz quou")"#,
            r#"smtp.PlainAuth("", "box@acme.dev", "k3wmlu4Mtd", "mail.acme.dev")"#,
            r#"client.connect('10.4.1.77', 22, 'ops', 'GBugH6cVJjkl')"#,
            r#"Net::FTP.open('files.acme.dev', 'up', 'ByvkNx5MYjCP')"#,
            r#".get(u).basic_auth("svc", Some("e6qEPJZjRc2DyGU")).send()"#,
            r#"new UsernamePasswordCredentials("svc", "rxiMCzFHCR4".toCharArray())"#,
            r#"PgConnectOptions::new().username("etl").password("BiYWSnLJ2ki8")"#,
            r#"gomail.NewDialer("mail.acme.dev", 587, "bot@acme.dev", "tsITvNsUHbDwxRV0")"#,
            r#"transport.auth_password("ops", "Cpsc7i0zaEIJ")"#,
            r#"ldap.simple_bind_s("cn=admin,dc=acme", "rxUBNIvxqXLs")"#,
            r#"ftp_login($conn, "up", "k3wmlu4Mtd");"#,
            r#"sql.Open("mysql", "etl:XJxwM55dkAiByZ@tcp(10.4.1.9:3306)/shop")"#,
        ] {
            assert!(find(text).is_some(), "{text}");
        }
    }

    #[test]
    fn references_and_examples_are_accepted() {
        for text in [
            r#"req.SetBasicAuth(os.Getenv("SVC_USER"), os.Getenv("SVC_PASS"))"#,
            r#"SetBasicAuth("user", "password")"#,
            r#"new mysqli("localhost", "my_user", "my_password", "world")"#,
            r#"requests.get(url, auth=("user", "passw0rd"))"#,
            r#"smtp.login(user, password)"#,
            r#"ftp.login("anonymous", "anonymous@")"#,
            r#"open("report_2024.csv", "r", "utf-8")"#,
            r#"connect("amqp://mq1", "exchange.v2", "routing-key-1")"#,
            r#"socket.connect("10.0.0.1", 8080, "tcp4")"#,
            r#"form.password("Enter your password again, with 8 characters")"#,
            r#"getConnection(url, props.getProperty("user"), props.getProperty("pw"))"#,
            r#"auth("login", "required")"#,
        ] {
            assert!(find(text).is_none(), "{text}");
        }
    }
}
