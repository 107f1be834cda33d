//! The settings of TLS, with libpq's defaults.

use std::path::{Path, PathBuf};

use super::{Mode, Tls, Versions};
use crate::settings::{Settings, own_file};

/// The value of `sslrootcert` for the certificates that the system trusts.
const SYSTEM: &str = "system";

impl Tls {
    /// Reads `sslmode`, `sslrootcert`, `sslcert`, `sslkey` and the versions of TLS. Files that they do not name are
    /// looked for in `.postgresql` of the folder `home`, if the user has one. As in libpq, a connection over a socket
    /// of this machine has no TLS, so that with `is_local` all but the name of the mode is ignored.
    ///
    /// # Errors
    /// An unknown mode, a mode that checks less than its certificates allow, a certificate without its key, a range
    /// of versions of TLS that is empty, a list of revoked certificates that would not be read.
    pub fn from_settings(settings: &Settings, home: Option<&Path>, is_local: bool) -> Result<Tls, String> {
        let folder = home.map(|home| own_file(home, ".postgresql", "postgresql"));
        let own = |name: &str| folder.as_ref().map(|folder| folder.join(name));
        let file = |key: &str, name: &str| match settings.get(key) {
            Some(path) => Some(PathBuf::from(path)),
            None => own(name).filter(|path| path.is_file()),
        };
        let trusts_system = settings.get("sslrootcert") == Some(SYSTEM);
        let default = if trusts_system { "verify-full" } else { "prefer" };
        let name = settings.get("sslmode").unwrap_or(default);
        let mode = Mode::named(name).ok_or_else(|| {
            format!(
                "sslmode must be disable, allow, prefer, require, verify-ca or verify-full, but got {name:?}"
            )
        })?;
        if is_local {
            return Ok(Tls { mode: Mode::Disable, root: None, client: None, versions: Versions::All });
        }
        if settings.get("sslnegotiation") == Some("direct")
            && matches!(mode, Mode::Disable | Mode::Allow | Mode::Prefer)
        {
            return Err(format!(
                "sslmode={name} may not be used with sslnegotiation=direct: use verify-full"
            ));
        }
        if trusts_system && mode != Mode::VerifyFull {
            return Err(format!(
                "sslmode={name} may not be used with sslrootcert=system, since anyone can have a certificate of an \
                 authority that the system trusts: use verify-full, which also checks the name of the host"
            ));
        }
        let root = if trusts_system { None } else { file("sslrootcert", "root.crt") };
        if mode == Mode::VerifyCa && root.is_none() {
            return Err("sslmode=verify-ca needs the certificate of your authority: name its file with sslrootcert, or \
                use verify-full, which also accepts the authorities that the system trusts"
                .to_owned());
        }
        if root.is_some()
            && !matches!(mode, Mode::Disable | Mode::Allow | Mode::Prefer)
            && let Some(revoked) = own("root.crl").filter(|revoked| revoked.exists())
        {
            return Err(format!(
                "{} is not read, so that certificates which were revoked would be accepted: remove it if that is \
                 intended",
                revoked.display()
            ));
        }
        // Without TLS, a certificate is not used.
        let is_used = mode != Mode::Disable && settings.get("sslcertmode") != Some("disable");
        let certificate = file("sslcert", "postgresql.crt").filter(|_| is_used);
        let client = match (certificate, file("sslkey", "postgresql.key")) {
            (Some(certificate), None) => {
                return Err(format!(
                    "the client's certificate {} has no key: name its file with sslkey",
                    certificate.display()
                ));
            }
            (certificate, key) => certificate.zip(key),
        };
        Ok(Tls { mode, root, client, versions: versions(settings)? })
    }
}

/// The versions of TLS that the settings allow, whose values were checked.
fn versions(settings: &Settings) -> Result<Versions, String> {
    let is =
        |key: &str, version: &str| settings.get(key).is_some_and(|value| value.eq_ignore_ascii_case(version));
    let (min, max) = ("ssl_min_protocol_version", "ssl_max_protocol_version");
    match (is(min, "TLSv1.3"), is(max, "TLSv1.2")) {
        (false, false) => Ok(Versions::All),
        (true, false) => Ok(Versions::Only13),
        (false, true) => Ok(Versions::Only12),
        (true, true) => Err(format!("{min}=TLSv1.3 and {max}=TLSv1.2 leave no version of TLS")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(settings: &[(&str, &str)]) -> Result<Tls, String> {
        parsed_for(settings, Path::new("/nonexistent"), false)
    }

    fn parsed_for(settings: &[(&str, &str)], home: &Path, is_local: bool) -> Result<Tls, String> {
        let mut all = Settings::default();
        settings.iter().for_each(|(key, value)| all.add(key, value, ""));
        Tls::from_settings(&all, Some(home), is_local)
    }

    fn refusal(settings: &[(&str, &str)]) -> String {
        parsed(settings).map_or_else(|error| error, |tls| format!("accepted: {tls:?}"))
    }

    #[test]
    fn the_roots_of_the_system_are_used_with_the_name_of_the_host_only() {
        let system = ("sslrootcert", "system");
        for settings in [&[system][..], &[system, ("sslmode", "verify-full")]] {
            let tls = parsed(settings).expect("the certificate and the name are checked");
            assert_eq!((tls.mode, tls.root), (Mode::VerifyFull, None));
        }
        for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
            let said = refusal(&[system, ("sslmode", mode)]);
            assert!(
                said.contains(&format!("sslmode={mode} may not")) && said.contains("verify-full"),
                "{said}"
            );
        }
        let said = refusal(&[("sslmode", "verify-ca")]);
        assert!(said.contains("name its file with sslrootcert"), "{said}");
        let tls = parsed(&[("sslmode", "verify-ca"), ("sslrootcert", "ca.crt")]).expect("it names its root");
        assert_eq!((tls.mode, tls.root), (Mode::VerifyCa, Some(PathBuf::from("ca.crt"))));
        assert_eq!(parsed(&[]).expect("all have defaults").mode, Mode::Prefer);
    }

    #[test]
    fn a_certificate_of_the_client_needs_its_key() {
        let certificate = ("sslcert", "ada.crt");
        let said = refusal(&[certificate]);
        assert!(said.contains("ada.crt has no key") && said.contains("sslkey"), "{said}");
        let tls = parsed(&[certificate, ("sslkey", "ada.key")]).expect("it has its key");
        assert_eq!(tls.client, Some((PathBuf::from("ada.crt"), PathBuf::from("ada.key"))));
        let tls = parsed(&[("sslkey", "ada.key")]).expect("a key alone is not used");
        assert_eq!(tls.client, None);
        let unused = [certificate, ("sslcertmode", "disable")];
        assert_eq!(parsed(&unused).expect("a certificate that is not used needs no key").client, None);
    }

    #[test]
    fn a_socket_needs_no_certificate_and_no_tls() {
        for mode in ["disable", "prefer", "require", "verify-ca", "verify-full"] {
            let settings = [("sslmode", mode), ("sslrootcert", "/missing"), ("sslcert", "/missing")];
            let tls = parsed_for(&settings, Path::new("/nonexistent"), true).expect("libpq ignores them");
            assert_eq!((tls.mode, tls.root, tls.client), (Mode::Disable, None, None), "{mode}");
        }
        assert!(parsed_for(&[("sslmode", "maybe")], Path::new("/nonexistent"), true).is_err());
    }

    #[test]
    fn versions_of_tls_are_those_of_the_settings() {
        let (min, max) = ("ssl_min_protocol_version", "ssl_max_protocol_version");
        for (settings, expected) in [
            (&[][..], Versions::All),
            (&[(min, "TLSv1.1"), (max, "TLSv1.3")], Versions::All),
            (&[(min, "tlsv1.3")], Versions::Only13),
            (&[(max, "TLSv1.2")], Versions::Only12),
        ] {
            assert_eq!(parsed(settings).expect("there is a version").versions, expected, "{settings:?}");
        }
        assert!(refusal(&[(min, "TLSv1.3"), (max, "TLSv1.2")]).contains("leave no version"));
    }

    #[test]
    fn a_list_of_revoked_certificates_in_the_folder_of_libpq_is_not_passed_over() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let folder = home.path().join(if cfg!(windows) { "postgresql" } else { ".postgresql" });
        std::fs::create_dir(&folder).expect("the folder is empty");
        std::fs::write(folder.join("root.crl"), "x").expect("the folder was just made");
        let said = |mode| parsed_for(&[("sslmode", mode), ("sslrootcert", "ca.crt")], home.path(), false);
        assert!(said("verify-full").expect_err("it is refused").contains("root.crl is not read"));
        assert!(said("prefer").is_ok(), "nothing is checked");
    }
}
