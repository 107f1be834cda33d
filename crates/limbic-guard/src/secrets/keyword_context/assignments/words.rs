//! Words around a name and its value.

/// Words between name and value that make it the value of something else.
pub(super) const ABOUT: [&str; 43] = [
    "hash",
    "hashing",
    "hashed",
    "policy",
    "reset",
    "manager",
    "field",
    "rotation",
    "length",
    "rules",
    "file",
    "path",
    "strength",
    "format",
    "id",
    "name",
    "type",
    "version",
    "count",
    "limit",
    "expires",
    "ttl",
    "header",
    "algorithm",
    "fingerprint",
    "checksum",
    "partición",
    "ordenación",
    "primaria",
    "foránea",
    "búsqueda",
    "éxito",
    "catastral",
    "agrupación",
    "índice",
    "entropy",
    "entropía",
    "entropie",
    "complexity",
    "regex",
    "column",
    "label",
    "placeholder",
];

/// Words that are followed by the value.
pub(super) const COPULAS: [&str; 35] = [
    "este",
    "je",
    "είναι",
    "c'est",
    "c’est",
    "is",
    "was",
    "are",
    "es",
    "era",
    "será",
    "est",
    "ist",
    "war",
    "lautet",
    "é",
    "è",
    "=",
    ":",
    "->",
    "→",
    "equals",
    "remains",
    "becomes",
    "reads",
    "heißt",
    "luidt",
    "sarà",
    "foi",
    "jest",
    "это",
    "är",
    "er",
    "—",
    "–",
];

/// Words after which `to` is followed by the value.
pub(super) const CHANGES: [&str; 18] = [
    "поменял",
    "сменил",
    "изменён",
    "geändert",
    "cambió",
    "cambiada",
    "changé",
    "cambiata",
    "mudou",
    "alterada",
    "zmienione",
    "gewijzigd",
    "changed",
    "set",
    "reset",
    "rotated",
    "updated",
    "equal",
];

/// Words before a name that say whose it is.
pub(super) const OWNERS: [&str; 16] = [
    "my", "our", "his", "her", "their", "mein", "unser", "mi", "nuestra", "mon", "notre", "mia", "nostra",
    "minha", "mijn", "moje",
];

/// Verbs before a name after which `to` is followed by its value.
pub(super) const SETTING: [&str; 8] =
    ["set", "change", "reset", "rotate", "update", "switch", "setze", "cambia"];

/// Names of passwords that only sentences use: configuration files name them in English.
pub(super) const SPOKEN: [&str; 7] =
    ["passe", "passwort", "kennwort", "contraseña", "senha", "wachtwoord", "hasło"];
