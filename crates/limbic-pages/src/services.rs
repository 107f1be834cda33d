//! Connection service files as libpq has them: `[name]` and lines `key=value`.

/// A setting of a service.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number in the file.
    pub number: usize,
    pub key: String,
    pub value: String,
}

/// The settings of a service, if the file has it. Lines of other services are not parsed, so they may be in any
/// encoding.
///
/// # Errors
/// What is wrong with a line of the service, after its number.
pub fn find(file: &[u8], service: &str) -> Result<Option<Vec<Line>>, String> {
    let mut found: Option<Vec<Line>> = None;
    for (line, number) in file.split(|byte| *byte == b'\n').zip(1..) {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        if let Some(named) = line.strip_prefix(b"[") {
            if found.is_some() {
                break;
            }
            let name = named.split(|byte| *byte == b']').next().filter(|name| name.len() < named.len());
            found = (name == Some(service.as_bytes())).then(Vec::new);
        } else if let Some(settings) = &mut found {
            let line = std::str::from_utf8(line).map_err(|_| format!("line {number} is not in UTF-8"))?;
            let (key, value) =
                line.split_once('=').ok_or_else(|| format!("line {number} is not of the form key=value"))?;
            settings.push(Line { number, key: key.trim().to_owned(), value: value.trim().to_owned() });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_has_the_settings_of_its_section() {
        let file = b"# ours \xe9\n[other]\nhost=a\nlatin=\xe9\n[team]\r\nhost=db.example\r\nport = 5433\n\n\
            [third]\nx\n";
        let team = find(file, "team").expect("its lines are understood").expect("the file has it");
        let line =
            |number, key: &str, value: &str| Line { number, key: key.to_owned(), value: value.to_owned() };
        assert_eq!(team, [line(6, "host", "db.example"), line(7, "port", "5433")]);
        assert_eq!(find(file, "none"), Ok(None));
        assert_eq!(find(file, "other"), Err("line 4 is not in UTF-8".to_owned()));
        assert_eq!(find(file, "third"), Err("line 10 is not of the form key=value".to_owned()));
    }
}
