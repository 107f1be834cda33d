//! TLS by rustls, with libpq's modes.

mod advice;
mod own_root;
mod settings;
mod stream;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub use advice::advice;
use own_root::OwnRoot;
use rustls::{
    ALL_VERSIONS, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    SupportedProtocolVersion,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject},
    version,
};
pub use stream::{Connector, Stream};
use tokio_postgres::config::SslMode;

/// Requirements on the server's certificate (`sslmode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// No TLS.
    Disable,
    /// TLS only if the server refuses a connection without; its certificate is not checked.
    Allow,
    /// TLS if the server has it; its certificate is not checked.
    Prefer,
    /// TLS; the certificate is checked only against a root certificate that is given.
    Require,
    /// A certificate of an authority that is trusted.
    VerifyCa,
    /// And for this host.
    VerifyFull,
}

impl Mode {
    /// The mode of a name, as libpq writes it.
    pub fn named(name: &str) -> Option<Mode> {
        match name {
            "disable" => Some(Mode::Disable),
            "allow" => Some(Mode::Allow),
            "prefer" => Some(Mode::Prefer),
            "require" => Some(Mode::Require),
            "verify-ca" => Some(Mode::VerifyCa),
            "verify-full" => Some(Mode::VerifyFull),
            _ => None,
        }
    }

    /// How to connect, and how to try again if the server refuses the role that way.
    pub fn attempts(self) -> (SslMode, Option<SslMode>) {
        match self {
            Mode::Disable => (SslMode::Disable, None),
            Mode::Allow => (SslMode::Disable, Some(SslMode::Require)),
            Mode::Prefer => (SslMode::Prefer, Some(SslMode::Disable)),
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => (SslMode::Require, None),
        }
    }
}

/// The versions of TLS that are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// 1.2 and 1.3.
    All,
    /// 1.2 alone.
    Only12,
    /// 1.3 alone.
    Only13,
}

impl Versions {
    fn all(self) -> &'static [&'static SupportedProtocolVersion] {
        const ONLY_12: &[&SupportedProtocolVersion] = &[&version::TLS12];
        const ONLY_13: &[&SupportedProtocolVersion] = &[&version::TLS13];
        match self {
            Versions::All => ALL_VERSIONS,
            Versions::Only12 => ONLY_12,
            Versions::Only13 => ONLY_13,
        }
    }
}

/// How to connect with TLS.
#[derive(Debug, Clone)]
pub struct Tls {
    pub mode: Mode,
    /// A file with root certificates in PEM; without one, [`Mode::VerifyFull`] trusts those of the system.
    pub root: Option<PathBuf>,
    /// The client's certificate and its key, in PEM.
    pub client: Option<(PathBuf, PathBuf)>,
    pub versions: Versions,
}

impl Tls {
    /// Reads the certificates. The error says which file cannot be read or used.
    pub fn connector(&self) -> Result<Connector, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(self.versions.all())
            .map_err(|error| error.to_string())?;
        let verifier: Arc<dyn ServerCertVerifier> = match (self.mode, &self.root) {
            (Mode::Disable | Mode::Allow | Mode::Prefer, _) | (Mode::Require, None) => {
                Arc::new(Unverified(provider))
            }
            (Mode::Require | Mode::VerifyCa, _) => Arc::new(AnyName(self.trusted(provider)?)),
            (Mode::VerifyFull, _) => Arc::new(self.trusted(provider)?),
        };
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        let config = match &self.client {
            None => builder.with_no_client_auth(),
            Some(_) if self.mode == Mode::Disable => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                if is_open_to_others(key) {
                    return Err(format!("others may read the key {}: run chmod 600 on it", key.display()));
                }
                let chain = certificates(certificate)?;
                let key = PrivateKeyDer::from_pem_file(key)
                    .map_err(|error| format!("the key {} cannot be read: {error}", key.display()))?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| format!("the client's certificate cannot be used: {error}"))?
            }
        };
        Ok(Connector::new(config))
    }

    fn trusted(&self, provider: Arc<CryptoProvider>) -> Result<OwnRoot, String> {
        let mut roots = RootCertStore::empty();
        let mut given = Vec::new();
        match &self.root {
            Some(path) => {
                given = certificates(path)?;
                for certificate in &given {
                    roots.add(certificate.clone()).map_err(|error| {
                        format!("the certificate {} cannot be used: {error}", path.display())
                    })?;
                }
            }
            None => {
                let found = rustls_native_certs::load_native_certs();
                let (usable, _) = roots.add_parsable_certificates(found.certs);
                if usable == 0 {
                    return Err(no_system_roots(&found.errors));
                }
            }
        }
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .map_err(|error| format!("no root certificate is known ({error}): name one with sslrootcert"))?;
        Ok(OwnRoot { verifier, given })
    }
}

fn no_system_roots(errors: &[rustls_native_certs::Error]) -> String {
    let why = errors.first().map_or_else(|| "none was found".to_owned(), ToString::to_string);
    format!(
        "the root certificates of the system cannot be loaded ({why}): install them (Debian: ca-certificates), or name \
         a file with sslrootcert"
    )
}

/// Whether others than the owner of a file may read it. A group may read a file of root, as libpq allows.
#[cfg(unix)]
fn is_open_to_others(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(file).is_ok_and(|found| {
        let others = if found.uid() == 0 { 0o037 } else { 0o077 };
        found.mode() & others != 0
    })
}

#[cfg(not(unix))]
fn is_open_to_others(_file: &Path) -> bool {
    false
}

fn certificates(path: &PathBuf) -> Result<Vec<CertificateDer<'static>>, String> {
    let unreadable = |error| format!("the certificate {} cannot be read: {error}", path.display());
    let found = CertificateDer::pem_file_iter(path)
        .map_err(unreadable)?
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    if found.is_empty() {
        return Err(format!(
            "the file {} has no certificate: it must have one or more in PEM, which begin with the line \
             -----BEGIN CERTIFICATE-----",
            path.display()
        ));
    }
    Ok(found)
}

/// Encrypts and checks nothing, as `sslmode=require` is defined.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        unless_of_version_1(verify_tls12_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        ))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        unless_of_version_1(verify_tls13_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        ))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Accepts the signature of a certificate of X.509 version 1, which rustls does not read: where any certificate is
/// accepted, its signature proves nothing.
fn unless_of_version_1(
    checked: Result<HandshakeSignatureValid, rustls::Error>,
) -> Result<HandshakeSignatureValid, rustls::Error> {
    match checked {
        Err(error) if advice::is_of_version_1(&error) => Ok(HandshakeSignatureValid::assertion()),
        other => other,
    }
}

/// Checks the authority and not the name, as `sslmode=verify-ca` is defined.
#[derive(Debug)]
struct AnyName(OwnRoot);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        // The name is checked last.
        match self.0.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_certificate_is_named_with_what_is_wrong() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("ca.crt");
        let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (content, says) in
            [("", "has no certificate"), ("garbage", "has no certificate"), (pem, "cannot be used")]
        {
            std::fs::write(&file, content).expect("the folder was just made");
            let (root, versions) = (Some(file.clone()), Versions::All);
            let said = Tls { mode: Mode::VerifyFull, root, client: None, versions }.connector().err();
            let said = said.expect("nothing can be trusted");
            assert!(said.contains(&*file.to_string_lossy()) && said.contains(says), "{content:?}: {said}");
        }
    }
}
