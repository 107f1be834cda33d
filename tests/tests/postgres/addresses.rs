//! What is read of libpq's places: the URL, service files, variables and password files, and what is said of a part
//! that cannot be met.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output, Stdio},
};

use anyhow::{Result, ensure};
use limbic_support::{
    free_port,
    postgres::{Cluster, PASSWORD},
};
use limbic_tests::stdio;
use tempfile::tempdir;

use super::{failure, limbic};

/// Lists the memories at an address, with variables.
fn list(address: &str, variables: &[(&str, &Path)]) -> Result<Output> {
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(["call", "memory_list", "{}", "--no-model", "--db", address]).env("HOME", "/nonexistent");
    Ok(limbic.envs(variables.iter().copied()).output()?)
}

/// What a refused call printed. Asserts that it does not contain the password.
fn refusal(output: &Output) -> Result<String> {
    Ok(String::from_utf8_lossy(&output.stdout).into_owned() + &failure(output)?)
}

fn require_answered(what: &str, output: &Output) -> Result<()> {
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{what}: {said}");
    Ok(())
}

#[test]
fn what_cannot_be_met_is_refused_wherever_it_is_written() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (folder, address) = (tempdir()?, cluster.address("places"));
    let file = folder.path().join("services");
    for (key, variable, value, says) in [
        ("channel_binding", "PGCHANNELBINDING", "require", "verify-full"),
        ("channel_binding", "PGCHANNELBINDING", "bogus", "must be disable, prefer or require"),
        ("gssencmode", "PGGSSENCMODE", "require", "TLS alone"),
        ("require_auth", "PGREQUIREAUTH", "scram-sha-256", "not supported"),
        ("requirepeer", "PGREQUIREPEER", "postgres", "not supported"),
        ("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION", "bogus", "must be TLSv1, "),
        ("sslcertmode", "PGSSLCERTMODE", "require", "not supported"),
        ("sslcrl", "PGSSLCRL", "/revoked", "were revoked"),
        ("sslcrldir", "PGSSLCRLDIR", "/revoked", "were revoked"),
        ("sslmode", "PGSSLMODE", "bogus", "sslmode must be"),
        ("target_session_attrs", "PGTARGETSESSIONATTRS", "bogus", "must be any, "),
    ] {
        fs::write(&file, format!("[team]\n{key}={value}\n"))?;
        for (called, place) in [
            (list(&format!("{address}&{key}={value}"), &[])?, "from the address".to_owned()),
            (list(&address, &[(variable, Path::new(value))])?, format!("from the variable {variable}")),
            (
                list(&(address.clone() + "&service=team"), &[("PGSERVICEFILE", &file)])?,
                format!("from line 2 of {}", file.display()),
            ),
        ] {
            let said = refusal(&called)?;
            ensure!(said.contains(key) && said.contains(says), "{key}: {says:?} is not in {said}");
            ensure!(key == "sslmode" || said.contains(&place), "{key}: {place:?} is not in {said}");
        }
    }
    for harmless in
        ["client_encoding=LATIN1", "gssencmode=prefer", "ssl_min_protocol_version=TLSv1.1", "sslcrl="]
    {
        fs::write(&file, format!("[team]\n{harmless}\n"))?;
        require_answered(harmless, &list(&format!("{address}&{harmless}"), &[])?)?;
        let from_service = list(&(address.clone() + "&service=team"), &[("PGSERVICEFILE", &file)])?;
        require_answered(harmless, &from_service)?;
    }
    // TLS must not fall away because of a slip.
    for (line, says) in [
        ("sslmod=verify-full", "\"sslmod\" (from line 3"),
        ("garbage", "line 3 is not of the form key=value"),
        ("service=other", "\"service\" (from line 3"),
    ] {
        fs::write(&file, format!("# of ours\n[team]\n{line}\n[garbage\n"))?;
        let said = refusal(&list(&(address.clone() + "&service=team"), &[("PGSERVICEFILE", &file)])?)?;
        ensure!(said.contains(says) && said.contains(&*file.to_string_lossy()), "{line}: {said}");
    }
    let missing = folder.path().join("missing");
    let said = refusal(&list(&(address.clone() + "&service=team"), &[("PGSERVICEFILE", &missing)])?)?;
    ensure!(said.contains("missing cannot be read"), "{said}");
    let said = refusal(&list(&address, &[("PGREQUIRESSL", Path::new("1"))])?)?;
    ensure!(said.contains("does not support TLS"), "{said}");
    let said = refusal(&list(&address.replace("/postgres?", "/d%00b?"), &[])?)?;
    ensure!(said.contains("%00") && !said.contains("Internal error"), "{said}");
    Ok(())
}

#[test]
fn a_password_file_may_have_lines_in_any_encoding() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let folder = tempdir()?;
    let file = folder.path().join("passwords");
    let ours = format!("127.0.0.1:*:*:limbic:{PASSWORD}\n");
    fs::write(&file, [b"# J\xfcrgen's\nother:*:*:*:\xe9t\xe9\n", ours.as_bytes()].concat())?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
    let address = cluster.address("latin").replace(&format!(":{PASSWORD}"), "");
    require_answered("the line is found", &list(&address, &[("PGPASSFILE", &file)])?)
}

#[test]
fn each_host_that_cannot_be_used_is_named_with_its_own_cause() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let away = free_port()?;
    let (here, there) = (format!("127.0.0.1:{}", cluster.port()), format!("127.0.0.1:{away}"));
    for hosts in [format!("{here},{there}"), format!("{there},{here}")] {
        let missing = format!("postgres://limbic:{PASSWORD}@{hosts}/nowhere?connect_timeout=1");
        let said = refusal(&list(&missing, &[])?)?;
        ensure!(
            said.contains(&format!("{here} reported: database \\\"nowhere\\\" does not exist")),
            "{said}"
        );
        ensure!(said.contains(&format!("{there} does not answer")), "{said}");
        ensure!(said.contains(&format!("postgres://limbic@{hosts}/nowhere?memory=memory")), "{said}");
    }
    // What all refuse for good is not repeated for ten minutes.
    let named = format!("localhost:{}", cluster.port());
    let missing = format!("postgres://limbic:{PASSWORD}@{here},{named}/nowhere?connect_timeout=600");
    let said = refusal(&list(&missing, &[])?)?;
    ensure!(
        said.contains(&format!("{here} reported")) && said.contains(&format!("{named} reported")),
        "{said}"
    );
    Ok(())
}

#[test]
fn a_socket_of_this_machine_has_no_tls_whatever_the_mode_is() -> Result<()> {
    let Some(cluster) = Cluster::start()? else { return Ok(()) };
    let folder = cluster.folder().display().to_string();
    cluster.sql("postgres", &format!("ALTER SYSTEM SET unix_socket_directories = '{folder}'"))?;
    cluster.crash()?;
    cluster.resume()?;
    let host = folder.replace('/', "%2F");
    let address = format!("postgres://limbic:{PASSWORD}@{host}:{}/postgres?memory=socket", cluster.port());
    for mode in ["disable", "require", "verify-ca", "verify-full"] {
        let called = list(&format!("{address}&sslmode={mode}&sslrootcert=/missing"), &[])?;
        require_answered(mode, &called)?;
    }
    let said = refusal(&list(&address.replace("/postgres?", "/nowhere?"), &[])?)?;
    ensure!(
        said.contains(&format!("postgres://limbic@{host}:{}/nowhere?memory=socket", cluster.port())),
        "{said}"
    );
    Ok(())
}

#[test]
fn servers_are_chosen_as_libpq_does() -> Result<()> {
    let Some(primary) = Cluster::start()? else { return Ok(()) };
    let both_wait = primary.address("chosen");
    require_answered("the memory is made", &list(&both_wait, &[])?)?;
    let standby = primary.standby()?;
    primary.wait_for_standby()?;
    let called = list(&both_wait, &[])?;
    require_answered("the standby has it", &called)?;
    let ports =
        |first: &Cluster, second: &Cluster| first.address_with(second, "chosen") + "&connect_timeout=1";
    let read_only = |address: &str, wish: &str| -> Result<Output> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        limbic.args(["call", "memory_list", "{}", "--no-model", "--read-only"]).env("HOME", "/nonexistent");
        Ok(limbic.args(["--db", &format!("{address}&target_session_attrs={wish}")]).output()?)
    };
    for (wish, writes) in [("primary", true), ("read-write", true), ("standby", false), ("read-only", false)]
    {
        let both = ports(&standby, &primary);
        let called = list(&format!("{both}&target_session_attrs={wish}"), &[])?;
        if writes {
            require_answered(wish, &called)?;
        }
        require_answered(wish, &read_only(&both, wish)?)?;
        let alone = if writes { &standby } else { &primary };
        let alone =
            list(&format!("{}&connect_timeout=1&target_session_attrs={wish}", alone.address("chosen")), &[])?;
        let said = refusal(&alone)?;
        let says = match wish {
            "primary" => "is a standby",
            "standby" => "is no standby",
            "read-only" => "allows writes",
            _ => "allows writes. It is a standby",
        };
        ensure!(said.contains(says), "{wish}: {says:?} is not in {said}");
    }
    for wish in ["prefer-standby", "any"] {
        require_answered(wish, &read_only(&ports(&primary, &standby), wish)?)?;
        require_answered(
            wish,
            &list(&format!("{}&target_session_attrs={wish}", primary.address("chosen")), &[])?,
        )?;
    }
    Ok(())
}

#[test]
fn a_server_warns_of_a_password_that_the_list_of_processes_shows() -> Result<()> {
    let address = format!("postgres://limbic:{PASSWORD}@127.0.0.1:1/team");
    let said = |arguments: &[&str], variables: &[(&str, &str)]| -> Result<String> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        limbic.args(["serve", "--no-model"]).args(arguments).env("HOME", "/nonexistent").stdin(Stdio::null());
        Ok(String::from_utf8(limbic.envs(variables.iter().copied()).output()?.stderr)?)
    };
    let warned = said(&["--db", &address], &[])?;
    ensure!(warned.contains("list of processes") && warned.contains("PGPASSWORD"), "{warned}");
    let without = address.replace(&format!(":{PASSWORD}"), "");
    for (arguments, variables) in
        [(&[][..], &[("LIMBIC_DB", &*address)][..]), (&["--db", &without], &[("PGPASSWORD", PASSWORD)])]
    {
        let said = said(arguments, variables)?;
        ensure!(!said.contains("list of processes"), "{said}");
    }
    ensure!(!warned.contains(PASSWORD), "{warned}");
    Ok(())
}

#[test]
fn every_command_warns_of_a_password_once() -> Result<()> {
    let address = format!("postgres://limbic:{PASSWORD}@127.0.0.1:1/team?connect_timeout=1");
    for command in [
        "call memory_list",
        "check",
        "compact",
        "export --out -",
        "inbox",
        "key encrypt",
        "pages list",
        "pages drop team",
        "pages export /nonexistent/copy.db",
        "token list",
        "tools",
        "unlock",
    ] {
        let said = String::from_utf8(limbic(command, &address, &[])?.stderr)?;
        ensure!(said.matches("--db has a password").count() == 1, "{command}: {said}");
        ensure!(!said.contains(PASSWORD), "{command}: {said}");
    }
    Ok(())
}

#[test]
fn the_files_of_the_user_are_those_of_the_home_folder_and_never_of_the_working_directory() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let folder = tempdir()?;
    let line = format!("127.0.0.1:*:*:limbic:{PASSWORD}\n");
    for (name, content) in
        [(".pgpass", &*line), (".pg_service.conf", "[of-this-folder]\nhost=127.0.0.1\nuser=limbic\n")]
    {
        fs::write(folder.path().join(name), content)?;
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o600))?;
    }
    let address = cluster.address("of-nobody").replace(&format!(":{PASSWORD}"), "");
    let output = |address: &str, home: Option<&Path>| -> Result<Output> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        limbic.args(["call", "memory_list", "{}", "--no-model", "--db", address]);
        limbic.env_remove("HOME").current_dir(folder.path());
        Ok(limbic.envs(home.map(|home| ("HOME", home))).output()?)
    };
    let by_service = "postgres:///postgres?memory=of-nobody&service=of-this-folder";
    // Without HOME, it is the folder that the system has for the user.
    let own = Command::new("sh").args(["-c", "unset HOME; eval echo ~$(id -un)"]).output()?.stdout;
    let own = String::from_utf8(own)?.trim().to_owned();
    for home in [None, Some(Path::new(""))] {
        let said = refusal(&output(&address, home)?)?;
        ensure!(said.contains("set PGPASSWORD"), "{home:?}: {said}");
        let said = refusal(&output(by_service, home)?)?;
        let looked_for = format!("looked for in {own}/.pg_service.conf and /etc/postgresql-common/");
        ensure!(said.contains("no service file defines the service"), "{home:?}: {said}");
        ensure!(home.is_some() || said.contains(&looked_for), "{looked_for:?} is not in {said}");
    }
    require_answered("a home folder", &output(&address, Some(folder.path()))?)
}

#[test]
fn an_address_without_a_user_is_that_of_the_system_s() -> Result<()> {
    let name = Command::new("id").arg("-un").output()?.stdout;
    let name = String::from_utf8(name)?.trim().to_owned();
    let mut limbic = Command::new(stdio::limbic_binary()?);
    let address = format!("postgres://127.0.0.1:{}/team?connect_timeout=1", free_port()?);
    limbic.args(["call", "memory_list", "{}", "--no-model", "--db", &address]);
    for variable in ["USER", "USERNAME", "LOGNAME", "PGUSER"] {
        limbic.env_remove(variable);
    }
    let said = refusal(&limbic.output()?)?;
    ensure!(said.contains(&format!("postgres://{name}@127.0.0.1")), "{said}");
    Ok(())
}
