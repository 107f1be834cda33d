//! Where a database lies: the mount table of Linux, as every host can read it.

use crate::{Host, HostError, Stat, file::folder_of};

const TABLE: &str = "/proc/self/mountinfo";

/// Refuses a database that has another path with locks of its own: a second name, or a mount of the file alone.
///
/// # Errors
/// [`HostError::ManyNames`], [`HostError::FileMount`], and those of [`Host::stat`].
pub fn require_one_path(host: &dyn Host, path: &str, found: &Stat) -> Result<(), HostError> {
    if found.links > 1 {
        return Err(HostError::ManyNames);
    }
    let is_mounted_alone = match mount_points(host) {
        Some(points) => points.iter().any(|point| point == path),
        // Without a mount table. With one the devices are no evidence: overlayfs may show different ones.
        None => host.stat(folder_of(path))?.is_some_and(|folder| folder.place.device != found.place.device),
    };
    if is_mounted_alone { Err(HostError::FileMount) } else { Ok(()) }
}

fn mount_points(host: &dyn Host) -> Option<Vec<String>> {
    let table = String::from_utf8(host.read(TABLE).ok()?).ok()?;
    // `36 35 98:0 /root /mount/point rw,noatime - ext4 /dev/root rw`
    Some(table.lines().filter_map(|line| line.split(' ').nth(4)).map(unescape).collect())
}

/// Spaces, tabs, newlines and backslashes are written as three octal digits.
fn unescape(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                plain.push(char::from(code));
                plain.push_str(&part[3..]);
            }
            None => {
                plain.push('\\');
                plain.push_str(part);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn unescape_reads_octal_digits() {
        for (escaped, plain) in [(r"/a\040b\134", r"/a b\"), ("/a", "/a"), (r"/\9", r"/\9")] {
            assert_eq!(unescape(escaped), plain);
        }
    }
}
