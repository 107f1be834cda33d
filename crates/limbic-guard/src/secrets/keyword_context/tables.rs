//! Finds secrets in tables: a column of CSV, TSV or Markdown whose heading names a secret.

use crate::secrets::value;

/// Headings of columns with secrets, in lower case.
const HEADINGS: [&str; 21] = [
    "password",
    "passwords",
    "passwd",
    "pwd",
    "pass",
    "passphrase",
    "contraseña",
    "passwort",
    "kennwort",
    "mot de passe",
    "senha",
    "wachtwoord",
    "secret",
    "token",
    "api key",
    "api_key",
    "apikey",
    "secret key",
    "secret_key",
    "access key",
    "private key",
];
/// Last words of headings of two or three words: `client secret`, `bot_token`.
const LAST_WORDS: [&str; 6] = ["secret", "token", "password", "passphrase", "passwort", "kennwort"];
/// Characters that separate columns.
const SEPARATORS: [char; 4] = ['|', ',', ';', '\t'];
/// Maximum number of columns that are examined.
const MAX_COLUMNS: usize = 24;
/// Minimum length of a generated value.
const MIN_GENERATED_BYTES: usize = 16;

/// A column of the table that the current line belongs to.
struct Column {
    separator: char,
    index: usize,
    count: usize,
    is_password: bool,
}

/// Whether a column with a heading of a secret holds one. A table ends at a line with another number of columns.
pub(super) fn hold_secret(text: &str) -> bool {
    let mut column: Option<Column> = None;
    text.lines().any(|line| {
        let found = column.as_ref().and_then(|column| {
            let cells = cells(line, column.separator);
            (cells.len() == column.count).then(|| is_secret(cells[column.index], column.is_password))
        });
        if found.is_none() {
            column = heading(line);
        }
        found == Some(true)
    })
}

/// Returns the column of secrets of a line of headings.
fn heading(line: &str) -> Option<Column> {
    SEPARATORS.into_iter().find_map(|separator| {
        let cells = cells(line, separator);
        let is_table = (2..=MAX_COLUMNS).contains(&cells.len())
            && cells.iter().all(|cell| cell.len() <= 30 && cell.split(' ').count() <= 3);
        if !is_table {
            return None;
        }
        let index = cells.iter().position(|cell| is_heading(&cell.to_lowercase()))?;
        let name = cells[index].to_lowercase();
        let last = name.rsplit([' ', '_', '-']).next().unwrap_or_default();
        let is_password =
            (last.starts_with(['p', 'c', 'k', 'm', 'w']) && !last.starts_with("key")) || name == "senha";
        Some(Column { separator, index, count: cells.len(), is_password })
    })
}

fn is_heading(name: &str) -> bool {
    HEADINGS.contains(&name)
        || name.rsplit_once([' ', '_', '-']).is_some_and(|(_, last)| LAST_WORDS.contains(&last))
}

fn cells(line: &str, separator: char) -> Vec<&str> {
    let line = line.trim();
    let line = if separator == '|' { line.trim_matches('|') } else { line };
    line.split(separator)
        .take(MAX_COLUMNS + 1)
        .map(|cell| cell.trim_matches([' ', '"', '\'', '`', '*']))
        .collect()
}

pub(super) fn is_secret(cell: &str, is_password: bool) -> bool {
    !value::is_reference(cell)
        && !value::is_placeholder(cell)
        && !value::is_common_example(cell)
        && !value::is_address_or_public_key(cell)
        && (value::is_generated(cell, MIN_GENERATED_BYTES)
            || (is_password && !cell.contains(' ') && value::is_chosen(cell, false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_secrets_is_found() {
        for text in [
            "user,password\nmarta,Kp7#wTz2Rq",
            "| host | user | Password |\n|---|---|---|\n| db | app | `Kp7#wTz2Rq` |",
            "| app | client id | client secret |\n|---|---|---|\n| a | b-01 | q8ZrT2kLmP0vXw4NbY7c |",
            "before\nname;token\nfirst;-\nci;q8ZrT2kLmP0vXw4NbY7c",
        ] {
            assert!(hold_secret(text), "{text}");
        }
    }

    #[test]
    fn tables_about_secrets_are_accepted() {
        for text in [
            "| option | meaning |\n|---|---|\n| password | Kp7#wTz2Rq |",
            "user,password\nmarta,${DB_PASSWORD}\nada,<password>",
            "user,password\nmarta,unset",
            "user,password\n\nmarta came, Kp7#wTz2Rq",
            "| parameter | token |\n|---|---|\n| needed | yes, since v2 |",
        ] {
            assert!(!hold_secret(text), "{text}");
        }
    }
}
