//! The settings of TLS, with libpq's defaults.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{Mode, Tls};

/// The value of `sslrootcert` for the certificates that the system trusts.
const SYSTEM: &str = "system";

impl Tls {
    /// Reads `sslmode`, `sslrootcert`, `sslcert` and `sslkey`. Files that they do not name are looked for in
    /// `.postgresql` of the folder `home`.
    ///
    /// # Errors
    /// An unknown mode, a mode that checks less than its certificates allow, a certificate without its key.
    pub fn from_settings(settings: &BTreeMap<String, String>, home: &Path) -> Result<Tls, String> {
        let folder = home.join(if cfg!(windows) { "postgresql" } else { ".postgresql" });
        let file = |key: &str, name: &str| match settings.get(key) {
            Some(path) => Some(PathBuf::from(path)),
            None => Some(folder.join(name)).filter(|path| path.is_file()),
        };
        let trusts_system = settings.get("sslrootcert").is_some_and(|root| root == SYSTEM);
        let default = if trusts_system { "verify-full" } else { "prefer" };
        let name = settings.get("sslmode").map_or(default, String::as_str);
        let mode = Mode::named(name).ok_or_else(|| {
            format!(
                "sslmode must be disable, allow, prefer, require, verify-ca or verify-full, but got {name:?}"
            )
        })?;
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
        let client = match (file("sslcert", "postgresql.crt"), file("sslkey", "postgresql.key")) {
            (Some(certificate), None) if mode != Mode::Disable => {
                return Err(format!(
                    "the client's certificate {} has no key: name its file with sslkey",
                    certificate.display()
                ));
            }
            (certificate, key) => certificate.zip(key),
        };
        // Without TLS, a certificate is not used.
        let client = client.filter(|_| mode != Mode::Disable);
        Ok(Tls { mode, root, client })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(settings: &[(&str, &str)]) -> Result<Tls, String> {
        let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Tls::from_settings(&settings, Path::new("/nonexistent"))
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
    }
}
