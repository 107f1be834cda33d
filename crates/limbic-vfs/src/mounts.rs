//! The mount of a database, from the mount table of Linux and the host.

use crate::{Host, HostError, Stat, file_systems::is_network_path, folder_of};

const TABLE: &str = "/proc/self/mountinfo";

/// Whether other machines may write the disk of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    /// Only this kernel writes it.
    Local,
    /// Another machine may write it, too.
    Shared,
}

struct Mount {
    point: String,
    file_system: String,
}

/// Refuses a database that has another path with locks of its own: a second name, or a mount of the file alone.
///
/// # Errors
/// [`HostError::ManyNames`], [`HostError::FileMount`], and those of [`Host::stat`].
pub fn require_one_path(host: &dyn Host, path: &str, found: &Stat) -> Result<(), HostError> {
    require_one_name(host, path, found)?;
    let is_mounted_alone = match mounts(host) {
        Some(mounts) => mounts.iter().any(|mount| mount.point == path),
        // Without a mount table. With one the devices are not evidence: overlayfs may show different ones.
        None => host.stat(folder_of(path))?.is_some_and(|folder| folder.inode.device != found.inode.device),
    };
    if is_mounted_alone { Err(HostError::FileMount) } else { Ok(()) }
}

/// The end of the name under which a shell writes a new database, before random characters. It then links the file to
/// the path of the database and removes this name.
const CREATING: &str = "-creating-";

/// Refuses a database with a second name. One under which it was created is removed: the program that created it was
/// killed before it did so, or is about to.
///
/// # Errors
/// [`HostError::ManyNames`], and those of [`Host::stat`].
pub fn require_one_name(host: &dyn Host, path: &str, found: &Stat) -> Result<(), HostError> {
    if found.links <= 1 {
        return Ok(());
    }
    remove_creating_names(host, path, found);
    match host.stat(path)? {
        Some(now) if now.links > 1 => Err(HostError::ManyNames),
        _ => Ok(()),
    }
}

/// A name that cannot be removed stays a second one.
fn remove_creating_names(host: &dyn Host, path: &str, found: &Stat) {
    let folder = folder_of(path);
    let base = path.strip_prefix(folder).map_or(path, |rest| rest.trim_start_matches(['/', '\\']));
    for name in host.list(folder).unwrap_or_default() {
        let Some(end) = name.strip_prefix(base).filter(|end| end.starts_with(CREATING)) else { continue };
        let other = format!("{path}{end}");
        if host.stat(&other).is_ok_and(|stat| stat.is_some_and(|stat| stat.inode == found.inode)) {
            let _ = host.delete(&other);
        }
    }
}

/// Whether the folder of a database is on a disk that other machines may write; refuses such a disk unless it is
/// accepted.
///
/// # Errors
/// [`HostError::SharedDisk`].
pub fn require_local(host: &dyn Host, path: &str, accepts_shared: bool) -> Result<Disk, HostError> {
    let folder = folder_of(path);
    let mounts = mounts(host).unwrap_or_default();
    // Of equally long ones the last, which hides the others.
    let mount = mounts
        .iter()
        .filter(|mount| is_inside(folder, &mount.point))
        .max_by_key(|mount| mount.point.trim_end_matches('/').len());
    let found = host.file_system(folder);
    let mounted_as = mount.map(|mount| mount.file_system.as_str());
    let name = match &found {
        Some(found) => found.shared_name(mounted_as),
        None => is_network_path(path).then_some("a network share"),
    };
    let Some(name) = name else { return Ok(Disk::Local) };
    if accepts_shared {
        return Ok(Disk::Shared);
    }
    let name = match mounted_as.and_then(|name| name.strip_prefix("fuse.")) {
        Some(driver) => format!("{name} ({driver})"),
        None => name.to_owned(),
    };
    let mount = mount.map_or(folder, |mount| mount.point.as_str()).to_owned();
    Err(HostError::SharedDisk { name, mount })
}

fn is_inside(folder: &str, point: &str) -> bool {
    let rest = folder.strip_prefix(point.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn mounts(host: &dyn Host) -> Option<Vec<Mount>> {
    let table = host.read(TABLE).ok()?;
    Some(String::from_utf8_lossy(&table).lines().filter_map(parse).collect())
}

/// Parses a line such as `36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/root rw`.
fn parse(line: &str) -> Option<Mount> {
    let (place, kind) = line.split_once(" - ")?;
    let point = unescape(place.split(' ').nth(4)?);
    Some(Mount { point, file_system: kind.split(' ').next()?.to_owned() })
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
