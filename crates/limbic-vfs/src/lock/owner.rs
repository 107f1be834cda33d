//! The content of a lock file, which identifies its owner.

use std::fmt;

use crate::{Host, Identity};

/// Releases that know another format break this one's locks; a new key does not change the format.
const FORMAT: &str = "limbic-lock-1";
const ANY_FORMAT: &str = "limbic-lock-";

/// One connection of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Random identifier of the connection.
    pub nonce: String,
    /// The process of the connection.
    pub identity: Identity,
    /// The name of its beacon in the lock folder; empty without one.
    pub beacon: String,
    /// When it opened the database, in milliseconds since 1970 by its clock; 0 if an earlier release wrote the file.
    pub since_millis: i64,
}

impl Owner {
    /// A new connection of this process.
    pub fn new(host: &dyn Host) -> Owner {
        let mut random = [0; 12];
        host.fill_random(&mut random);
        let nonce = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut identity = host.identity();
        for word in [
            &mut identity.start,
            &mut identity.machine,
            &mut identity.boot,
            &mut identity.space,
            &mut identity.instance,
        ] {
            *word = plain(word);
        }
        Owner { nonce, identity, beacon: String::new(), since_millis: host.now_millis() }
    }

    /// Formats one line of `key=value` words. The final newline marks the text as complete.
    pub fn to_text(&self) -> String {
        let Identity { pid, start, machine, boot, space, instance } = &self.identity;
        let Owner { nonce, beacon, since_millis, .. } = self;
        format!(
            "{FORMAT} nonce={nonce} pid={pid} start={start} machine={machine} boot={boot} space={space} instance={instance} beacon={beacon} since={since_millis}\n"
        )
    }

    /// Parses the output of [`Owner::to_text`]; `None` if it is incomplete or has another format.
    pub fn parse(text: &[u8]) -> Option<Owner> {
        let text = str::from_utf8(text).ok()?.strip_suffix('\n')?;
        let mut words = text.split(' ');
        if words.next() != Some(FORMAT) {
            return None;
        }
        let identity = Identity::default();
        let mut owner = Owner { nonce: String::new(), identity, beacon: String::new(), since_millis: 0 };
        for word in words {
            let (key, value) = word.split_once('=')?;
            let identity = &mut owner.identity;
            match key {
                "nonce" => owner.nonce = value.to_owned(),
                "pid" => identity.pid = value.parse().ok()?,
                "start" => identity.start = value.to_owned(),
                "machine" => identity.machine = value.to_owned(),
                "boot" => identity.boot = value.to_owned(),
                "space" => identity.space = value.to_owned(),
                "instance" => identity.instance = value.to_owned(),
                // A path would lead elsewhere.
                "beacon" if !value.contains(['/', '\\']) => owner.beacon = value.to_owned(),
                "since" => owner.since_millis = value.parse().unwrap_or_default(),
                _ => {}
            }
        }
        let usable = !owner.nonce.is_empty() && owner.nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
        usable.then_some(owner)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Identity { pid, machine, boot, .. } = &self.identity;
        // The id before the name is meaningless to a person.
        let name = machine.rsplit('/').next().unwrap_or_default();
        let name = if name.is_empty() { "an unnamed machine" } else { name };
        write!(formatter, "process {pid} on {name}")?;
        if !boot.is_empty() {
            write!(formatter, ", boot {boot}")?;
        }
        if self.since_millis > 0 {
            write!(formatter, ", since {}", utc(self.since_millis))?;
        }
        Ok(())
    }
}

/// Formats milliseconds since 1970 as a time in UTC.
fn utc(millis: i64) -> String {
    let (seconds, days) = (millis.div_euclid(1_000).rem_euclid(86_400), millis.div_euclid(86_400_000));
    // The civil calendar in years that begin in March (Howard Hinnant, "chrono-compatible low-level date algorithms"),
    // as `model/dates.rs` of limbic-core has it; this crate depends on no other of the workspace.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (seconds / 3_600, seconds / 60 % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// Whether the text is complete and of a format that this release does not know.
pub(super) fn is_of_later_format(text: &[u8]) -> bool {
    let Some(line) = str::from_utf8(text).ok().and_then(|text| text.strip_suffix('\n')) else { return false };
    let format = line.split(' ').next().unwrap_or_default();
    format.starts_with(ANY_FORMAT) && format != FORMAT
}

/// Escapes a value: characters that would end the word become `_`.
pub(super) fn plain(word: &str) -> String {
    word.chars().map(|c| if c.is_ascii_graphic() && c != '=' { c } else { '_' }).take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StdHost;

    #[test]
    fn parse_reverses_to_text() {
        let owner = Owner::new(&StdHost);
        assert_eq!(Owner::parse(owner.to_text().as_bytes()), Some(owner));
    }

    #[test]
    fn utc_is_the_civil_calendar() {
        for (millis, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400_000, "2000-02-29 00:00 UTC"),
            (1_700_000_000_000, "2023-11-14 22:13 UTC"),
            (4_107_542_340_000, "2100-02-28 23:59 UTC"),
        ] {
            assert_eq!(utc(millis), text);
        }
    }

    #[test]
    fn parse_rejects_incomplete_texts() {
        let text = Owner::new(&StdHost).to_text();
        for end in 0..text.len() {
            assert_eq!(Owner::parse(&text.as_bytes()[..end]), None, "{end} bytes");
        }
    }
}
