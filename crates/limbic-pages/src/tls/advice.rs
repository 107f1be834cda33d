//! What to do about a certificate that is refused.

use rustls::{CertificateError, Error};

/// Returns what to do about a server's certificate that was refused; `None` for other errors.
pub fn advice(refused: &Error) -> Option<&'static str> {
    let Error::InvalidCertificate(error) = refused else { return None };
    match error {
        CertificateError::UnknownIssuer => {
            Some("name the file of its authority with sslrootcert, which must hold the one that signed it")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => Some(
            "connect by a name of its subjectAltName (its CN does not count), or make it with the server's name there",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Some("renew it on the server"),
        _ if is_of_version_1(refused) => Some(
            "it is of X.509 version 1, as openssl x509 -req makes it without extensions: make it with -extfile and a \
             subjectAltName, or use sslmode=require, which checks none",
        ),
        _ if is_authority(refused) => Some(
            "it is that of an authority: name its file with sslrootcert, or make one that the authority signs",
        ),
        _ => None,
    }
}

/// Whether a certificate was refused because it is of X.509 version 1.
pub fn is_of_version_1(error: &Error) -> bool {
    is_named(error, "UnsupportedCertVersion")
}

/// Whether a certificate was refused because it is that of an authority. Its time was checked before.
pub fn is_authority(error: &Error) -> bool {
    is_named(error, "CaUsedAsEndEntity")
}

/// Whether this is the error of this name of webpki, whose type rustls hides.
fn is_named(error: &Error, name: &str) -> bool {
    matches!(error, Error::InvalidCertificate(CertificateError::Other(other)) if other.to_string() == name)
}
