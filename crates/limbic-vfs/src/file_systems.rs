//! File systems to which other machines can write as well. Lock files on them exclude the processes of one kernel only:
//! changes by another machine may be seen late, and its processes cannot be distinguished from dead ones.

/// The type of a file system, as the platform reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSystem {
    /// Linux: `f_type` of `statfs`.
    Number(u64),
    /// macOS: `f_fstypename` of `statfs`.
    Name(String),
}

/// `statfs(2)`, `linux/magic.h` and the sources of the drivers.
const SHARED_NUMBERS: [(u64, &str); 24] = [
    (0x6969, "NFS"),
    (0x517B, "SMB"),
    (0xFE53_4D42, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0x0102_1997, "9p"),
    (FUSE, "FUSE"),
    (0x5346_414F, "AFS"),
    (0x6B41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x00C3_6400, "Ceph"),
    (0x564C, "NCP"),
    (0x7461_636F, "OCFS2"),
    (0x0116_1970, "GFS2"),
    (0x0BD0_0BD0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x2030_528D, "OrangeFS"),
    (0xAAD7_AAEA, "PanFS"),
    (0x6163_6673, "ACFS"),
    (0xBEEF_DEAD, "SNFS"),
    (0xBACB_ACBC, "a VMware shared folder"),
    (0x786F_4256, "a VirtualBox shared folder"),
    (0x7C7C_6673, "a Parallels shared folder"),
    (0x5346_4846, "a folder of Windows in WSL"),
];

/// Also virtiofs, whose folders belong to the host of a virtual machine.
const FUSE: u64 = 0x6573_5546;

/// Types of the mount table with the number of FUSE that only this machine can write: drivers of block devices, and the
/// root of a container.
const LOCAL_FUSE: [&str; 2] = ["fuseblk", "fuse.fuse-overlayfs"];

/// Names of network file systems and folders of another system on macOS.
const SHARED_NAMES: [&str; 12] = [
    "nfs", "smbfs", "afpfs", "webdav", "ftp", "macfuse", "osxfuse", "fusefs", "virtiofs", "acfs", "vmhgfs",
    "prl_fs",
];

impl FileSystem {
    /// The name of a file system that other machines may write, `None` for a local one. `mounted_as` is its type in the
    /// mount table, if known.
    pub fn shared_name(&self, mounted_as: Option<&str>) -> Option<&str> {
        match self {
            FileSystem::Number(number) => {
                let is_local = *number == FUSE && mounted_as.is_some_and(|name| LOCAL_FUSE.contains(&name));
                // 32-bit platforms extend the sign.
                let known = SHARED_NUMBERS.iter().find(|(known, _)| *known == number & 0xFFFF_FFFF)?;
                (!is_local).then_some(known.1)
            }
            FileSystem::Name(name) => {
                let name = name.as_str();
                (SHARED_NAMES.contains(&name) || name.starts_with("macfuse_")).then_some(name)
            }
        }
    }
}

/// Whether a Windows path leads to another machine: `\\server\share`, also as `\\?\UNC\server\share`. A mapped drive
/// has this form once its links are resolved.
pub fn is_network_path(path: &str) -> bool {
    match path.strip_prefix(r"\\") {
        Some(rest) => match rest.strip_prefix(r"?\") {
            Some(verbatim) => verbatim.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(r"UNC\")),
            None => !rest.starts_with(r".\"),
        },
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_that_other_machines_write_are_known_by_number() {
        let shared = [
            (0x6969, "NFS"),
            (0xFF53_4D42, "CIFS"),
            (0xFE53_4D42, "SMB"),
            (0xFFFF_FFFF_FE53_4D42, "SMB"),
            (0x0102_1997, "9p"),
            (0x6573_5546, "FUSE"),
            (0x00C3_6400, "Ceph"),
            (0x786F_4256, "a VirtualBox shared folder"),
        ];
        for (number, name) in shared {
            assert_eq!(FileSystem::Number(number).shared_name(None), Some(name), "{number:x}");
        }
    }

    #[test]
    fn local_file_systems_are_allowed() {
        let ext4_btrfs_xfs_tmpfs_overlay_vfat_zfs_f2fs_ramfs_squashfs_exfat_ntfs3_bcachefs = [
            0xEF53,
            0x9123_683E,
            0x5846_5342,
            0x0102_1994,
            0x794C_7630,
            0x4D44,
            0x2FC1_2FC1,
            0xF2F5_2010,
            0x8584_58F6,
            0x7371_7368,
            0x2011_BAB0,
            0x7366_746E,
            0xCA45_1A4E,
        ];
        for number in ext4_btrfs_xfs_tmpfs_overlay_vfat_zfs_f2fs_ramfs_squashfs_exfat_ntfs3_bcachefs {
            assert_eq!(FileSystem::Number(number).shared_name(None), None, "{number:x}");
        }
        for name in ["fuseblk", "fuse.fuse-overlayfs"] {
            assert_eq!(FileSystem::Number(0x6573_5546).shared_name(Some(name)), None, "{name}");
        }
        assert_eq!(FileSystem::Number(0x6573_5546).shared_name(Some("fuse.sshfs")), Some("FUSE"));
        assert_eq!(FileSystem::Number(0x6969).shared_name(Some("fuseblk")), Some("NFS"));
    }

    #[test]
    fn macos_reports_names_of_file_systems() {
        for (name, is_shared) in
            [("apfs", false), ("hfs", false), ("msdos", false), ("smbfs", true), ("nfs", true)]
        {
            assert_eq!(FileSystem::Name(name.to_owned()).shared_name(None).is_some(), is_shared, "{name}");
        }
    }

    #[test]
    fn windows_paths_of_shares_are_recognised() {
        for path in [r"\\server\share\m.db", r"\\?\UNC\server\share\m.db", r"\\wsl.localhost\Debian\m.db"] {
            assert!(is_network_path(path), "{path}");
        }
        for path in [r"C:\m.db", r"\\?\C:\m.db", r"\\.\pipe\x", "/srv/m.db", r"\m.db"] {
            assert!(!is_network_path(path), "{path}");
        }
    }
}
