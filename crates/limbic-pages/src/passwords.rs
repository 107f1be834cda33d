//! Password files as libpq has them: `host:port:database:user:password`, `*` for any, `\` before `:` and `\`.

/// The server, user and database of a password.
pub struct Login<'a> {
    pub host: &'a str,
    pub port: u16,
    pub database: &'a str,
    pub user: &'a str,
}

/// The password of the first line that matches.
pub fn find(text: &str, login: &Login<'_>) -> Option<String> {
    let port = login.port.to_string();
    let wanted = [login.host, &port, login.database, login.user];
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line.trim_end_matches('\r'));
        let (password, names) = fields.split_last()?;
        let is_match = names.len() == wanted.len()
            && names.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
        is_match.then(|| password.clone())
    })
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let is_last = fields.len() == 5;
        match letter {
            ':' if !is_last => fields.push(String::new()),
            other => {
                let letter = if other == '\\' { letters.next().unwrap_or(other) } else { other };
                if let Some(field) = fields.last_mut() {
                    field.push(letter);
                }
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_matches_counts() {
        let file =
            "# db:5432:*:ada:no\n\nother:*:*:*:wrong\ndb:5432:team:ada:s\\:e:cr\\\\et\r\n*:*:*:*:any\n";
        let login = |host, user| Login { host, port: 5432, database: "team", user };
        assert_eq!(find(file, &login("db", "ada")).as_deref(), Some("s:e:cr\\et"));
        assert_eq!(find(file, &login("db", "bob")).as_deref(), Some("any"));
        assert_eq!(find("db:5433:*:*:x", &login("db", "ada")), None);
        assert_eq!(find("db:5432\n::::\n", &login("db", "ada")), None);
    }
}
