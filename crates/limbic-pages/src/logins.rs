//! The passwords of an address, and what to say about them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tokio_postgres::config::Config;

use crate::{
    settings::{Settings, own_file},
    targets::Target,
};

/// The passwords of an address, with where they come from.
#[derive(Clone)]
pub struct Logins {
    /// The servers whose passwords are in the password file; empty if all have one of the address.
    targets: Vec<Target>,
    /// The password that all servers have.
    of_all: Option<Origin>,
    /// The password file; `None` without a home folder. It is read for each connection, since passwords change while a
    /// server runs.
    file: Option<PathBuf>,
}

/// Where a password is written that all servers have.
#[derive(Clone)]
enum Origin {
    /// In the text of the address.
    Address,
    /// In a variable or a service file, as the end of a sentence.
    Other(String),
}

impl Logins {
    /// Finds the passwords for these servers. `is_in_address` says whether the one of `config` is in the text of the
    /// address.
    pub fn find(
        config: &Config,
        is_in_address: bool,
        settings: &Settings,
        home: Option<&Path>,
        targets: &[Target],
    ) -> Logins {
        let of_all = match config.get_password() {
            Some(_) if is_in_address => Some(Origin::Address),
            Some(_) => Some(Origin::Other(settings.origin("password").trim_matches(['(', ')']).to_owned())),
            None => None,
        };
        let targets = if of_all.is_none() { targets.to_vec() } else { Vec::new() };
        Logins { targets, of_all, file: path(settings, home) }
    }

    /// Whether the text of the address has a password.
    pub fn is_in_address(&self) -> bool {
        matches!(self.of_all, Some(Origin::Address))
    }

    /// The password for one of the servers, by its index, that the password file has now.
    pub fn of_server(&self, server: usize) -> Option<Vec<u8>> {
        let target = self.targets.get(server)?;
        match read(self.file.as_deref()?) {
            Content::Bytes(bytes) => target.password(&bytes),
            Content::Missing | Content::Ignored => None,
        }
    }

    /// What to do about a password that is missing, as the end of a message.
    pub fn advice(&self) -> String {
        let Some(file) = &self.file else {
            return "set PGPASSWORD, or name a password file with PGPASSFILE".to_owned();
        };
        let is_ignored = matches!(read(file), Content::Ignored);
        let file = file.display();
        if is_ignored {
            format!("{file} is ignored, because others may read it: run chmod 600 on it")
        } else {
            format!("set PGPASSWORD, or add a line to {file}")
        }
    }

    /// Where a password that was refused comes from, as the end of a message.
    pub fn source(&self) -> String {
        match (&self.of_all, &self.file) {
            (Some(Origin::Address), _) => "its password is in the address".to_owned(),
            (Some(Origin::Other(origin)), _) => format!("its password is {origin}"),
            (None, Some(file)) if (0..self.targets.len()).any(|server| self.of_server(server).is_some()) => {
                format!("its password is from the password file {}", file.display())
            }
            (None, _) => self.advice(),
        }
    }
}

/// The content of a password file.
enum Content {
    /// There is none.
    Missing,
    /// Others may read it.
    Ignored,
    /// Its bytes: names and passwords may be in any encoding.
    Bytes(Vec<u8>),
}

/// The path of the password file, if one is named or the user has a home folder.
fn path(settings: &Settings, home: Option<&Path>) -> Option<PathBuf> {
    match settings.get("passfile") {
        Some(path) => Some(PathBuf::from(path)),
        None => Some(own_file(home?, ".pgpass", "postgresql/pgpass.conf")),
    }
}

/// Reads the password file. One that others may read is ignored, as libpq does.
fn read(file: &Path) -> Content {
    match fs::read(file) {
        Err(_) => Content::Missing,
        Ok(_) if is_open_to_others(file) => Content::Ignored,
        Ok(bytes) => Content::Bytes(bytes),
    }
}

#[cfg(unix)]
fn is_open_to_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_file: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::Address;

    /// A private file with this content.
    fn write(file: &Path, content: &str) {
        fs::write(file, content).expect("the folder was just made");
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("the file is ours");
    }

    #[test]
    fn a_password_file_that_others_may_read_is_ignored_and_named_when_the_password_is_missing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("passwords");
        write(&file, "host:5432:*:limbic:secret");
        let parsed = |mode: u32| {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("the file is ours");
            Address::parse(&format!("postgres://limbic@host/team?passfile={}", file.display()), &|_| None)
                .expect("the address is valid")
        };
        let private = parsed(0o600);
        assert_eq!(private.password(0), Some(b"secret".to_vec()));
        assert!(private.logins.advice().contains("PGPASSWORD"));
        write(&file, "host:5432:*:limbic:changed");
        assert_eq!(private.password(0), Some(b"changed".to_vec()), "a password that was changed meanwhile");
        let open = parsed(0o644);
        assert_eq!(open.password(0), None);
        assert!(open.logins.advice().contains(&*file.to_string_lossy()), "{}", open.logins.advice());
    }

    #[test]
    fn a_password_that_is_refused_is_named_with_the_place_where_it_is_written() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [passwords, services] = ["passwords", "services"].map(|name| folder.path().join(name));
        write(&passwords, "host:5432:*:limbic:s3cret");
        write(&services, "[team]\nhost=host\npassword=s3cret\n");
        let (file, service) = (passwords.display().to_string(), services.display().to_string());
        for (address, variable, says) in [
            ("postgres://limbic:s3cret@host/team", "", "in the address"),
            ("postgres://limbic@host/team?password=s3cret", "", "in the address"),
            ("postgres://limbic@host/team", "s3cret", "from the variable PGPASSWORD"),
            (&format!("postgres://limbic@host/team?passfile={file}"), "", &format!("password file {file}")),
            (
                &format!("postgres:///team?service=team&servicefile={service}"),
                "",
                &format!("from line 3 of {service}"),
            ),
        ] {
            let set = |name: &str| (name == "PGPASSWORD" && !variable.is_empty()).then(|| variable.into());
            let parsed = Address::parse(address, &set).expect("the address is valid");
            let source = parsed.logins.source();
            assert!(source.ends_with(says) && !source.contains("s3cret"), "{address}: {source}");
            assert_eq!(parsed.has_password(), says == "in the address", "{address}");
        }
    }
}
