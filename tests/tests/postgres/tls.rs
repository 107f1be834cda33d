//! Connections with TLS: what is checked, certificates of clients, and the roots of the system.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use anyhow::{Result, ensure};
use limbic_support::postgres::{Cluster, PASSWORD};
use limbic_tests::stdio;
use tempfile::{TempDir, tempdir};

use super::{failure, limbic};

/// Creates a certificate authority, `ca.crt`, with certificates for the server `localhost` and for a client, and one of
/// the same names that is unknown. Returns false without openssl.
fn make_certificates(folder: &Path) -> Result<bool> {
    let script = "set -e
        new='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
        printf 'subjectAltName=DNS:localhost\\nbasicConstraints=CA:FALSE\\n' > names
        printf 'basicConstraints=CA:FALSE\\n' > client
        openssl req -x509 $new -keyout ca.key -out ca.crt -subj /CN=ca
        openssl req $new -keyout server.key -out server.csr -subj /CN=localhost
        openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -extfile names
        openssl req $new -keyout ada.key -out ada.csr -subj /CN=ada
        openssl x509 -req -in ada.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out ada.crt -extfile client
        openssl req -x509 $new -keyout other.key -out other.crt -subj /CN=other
        openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out old.crt
        printf 'subjectAltName=DNS:localhost\\n1.2.3.4=critical,ASN1:UTF8String:x\\n' > unread
        openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out unread.crt -extfile unread
        openssl req -x509 $new -keyout self.key -out self.crt -subj /CN=localhost -addext subjectAltName=DNS:localhost
        chmod 600 ada.key other.key";
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("skipped: openssl is not installed");
        return Ok(false);
    }
    let made = Command::new("sh").args(["-c", script]).current_dir(folder).output()?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Ok(true)
}

/// A server that offers TLS, and the folder of the certificates. `None` where PostgreSQL or openssl is missing.
fn server_with_tls() -> Result<Option<(Cluster, TempDir)>> {
    let folder = tempdir()?;
    let Some(cluster) = Cluster::start()? else { return Ok(None) };
    if !make_certificates(folder.path())? {
        return Ok(None);
    }
    let file = |name: &str| folder.path().join(name);
    cluster.offer_tls(&file("server.crt"), &file("server.key"), &file("ca.crt"))?;
    Ok(Some((cluster, folder)))
}

/// The parameter of an address that names a file.
fn parameter(name: &str, file: &Path) -> String {
    format!("&{name}={}", file.display())
}

fn list(address: &str) -> Result<Output> {
    limbic("call memory_list --no-model", address, &["{}"])
}

/// What a call printed.
fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Checks that a call is answered, or why it is not.
fn expect(what: &str, called: &Output, refusal: Option<&str>) -> Result<()> {
    let said = text(called);
    match refusal {
        None => ensure!(called.status.success(), "{what}: {said}"),
        Some(says) => {
            failure(called)?;
            ensure!(said.contains(says), "{what}: {says:?} is not in {said}");
        }
    }
    Ok(())
}

#[test]
fn the_modes_of_tls_check_what_libpq_checks() -> Result<()> {
    let Some((cluster, folder)) = server_with_tls()? else { return Ok(()) };
    let root = |name: &str| parameter("sslrootcert", &folder.path().join(name));
    let (ours, other) = (root("ca.crt"), root("other.crt"));
    let (by_number, by_name) =
        (cluster.address("tls"), cluster.address("tls").replace("127.0.0.1", "localhost"));
    for (address, mode, root, refusal) in [
        (&by_number, "disable", "", None),
        (&by_number, "allow", "", None),
        (&by_number, "prefer", "", None),
        (&by_number, "require", "", None),
        (&by_number, "require", &*other, Some("UnknownIssuer")),
        (&by_number, "verify-ca", &*ours, None),
        (&by_number, "verify-ca", "", Some("name its file with sslrootcert")),
        (&by_name, "verify-ca", &*other, Some("UnknownIssuer")),
        (&by_number, "verify-full", &*ours, Some("not valid for name")),
        (&by_name, "verify-full", &*ours, None),
    ] {
        let called = list(&format!("{address}&sslmode={mode}{root}"))?;
        expect(mode, &called, refusal)?;
    }
    Ok(())
}

#[test]
fn certificates_as_openssl_makes_them_by_default_are_accepted_or_explained() -> Result<()> {
    let Some((cluster, folder)) = server_with_tls()? else { return Ok(()) };
    let file = |name: &str| folder.path().join(name);
    let by_name = cluster.address("tls").replace("127.0.0.1", "localhost");
    let list = |mode: &str, root: &str| {
        let root = if root.is_empty() { String::new() } else { parameter("sslrootcert", &file(root)) };
        list(&format!("{by_name}&sslmode={mode}{root}"))
    };
    // Of X.509 version 1.
    cluster.offer_tls(&file("old.crt"), &file("server.key"), &file("ca.crt"))?;
    for mode in ["prefer", "require"] {
        expect(mode, &list(mode, "")?, None)?;
    }
    expect("version 1", &list("verify-full", "ca.crt")?, Some("make it with -extfile"))?;
    // Self-signed, and its own root.
    cluster.offer_tls(&file("self.crt"), &file("self.key"), &file("ca.crt"))?;
    for mode in ["verify-ca", "verify-full"] {
        expect(mode, &list(mode, "self.crt")?, None)?;
    }
    expect("another root", &list("verify-full", "other.crt")?, Some("sslrootcert"))?;
    let by_number =
        cluster.address("tls") + "&sslmode=verify-full" + &parameter("sslrootcert", &file("self.crt"));
    expect("another name", &super::tls::list(&by_number)?, Some("subjectAltName"))
}

#[test]
fn certificates_that_cannot_be_read_are_refused_wherever_they_are_checked() -> Result<()> {
    let Some((cluster, folder)) = server_with_tls()? else { return Ok(()) };
    let file = |name: &str| folder.path().join(name);
    let by_name = cluster.address("tls").replace("127.0.0.1", "localhost");
    let root = parameter("sslrootcert", &file("ca.crt"));
    // Of version 1, and with an extension that is unknown and critical. The authority has signed both.
    for (certificate, says) in
        [("old.crt", "UnsupportedCertVersion"), ("unread.crt", "UnsupportedCriticalExtension")]
    {
        cluster.offer_tls(&file(certificate), &file("server.key"), &file("ca.crt"))?;
        for mode in ["require", "verify-ca", "verify-full"] {
            let called = list(&format!("{by_name}&sslmode={mode}{root}"))?;
            expect(&format!("{certificate} {mode}"), &called, Some(says))?;
        }
    }
    Ok(())
}

#[test]
fn the_roots_of_the_system_are_trusted_for_the_name_of_the_host_alone() -> Result<()> {
    let Some((cluster, folder)) = server_with_tls()? else { return Ok(()) };
    let (by_number, by_name) =
        (cluster.address("system"), cluster.address("system").replace("127.0.0.1", "localhost"));
    // The variable replaces the system's file.
    let call = |address: &str, roots: &str, variables: &[(&str, &str)]| -> Result<Output> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        limbic.args(["call", "memory_list", "{}", "--no-model", "--db", address]).env("HOME", "/nonexistent");
        limbic.env("SSL_CERT_FILE", folder.path().join(roots)).env_remove("SSL_CERT_DIR");
        Ok(limbic.envs(variables.iter().copied()).output()?)
    };
    for (address, more, roots, refusal) in [
        (&by_name, "&sslrootcert=system", "ca.crt", None),
        (&by_name, "&sslrootcert=system&sslmode=verify-full", "ca.crt", None),
        (&by_name, "&sslrootcert=system", "other.crt", Some("UnknownIssuer")),
        (&by_number, "&sslrootcert=system", "ca.crt", Some("not valid for name")),
        (&by_name, "&sslrootcert=system&sslmode=require", "ca.crt", Some("sslmode=require may not be used")),
        (&by_name, "&sslrootcert=system&sslmode=disable", "ca.crt", Some("sslmode=disable may not be used")),
        (&by_name, "&sslrootcert=system", "missing.crt", Some("the system cannot be loaded")),
    ] {
        expect(more, &call(&format!("{address}{more}"), roots, &[])?, refusal)?;
    }
    let (system, weak) = (("PGSSLROOTCERT", "system"), ("PGSSLMODE", "prefer"));
    expect("PGSSLROOTCERT", &call(&by_name, "other.crt", &[system])?, Some("UnknownIssuer"))?;
    expect("PGSSLMODE", &call(&by_name, "ca.crt", &[system, weak])?, Some("sslmode=prefer may not be used"))
}

#[test]
fn a_server_that_demands_a_certificate_gets_that_of_the_address() -> Result<()> {
    let Some((cluster, folder)) = server_with_tls()? else { return Ok(()) };
    for role in ["ada", "grace"] {
        cluster.sql("postgres", &format!("CREATE ROLE {role} LOGIN SUPERUSER PASSWORD '{PASSWORD}'"))?;
    }
    // One needs a certificate in place of the password, the other one both.
    cluster.add_rules(
        "hostssl all ada all cert\nhostssl all grace all scram-sha-256 clientcert=verify-ca\nhost all ada,grace all reject",
    )?;
    let file = |name: &str| folder.path().join(name);
    let with = |name: &str| {
        parameter("sslcert", &file(&format!("{name}.crt")))
            + &parameter("sslkey", &file(&format!("{name}.key")))
    };
    let address = |role: &str, more: &str| {
        cluster.address_of(role, PASSWORD, "postgres", "certified") + "&sslmode=require" + more
    };
    expect("a certificate", &list(&address("ada", &with("ada")))?, None)?;
    expect("both", &list(&address("grace", &with("ada")))?, None)?;
    expect("no certificate", &list(&address("ada", ""))?, Some("valid client certificate"))?;
    expect("the password alone", &list(&address("grace", ""))?, Some("valid client certificate"))?;
    // The server reports this in TLS, and may close the connection before that is read.
    failure(&list(&address("ada", &(with("other") + "&connect_timeout=1")))?)?;
    let alone = parameter("sslcert", &file("ada.crt"));
    expect("no key", &list(&address("ada", &alone))?, Some("has no key"))?;
    let missing = alone + &parameter("sslkey", &file("missing.key"));
    expect("a missing key", &list(&address("ada", &missing))?, Some("cannot be read"))?;
    fs::set_permissions(file("ada.key"), fs::Permissions::from_mode(0o644))?;
    expect("an open key", &list(&address("ada", &with("ada")))?, Some("chmod 600"))
}

#[test]
fn allow_and_prefer_connect_the_other_way_where_the_server_refuses_the_first_one() -> Result<()> {
    let Some((cluster, _folder)) = server_with_tls()? else { return Ok(()) };
    for role in ["plain", "encrypted"] {
        cluster.sql("postgres", &format!("CREATE ROLE {role} LOGIN SUPERUSER PASSWORD '{PASSWORD}'"))?;
    }
    cluster.add_rules("hostssl all plain all reject\nhostnossl all encrypted all reject")?;
    for (role, mode, is_accepted) in [
        ("plain", "disable", true),
        ("plain", "allow", true),
        ("plain", "prefer", true),
        ("plain", "require", false),
        ("encrypted", "disable", false),
        ("encrypted", "allow", true),
        ("encrypted", "prefer", true),
        ("encrypted", "require", true),
    ] {
        let address = cluster.address_of(role, PASSWORD, "postgres", "either") + "&sslmode=" + mode;
        let refusal = (!is_accepted).then_some("pg_hba.conf");
        expect(&format!("{role} {mode}"), &list(&address)?, refusal)?;
    }
    // What the modes try first.
    cluster.sql("postgres", "ALTER SYSTEM SET log_connections = on")?;
    cluster.reload()?;
    for (mode, has_tls) in [("allow", false), ("prefer", true)] {
        let before = cluster.log()?.len();
        expect(mode, &list(&(cluster.address("either") + "&sslmode=" + mode))?, None)?;
        let log = cluster.log()?.split_off(before);
        ensure!(log.contains("application_name=limbic"), "{log}");
        ensure!(log.contains("application_name=limbic SSL enabled") == has_tls, "{mode}: {log}");
    }
    Ok(())
}
