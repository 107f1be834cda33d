//! Password files as libpq has them: `host:port:database:user:password`, `*` for any, `\` before `:` and `\`.

/// The server, user and database of a password.
pub struct Login<'a> {
    pub host: &'a str,
    pub port: u16,
    pub database: &'a str,
    pub user: &'a str,
}

/// The password of the first line that matches. Lines may be in any encoding.
pub fn find(file: &[u8], login: &Login<'_>) -> Option<Vec<u8>> {
    let port = login.port.to_string();
    let wanted = [login.host, &port, login.database, login.user];
    file.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#")).find_map(|line| {
        let fields = fields(line.strip_suffix(b"\r").unwrap_or(line));
        let (password, names) = fields.split_last()?;
        let is_match = names.len() == wanted.len()
            && names.iter().zip(wanted).all(|(field, wanted)| field == b"*" || field == wanted.as_bytes());
        is_match.then(|| password.clone())
    })
}

fn fields(line: &[u8]) -> Vec<Vec<u8>> {
    let mut fields = vec![Vec::new()];
    let mut bytes = line.iter().copied();
    while let Some(byte) = bytes.next() {
        let is_last = fields.len() == 5;
        match byte {
            b':' if !is_last => fields.push(Vec::new()),
            other => {
                let byte = if other == b'\\' { bytes.next().unwrap_or(other) } else { other };
                if let Some(field) = fields.last_mut() {
                    field.push(byte);
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
            b"# db:5432:*:ada:no\n\nother:*:*:*:wrong\n# J\xfcrgen's\ndb:5432:team:ada:s\\:e:cr\\\\et\r\n\
            db:*:*:eve:\xe9t\xe9\n*:*:*:*:any\n";
        let login = |host, user| Login { host, port: 5432, database: "team", user };
        let found = |host, user| find(file, &login(host, user)).expect("a line matches");
        assert_eq!(found("db", "ada"), b"s:e:cr\\et");
        assert_eq!(found("db", "eve"), b"\xe9t\xe9");
        assert_eq!(found("db", "bob"), b"any");
        assert_eq!(find(b"db:5433:*:*:x", &login("db", "ada")), None);
        assert_eq!(find(b"db:5432\n::::\n", &login("db", "ada")), None);
    }
}
