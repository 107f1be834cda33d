//! Passwords of lines that name a host or the address of an account and no password: after a user and a slash (`for the
//! staging box it's ops / vK9r…`), and where they are typed (`it is on Sara's mail, then type Moonpie$…`).

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::passwords::user_logins::{is_program, is_user, trimmed};
use crate::secrets::text::Text;
use crate::secrets::value;

/// Parts of lines about a host, in lower case, and in scripts without spaces between words.
static HOSTS: Literals = Literals::new(&[
    "server",
    "servidor",
    "serveur",
    " box",
    "host",
    "nas ",
    "nas:",
    "db ",
    "database",
    "datenbank",
    "base de dat",
    "base de donn",
    "banco de",
    "router",
    "roteador",
    "routeur",
    "switch",
    "staging",
    "replica",
    "cluster",
    "raspberry",
    "camera",
    "kamera",
    "cámara",
    "printer",
    "drucker",
    "portal",
    "сервер",
    "роутер",
    "база",
    "synology",
    "qnap",
    "proxmox",
    "web page",
    "weboberfläche",
    "wiki",
    "console",
    "konsole",
]);
static OTHER_HOSTS: Literals = Literals::new(&[
    "サーバ",
    "DB",
    "データベース",
    "ルーター",
    "服务器",
    "数据库",
    "路由器",
    "서버",
    "데이터베이스",
]);
/// Parts of lines about the address or the name of an account, in lower case.
static ACCOUNTS: Literals = Literals::new(&[
    "mail",
    "correo",
    "address",
    "adresse",
    "account",
    "konto",
    "cuenta",
    "compte",
    "почт",
    "аккаунт",
]);

/// Returns the kind of the first such password.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(line, lower)| {
            ([" / ", " と "].iter().any(|tie| line.contains(tie)) && is_pair_at_host(line, lower))
                || is_typed_for_account(line, lower)
        })
        .then_some(SecretKind::new("password of a login"))
}

/// Whether a line about a host has a user, a slash and a password: `for the staging box it's ops / vK9rTq2m!xw`.
fn is_pair_at_host(line: &str, lower: &str) -> bool {
    if !HOSTS.are_in(lower) && !OTHER_HOSTS.are_in(line) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    // `checkout / NewCart#42`
    let names_issues = lower.contains("issue") || lower.contains("ticket");
    words.windows(3).any(|it| {
        let (user, password) = (trimmed(it[0]), trimmed(it[2]));
        let is_issue = names_issues
            && password
                .rsplit_once('#')
                .is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
        matches!(it[1], "/" | "と")
            && is_user(user)
            && user.starts_with(char::is_lowercase)
            && ((value::is_strong(password) && value::has_mark(password))
                || value::is_word_with_number(password))
            && !is_program(password)
            && !value::is_product(password)
            && !is_issue
    })
}

/// Whether a password is typed after the address or the name of an account: `Netflix is on Sara's mail, then type …`.
fn is_typed_for_account(line: &str, lower: &str) -> bool {
    const TYPES: [&str; 16] = [
        "type",
        "types",
        "enter",
        "put",
        "tippe",
        "escribe",
        "pon",
        "tape",
        "mets",
        "digita",
        "metti",
        "digite",
        "coloca",
        "вводи",
        "введи",
        "typ",
    ];
    /// Words after which something else may come as well, such as `Terms&Conditions`.
    const NEXT: [&str; 14] = [
        "then",
        "by",
        "dann",
        "danach",
        "kommt",
        "luego",
        "puis",
        "ensuite",
        "poi",
        "depois",
        "daarna",
        "dan",
        "потом",
        "gets",
    ];
    const TYPED: [&str; 5] = ["eingeben", "eintippen", "tippen", "invoeren", "intypen"];
    if !ACCOUNTS.are_in(lower) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let has = |list: &[&str], at: usize| {
        words.get(at).is_some_and(|word| list.contains(&trimmed(word).to_lowercase().as_str()))
    };
    (1..words.len()).any(|at| {
        let password = trimmed(words[at]);
        let is_next =
            || has(&NEXT, at - 1) && password.contains(['!', '#', '$', '%', '^', '*', '?', '=', '@', '~']);
        (has(&TYPES, at - 1) || has(&TYPED, at + 1) || is_next())
            && password.bytes().any(|byte| byte.is_ascii_digit())
            && value::has_mark(password)
            && value::is_strong(password)
            && !is_program(password)
            && !is_combination(password)
    })
}

/// Whether it is a combination of keys: `Ctrl+Shift+P`.
fn is_combination(word: &str) -> bool {
    const KEYS: [&str; 10] =
        ["ctrl", "control", "strg", "alt", "altgr", "shift", "umschalt", "cmd", "super", "win"];
    word.split('+').any(|key| KEYS.contains(&key.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_at_hosts_and_accounts_are_found() {
        for text in [
            "for the staging box it's ops / vK9rTq2m!xw, same on both nodes",
            "本番DBは readonly / Tsukimi_dango77 で入れます",
            "社内Wikiは guest と Hinoki_kaze82 で見られます",
            "Netflix is on my sister's mail, then type Moonpie$Gravy7",
            "Spotify läuft über Papas Mail, dann Wolke$Kiste8 eingeben",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn other_pairs_and_keys_are_accepted() {
        for text in [
            "the server has images for arm64 / x86_64",
            "the staging box runs Debian 12 / Kernel_6.1",
            "database tickets: checkout / NewCart#42 and refund / Refunds#51",
            "mail it to Sara, then type Ctrl+Shift+P",
            "open the mail, then type SELECT*FROM users",
            "the account page shows the cookies, then Terms&Conditions2",
            "server fonts: serif / Roboto2Mono",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
