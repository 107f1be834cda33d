//! The content of a lock file, which identifies its owner.

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
        Owner { nonce, identity, beacon: String::new() }
    }

    /// Formats one line of `key=value` words. The final newline marks the text as complete.
    pub fn to_text(&self) -> String {
        let Identity { pid, start, machine, boot, space, instance } = &self.identity;
        let Owner { nonce, beacon, .. } = self;
        format!(
            "{FORMAT} nonce={nonce} pid={pid} start={start} machine={machine} boot={boot} space={space} instance={instance} beacon={beacon}\n"
        )
    }

    /// Parses the output of [`Owner::to_text`]; `None` if it is incomplete or has another format.
    pub fn parse(text: &[u8]) -> Option<Owner> {
        let text = str::from_utf8(text).ok()?.strip_suffix('\n')?;
        let mut words = text.split(' ');
        if words.next() != Some(FORMAT) {
            return None;
        }
        let mut owner = Owner { nonce: String::new(), identity: Identity::default(), beacon: String::new() };
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
                _ => {}
            }
        }
        let usable = !owner.nonce.is_empty() && owner.nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
        usable.then_some(owner)
    }
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
    fn parse_rejects_incomplete_texts() {
        let text = Owner::new(&StdHost).to_text();
        for end in 0..text.len() {
            assert_eq!(Owner::parse(&text.as_bytes()[..end]), None, "{end} bytes");
        }
    }
}
