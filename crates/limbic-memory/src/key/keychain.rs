//! The keychain of the system, through its own programs: `security` on macOS, `secret-tool` elsewhere. Keys are passed
//! on standard input and output only, because others can see the arguments of a program.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use limbic_core::{Error, Result};

use super::variables;

const SERVICE: &str = "limbic-memory";

/// The exit code of `security` if there is no such item.
const NO_ITEM: i32 = 44;

/// Returns the secret of an account; `None` if there is none, or there is no keychain.
pub fn find(account: &str) -> Result<Option<String>> {
    let is_mac = cfg!(target_os = "macos");
    let mut command = program();
    if is_mac {
        command.args(["find-generic-password", "-s", SERVICE, "-a", account, "-w"]);
    } else {
        command.args(["lookup", "service", SERVICE, "database", account]);
    }
    let output = match command.stdin(Stdio::null()).output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| failed(&error.to_string()))?,
    };
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match output.status.code() {
        Some(0) => Ok(Some(text).filter(|text| !text.is_empty())),
        Some(NO_ITEM) if is_mac => Ok(None),
        // secret-tool says nothing if there is no such item.
        Some(1) if !is_mac && complaint.is_empty() => Ok(None),
        _ if complaint.is_empty() => Err(failed(&output.status.to_string())),
        _ => Err(failed(&complaint)),
    }
}

/// Whether there is a keychain. It may be locked.
pub fn exists() -> bool {
    let ran = program().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    !ran.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Stores the secret of an account, in place of an earlier one, and reads it back.
pub fn store(account: &str, secret: &str) -> Result<()> {
    let is_mac = cfg!(target_os = "macos");
    let mut command = program();
    let input = if is_mac {
        if account.contains(['"', '\\', '\n']) {
            return Err(Error::invalid(
                "the path of the database contains characters that the keychain does not take",
            ));
        }
        command.arg("-i");
        format!("add-generic-password -U -s {SERVICE} -a \"{account}\" -w {secret}\n")
    } else {
        let label = format!("--label=Limbic: {account}");
        command.args(["store", &label, "service", SERVICE, "database", account]);
        secret.to_owned()
    };
    let started = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = match started {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing()),
        other => other.map_err(|error| failed(&error.to_string()))?,
    };
    let mut pipe = child.stdin.take().expect("it was piped above");
    let written = pipe.write_all(input.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().map_err(|error| failed(&error.to_string()))?;
    if written.is_err() || !output.status.success() || find(account)?.as_deref() != Some(secret) {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(())
}

/// Removes the secret of an account, if there is one.
pub fn forget(account: &str) {
    let mut command = program();
    if cfg!(target_os = "macos") {
        command.args(["delete-generic-password", "-s", SERVICE, "-a", account]);
    } else {
        command.args(["clear", "service", SERVICE, "database", account]);
    }
    let _ = command.stdin(Stdio::null()).output();
}

/// The command that removes the secret of an account, for a person.
pub fn removal(account: &str) -> String {
    match cfg!(target_os = "macos") {
        true => format!("security delete-generic-password -s {SERVICE} -a '{account}'"),
        false => format!("secret-tool clear service {SERVICE} database '{account}'"),
    }
}

/// The program of the keychain, which does not inherit the secrets in the environment.
fn program() -> Command {
    let mut command = Command::new(if cfg!(target_os = "macos") { "security" } else { "secret-tool" });
    variables::remove_secrets(&mut command);
    command
}

fn missing() -> Error {
    Error::invalid(
        "there is no keychain (macOS: security; elsewhere secret-tool of libsecret): name a file for the key with \
         LIMBIC_KEY_FILE",
    )
}

fn failed(reason: &str) -> Error {
    Error::invalid(format!(
        "the keychain cannot be used ({reason}): unlock it, or name a file for the key with LIMBIC_KEY_FILE"
    ))
}
