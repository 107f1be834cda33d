//! Random values that a sentence states after its subject, a key or a token, whatever stands between them: `O token do
//! gateway, que o Rafael gerou hoje, ficou sendo 9f86…`, `DeepL pro key for the subtitles: b040ac82-…`.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::keys::service_keys::{PLATFORMS, SERVICES};
use crate::secrets::literals::Literals;
use crate::secrets::value;

/// Minimum length of a value, in bytes.
const MIN_BYTES: usize = 28;
/// Length of the text before a value that is examined, in bytes.
const REACH_BYTES: usize = 300;
/// Number of words at the start of a sentence among which its subject is.
const SUBJECT_WORDS: usize = 6;
/// Names of keys, which many other things have as well.
const KEYS: [&str; 10] =
    ["key", "schlüssel", "clave", "llave", "clé", "chiave", "chave", "sleutel", "klucz", "ключ"];
/// Names of credentials.
const TOKENS: [&str; 13] = [
    "token",
    "secret",
    "apikey",
    "jeton",
    "gettone",
    "токен",
    "секрет",
    "secreto",
    "segredo",
    "segreto",
    "geheimnis",
    "sekret",
    "bearer",
];
/// Names of both in scripts without spaces between words.
static OTHER_SCRIPTS: Literals =
    Literals::new(&["APIキー", "のキー", "シークレット", "トークン", "密钥", "密鑰", "令牌", "키", "토큰"]);
/// Words that say that a key is one of a service.
const WORDS: [&str; 9] = ["api", "apis", "access", "client", "paid", "premium", "pro", "live", "webhook"];
/// Beginnings of such words.
const STEMS: [&str; 9] =
    ["api-", "secret", "secrèt", "geheim", "segret", "sekret", "секрет", "bezahl", "kostenpflicht"];
/// The same in scripts without spaces between words.
static PAID: Literals = Literals::new(&["API", "api", "有料", "付费", "유료", "シークレット"]);
/// Words between a thing and the key that it belongs to, such as `hash of the token`.
const OF: [&str; 19] = [
    "of", "de", "del", "du", "des", "do", "da", "dos", "di", "della", "dei", "van", "von", "vom", "od", "от",
    "after", "for", "with",
];
/// Articles between them.
const ARTICLES: [&str; 10] = ["the", "la", "el", "le", "il", "o", "a", "l", "het", "dem"];
/// Words after a name that make it the name of something else, such as `token service`.
const HEADS: [&str; 55] = [
    "service",
    "services",
    "list",
    "cache",
    "scanner",
    "endpoint",
    "account",
    "program",
    "contract",
    "mint",
    "rotation",
    "store",
    "server",
    "page",
    "bug",
    "fix",
    "refresh",
    "policy",
    "bucket",
    "limit",
    "expiry",
    "validation",
    "handling",
    "type",
    "count",
    "difference",
    "vault",
    "ring",
    "exchange",
    "provider",
    "issuer",
    "parser",
    "counter",
    "budget",
    "field",
    "column",
    "branch",
    "module",
    "package",
    "file",
    "format",
    "audience",
    "test",
    "scanning",
    "alert",
    "santa",
    "manager",
    "management",
    "expires",
    "expired",
    "lifetime",
    "s",
    "refreshed",
    "client",
    "job",
];
/// Words of sentences about other values.
const OTHERS: [&str; 69] = [
    "hash",
    "hashes",
    "checksum",
    "prüfsumme",
    "digest",
    "sha",
    "sha1",
    "sha256",
    "md5",
    "commit",
    "commits",
    "revision",
    "revisione",
    "revisión",
    "révision",
    "build",
    "branch",
    "rama",
    "ramo",
    "branche",
    "tag",
    "image",
    "id",
    "ids",
    "identifier",
    "identifiant",
    "identificador",
    "identificativo",
    "identifikator",
    "kennung",
    "uuid",
    "trace",
    "request",
    "anfrage",
    "idempotency",
    "primary",
    "foreign",
    "cache",
    "public",
    "public_key",
    "pública",
    "público",
    "publique",
    "pubblica",
    "öffentlicher",
    "publiczny",
    "публичный",
    "fingerprint",
    "thumbprint",
    "fingerabdruck",
    "huella",
    "empreinte",
    "address",
    "adresse",
    "dirección",
    "indirizzo",
    "endereço",
    "contract",
    "mint",
    "object",
    "row",
    "order",
    "bestellung",
    "pedido",
    "partition",
    "primärschlüssel",
    "registration",
    "tenant",
    "anzahl",
];
/// Words directly before a value that say that it follows.
const STATES: [&str; 41] = [
    "is",
    "are",
    "be",
    "was",
    "now",
    "jetzt",
    "ahora",
    "maintenant",
    "adesso",
    "ora",
    "agora",
    "nu",
    "teraz",
    "теперь",
    "est",
    "es",
    "ist",
    "lautet",
    "heißt",
    "è",
    "é",
    "became",
    "becomes",
    "werd",
    "wurde",
    "as",
    "en",
    "sendo",
    "ser",
    "diventato",
    "diventata",
    "to",
    "jest",
    "это",
    "devenu",
    "sigue",
    "remains",
    "wordt",
    "heute",
    "today",
    "hoy",
];

/// Returns the kind of the first such value.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    text.lines().any(states_key).then_some(SecretKind::new("key assignment"))
}

fn states_key(line: &str) -> bool {
    let is_of_value = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    line.split(|letter: char| !is_of_value(letter)).filter(|piece| piece.len() >= MIN_BYTES).any(|piece| {
        let start = piece.as_ptr().addr() - line.as_ptr().addr();
        let after = &line[start + piece.len()..];
        (entropy::is_uuid(piece) || entropy::is_hex(piece) || value::is_key(piece))
            && !value::is_known_not_secret(piece)
            && !value::is_address_on_chain(piece)
            && !after.starts_with(['/', '@', '=', '+', '\\'])
            && !value::begins_with_extension(after)
            && is_stated(&line[line.ceil_char_boundary(start.saturating_sub(REACH_BYTES))..start])
    })
}

/// Whether the text before a value has a key as its subject, and states its value.
fn is_stated(before: &str) -> bool {
    // `auth:9f86…` is a tag, and `key=…` an assignment.
    if !before.ends_with([' ', '\u{3000}', '：', '"', '\'', '`', '*', '「']) {
        return false;
    }
    let before = before.trim_end_matches([' ', '\u{3000}', '"', '\'', '`', '*', '「']);
    let sentence = before.rsplit([';', '!', '?', '。']).next().unwrap_or_default();
    let sentence = sentence.rsplit(". ").next().unwrap_or_default();
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| letter.is_whitespace() || matches!(letter, '\'' | '’' | ':' | '：' | '"' | '/'))
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let is_signed = sentence.ends_with([':', '：', '=', '→', '—', '–']);
    if !is_signed && !words.last().is_some_and(|word| STATES.contains(word)) {
        return false;
    }
    let is_other = |word: &&str| word.split('-').any(|part| OTHERS.contains(&part));
    if words.iter().any(is_other) || words.first().is_some_and(|word| word.starts_with("http")) {
        return false;
    }
    let is_other_script = OTHER_SCRIPTS.matches(sentence).any(|(_, name)| {
        !matches!(name, "のキー" | "密钥" | "密鑰" | "키") || PAID.are_in(sentence) || of_service(&words)
    });
    is_other_script && !sentence.contains("ID") || names_key(&words)
}

/// Whether one of the first words names a key that is the subject.
fn names_key(words: &[&str]) -> bool {
    words.iter().take(SUBJECT_WORDS).enumerate().any(|(at, word)| {
        let is = |names: &[&str]| {
            names.iter().any(|name| {
                word.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('-'))
            })
        };
        let is_key = is(&KEYS) || word.ends_with("schlüssel");
        // `Zugangstoken`
        let is_token = is(&TOKENS) || word.len() <= 20 && word.ends_with("token");
        let mut earlier = words[..at].iter().rev().skip_while(|word| ARTICLES.contains(word));
        (is_token || is_key && of_service(words))
            && !earlier.next().is_some_and(|word| OF.contains(word))
            && !words.get(at + 1).is_some_and(|next| HEADS.contains(next))
    })
}

/// Whether the words before a value name a service, or say that its key is secret.
fn of_service(words: &[&str]) -> bool {
    words.iter().any(|word| {
        STEMS.iter().any(|stem| word.starts_with(stem))
            || word
                .split('-')
                .any(|part| WORDS.contains(&part) || SERVICES.contains(&part) || PLATFORMS.contains(&part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "9fceb02d0ae598e95dc970b74767f19372d61af8";
    const UUID: &str = "b040ac82-3c26-49ab-9631-27e232e62ae2";

    #[test]
    fn values_of_a_key_named_earlier_are_found() {
        for text in [
            format!("O token de produção do gateway, que o Rafael gerou hoje, ficou sendo {HEX}"),
            format!("the gateway token, the one from this morning, turned out to be {HEX}."),
            format!("Clé secrète du projet cartographie, à remettre dans Ansible : {UUID}"),
            format!("API-Schlüssel fürs Kartenprojekt, gehört in den Tresor: {UUID}"),
            format!("DeepLの有料プランのキー、翻訳スクリプト用に保存: {UUID}"),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_values_are_accepted() {
        for text in [
            format!("The token service, which Rafael released this morning, is {HEX}"),
            format!("O commit do gateway de tokens, que o Rafael fez hoje, ficou sendo {HEX}"),
            format!("After the token fix, which Sanne merged on Friday, main is {HEX}"),
            format!("Le hash du jeton, calculé ce matin, c'est {HEX}"),
            format!("The API key was rotated, request id: {UUID}"),
            format!("Secret scanning alert, opened by Dana, is {HEX}"),
            format!("Primärschlüssel der Bestellung, für die Suche: {UUID}"),
            format!("the key of the row, seen in the log: {UUID}"),
            format!("docker run registry.acme.dev/auth-token:{HEX}"),
            format!("auth token refreshed user=4711 trace={HEX}"),
            format!("DeepLの用語集ID、翻訳スクリプト用: {UUID}"),
        ] {
            assert!(find(&text).is_none(), "{text}");
        }
    }
}
