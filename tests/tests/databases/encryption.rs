//! Encrypted databases of both programs: their keys, and what is left when something fails.

use std::{fs, process::Command};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_tests::{
    BackEnd,
    memory::{Native, connect},
    stdio::{Program, Server},
};

use super::vault::{SECRET, Vault, outcome};
use limbic_tools::{Limbic, Options};
use tempfile::tempdir;

/// A user and group that a test that runs as root gives a file to.
#[cfg(unix)]
const OTHER_USER: u32 = 12_345;

/// The user, the group and the mode of a file.
#[cfg(unix)]
fn owner_of(path: &std::path::Path) -> Result<(u32, u32, u32)> {
    use std::os::unix::fs::MetadataExt;

    let found = fs::metadata(path)?;
    Ok((found.uid(), found.gid(), found.mode()))
}

#[cfg(not(unix))]
fn owner_of(_: &std::path::Path) -> Result<()> {
    Ok(())
}

/// One program encrypts, the other one rotates the key; both read, and a server that has no key notices it.
fn is_encrypted_by(program: Program, other: Program) -> Result<()> {
    let vault = Vault { folder: tempdir()? };
    let create = format!(r#"{{"entities": [{{"name": "{SECRET}", "observations": ["a fact"]}}]}}"#);
    let mut server = Server::alone(program, &vault.db())?;
    ensure!(!server.call("create_entities", &create)?.0);
    ensure!(vault.traces(SECRET)? > 0 && vault.traces("SQLite format")? > 0);
    // What a writer that was killed leaves behind the cleared header of its journal.
    let journal = vault.folder.path().join("memory.db-journal");
    let mut left = fs::read(&journal)?;
    left.extend(SECRET.as_bytes());
    fs::write(&journal, left)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, chown};
        fs::set_permissions(vault.db(), fs::Permissions::from_mode(0o640))?;
        // Only root may.
        let _ = chown(vault.db(), Some(OTHER_USER), Some(OTHER_USER));
    }
    let owner = || owner_of(&vault.db());
    let before = owner()?;
    let (code, phrase, stderr) = vault.key(program, "encrypt")?;
    ensure!(code == Some(0) && phrase.len() == 69 && stderr.contains("overwrote the original"), "{stderr}");
    ensure!(owner()? == before, "{:?} instead of {before:?}", owner()?);
    let (_, first) = server.call("read_graph", "{}")?;
    let (_, answer) =
        if first.contains("database_moved") { server.call("read_graph", "{}")? } else { (true, first) };
    ensure!(
        answer.contains(r#""code":"encrypted_database""#) && answer.contains("LIMBIC_KEY_FILE"),
        "{answer}"
    );
    server.stop()?;
    ensure!(vault.traces(SECRET)? + vault.traces("SQLite format")? == 0);
    ensure!(!vault.folder.path().join("memory.db-encrypting").exists());

    let key_file = vault.key_file().to_string_lossy().into_owned();
    for reader in [program, other] {
        let (is_error, graph) = vault.graph(reader, ("LIMBIC_KEY_FILE", &key_file))?;
        ensure!(!is_error && graph.contains(SECRET), "{graph}");
        let before = fs::read(vault.db())?;
        let (_, refused) = vault.graph(reader, ("LIMBIC_KEY", &"00".repeat(32)))?;
        ensure!(refused.contains(r#""code":"wrong_key""#), "{refused}");
        let (_, refused) = vault.graph(reader, ("LIMBIC_KEY", "my dog"))?;
        ensure!(refused.contains("recovery phrase") && !refused.contains("my dog"), "{refused}");
        ensure!(fs::read(vault.db())? == before, "a wrong key changed the file");
    }

    let (code, new_phrase, stderr) = vault.key(other, "rotate")?;
    ensure!(code == Some(0) && new_phrase != phrase && stderr.contains("key.old"), "{stderr}");
    ensure!(vault.kept("") == new_phrase && vault.kept(".old") == phrase && vault.kept(".new").is_empty());
    let (_, refused) = vault.graph(program, ("LIMBIC_KEY", &phrase))?;
    ensure!(refused.contains(r#""code":"wrong_key""#), "{refused}");
    for variable in [("LIMBIC_KEY", new_phrase.as_str()), ("LIMBIC_KEY_FILE", &key_file)] {
        let (is_error, graph) = vault.graph(program, variable)?;
        ensure!(!is_error && graph.contains(SECRET), "{graph}");
    }
    ensure!(vault.key(program, "export")?.1 == new_phrase);
    let (code, _, stderr) = vault.key(program, "encrypt")?;
    ensure!(code == Some(2) && stderr.contains("already encrypted"), "{stderr}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        ensure!(fs::metadata(vault.key_file())?.permissions().mode() & 0o777 == 0o600);
        fs::set_permissions(vault.key_file(), fs::Permissions::from_mode(0o644))?;
        let (_, refused) = vault.graph(other, ("LIMBIC_KEY_FILE", &key_file))?;
        ensure!(refused.contains("chmod 600"), "{refused}");
    }
    Ok(())
}

#[test]
fn a_database_that_native_encrypts_is_read_by_both_programs_with_the_key_only() -> Result<()> {
    is_encrypted_by(Program::Native, Program::Node)
}

#[test]
fn a_database_that_node_encrypts_is_read_by_both_programs_with_the_key_only() -> Result<()> {
    is_encrypted_by(Program::Node, Program::Native)
}

/// Where a rotation may have been interrupted, another run continues it, and no key is overwritten.
fn continues_a_rotation(program: Program) -> Result<()> {
    let vault = Vault { folder: tempdir()? };
    let (_, first, stderr) = vault.key(program, "encrypt")?;
    ensure!(stderr.contains("created"), "{stderr}");
    // Before the database had the next key, or another database has it that shares the key file.
    let next = limbic_encryption::recovery_phrase(&limbic_vfs::Key::new([3; 32]));
    vault.keep(".new", &next)?;
    let (code, second, stderr) = vault.key(program, "rotate")?;
    ensure!(code == Some(0) && second == next, "{stderr}");
    ensure!(vault.kept("") == next && vault.kept(".old") == first);

    // After it had it.
    let (_, third, stderr) = vault.key(program, "rotate")?;
    ensure!(vault.kept(".old.2") == second, "{stderr}");
    vault.keep(".new", &third)?;
    vault.keep("", &second)?;
    let (code, exported, stderr) = vault.key(program, "export")?;
    ensure!(code == Some(0) && exported == third && stderr.contains("interrupted"), "{stderr}");
    let (code, finished, stderr) = vault.key(program, "rotate")?;
    ensure!(code == Some(0) && finished == third, "{stderr}");
    ensure!(vault.kept("") == third && vault.kept(".new").is_empty() && vault.kept(".old") == first);

    // A key that does not open the database is neither exported nor replaced.
    vault.keep("", &first)?;
    for action in ["export", "rotate"] {
        let (code, out, stderr) = vault.key(program, action)?;
        ensure!(code == Some(2) && out.is_empty() && stderr.contains("does not open"), "{action}: {stderr}");
        ensure!(vault.kept("") == first && vault.kept(".new").is_empty());
    }
    Ok(())
}

#[test]
fn an_interrupted_rotation_of_the_native_program_is_continued() -> Result<()> {
    continues_a_rotation(Program::Native)
}

#[test]
fn an_interrupted_rotation_of_node_is_continued() -> Result<()> {
    continues_a_rotation(Program::Node)
}

/// A rotation replaces the file to which a link leads, and keeps the former key beside that file.
#[cfg(unix)]
fn rotates_a_linked_key_file(program: Program) -> Result<()> {
    let vault = Vault { folder: tempdir()? };
    let elsewhere = tempdir()?;
    let (_, first, _) = vault.key(program, "encrypt")?;
    let target = elsewhere.path().join("secret");
    fs::rename(vault.key_file(), &target)?;
    std::os::unix::fs::symlink(&target, vault.key_file())?;
    let (code, second, stderr) = vault.key(program, "rotate")?;
    ensure!(code == Some(0) && second != first, "{stderr}");
    ensure!(fs::read_link(vault.key_file())? == target, "the link was replaced");
    ensure!(fs::read_to_string(&target)?.trim() == second);
    ensure!(fs::read_to_string(elsewhere.path().join("secret.old"))?.trim() == first);
    ensure!(vault.kept(".new").is_empty() && vault.kept(".old").is_empty());
    Ok(())
}

#[cfg(unix)]
#[test]
fn the_native_program_rotates_a_linked_key_file() -> Result<()> {
    rotates_a_linked_key_file(Program::Native)
}

#[cfg(unix)]
#[test]
fn node_rotates_a_linked_key_file() -> Result<()> {
    rotates_a_linked_key_file(Program::Node)
}

/// An export replaces no key, no copy of an encrypted database, and no database whose writer holds it open.
fn spares_keys_and_copies(program: Program) -> Result<()> {
    let vault = Vault { folder: tempdir()? };
    #[cfg(target_os = "linux")]
    {
        Native::open(&vault.db())?;
        let other = Connection::open(vault.db())?;
        other.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        other.execute("INSERT INTO entities (name) VALUES ('before')", [])?;
        let (code, _, stderr) = vault.key(program, "encrypt")?;
        ensure!(code == Some(2) && stderr.contains("open in WAL mode"), "{stderr}");
        ensure!(vault.kept("").is_empty(), "a key was stored");
    }
    let (code, phrase, stderr) = vault.key(program, "encrypt")?;
    ensure!(code == Some(0), "{stderr}");
    vault.keep(".old", &phrase)?;
    fs::copy(vault.db(), vault.folder.path().join("copy.db"))?;
    for name in ["key", "key.new", "key.old", "copy.db"] {
        let out = vault.folder.path().join(name);
        let before = fs::read(&out).ok();
        let output = vault.command(program, &["export", "--force"])?.arg("--out").arg(&out).output()?;
        let (code, _, stderr) = outcome(&output)?;
        ensure!(code != Some(0) && stderr.contains("would be lost"), "{name}: {stderr}");
        ensure!(fs::read(&out).ok() == before, "{name} was changed");
    }
    Ok(())
}

#[test]
fn an_export_of_the_native_program_spares_keys_and_encrypted_copies() -> Result<()> {
    spares_keys_and_copies(Program::Native)
}

#[test]
fn an_export_of_node_spares_keys_and_encrypted_copies() -> Result<()> {
    spares_keys_and_copies(Program::Node)
}

/// A keychain that keeps its secrets in files, and writes down its arguments.
#[cfg(target_os = "linux")]
const SECRET_TOOL: &str = r#"#!/bin/sh
echo "$*" >> "$0.arguments"
for account; do :; done
file="$0.$(echo "$account" | cksum | cut -d' ' -f1)"
case "$1" in
store)
    case "$account" in
    next:*) ;;
    *) if [ -e "$0.locked" ]; then exit 1; fi ;;
    esac
    cat > "$file" ;;
lookup)
    cat "$file" 2>/dev/null
    if [ -e "$0.slow" ]; then sleep 0.3; fi ;;
clear) rm -f "$file" ;;
esac
"#;

/// Writes a program.
#[cfg(target_os = "linux")]
fn write_tool(path: &std::path::Path, script: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    fs::write(path, script)?;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}

#[cfg(target_os = "linux")]
#[test]
fn the_key_is_in_the_keychain_and_in_no_argument() -> Result<()> {
    let vault = Vault { folder: tempdir()? };
    let tools = tempdir()?;
    let tool = tools.path().join("secret-tool");
    write_tool(&tool, SECRET_TOOL)?;
    let path = format!("{}:{}", tools.path().display(), std::env::var("PATH")?);
    let command = |program: Program, action: &str| -> Result<Command> {
        let mut command = vault.command(program, &["key", action])?;
        command.env_remove("LIMBIC_KEY_FILE").env("PATH", &path);
        Ok(command)
    };
    let key = |program: Program, action: &str| -> Result<String> {
        let (code, phrase, stderr) = outcome(&command(program, action)?.output()?)?;
        ensure!(code == Some(0), "{stderr}");
        Ok(phrase)
    };
    // Two programs create the database at once: one chooses the key, and the other one finds it.
    fs::write(tools.path().join("secret-tool.slow"), "")?;
    let run = |program: Program| -> Result<std::process::Child> {
        let mut command = command(program, "encrypt")?;
        Ok(command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn()?)
    };
    let (one, other) = (run(Program::Native)?, run(Program::Native)?);
    let ends = [one.wait_with_output()?, other.wait_with_output()?];
    fs::remove_file(tools.path().join("secret-tool.slow"))?;
    ensure!(ends.iter().any(|end| end.status.success()), "{ends:?}");
    let shown = key(Program::Native, "export")?;
    for end in ends {
        let (code, phrase, stderr) = outcome(&end)?;
        ensure!(code == Some(0) && phrase == shown || stderr.contains("encrypted"), "{stderr}");
    }
    // The keychain refuses the new key when the database has it: it is shown, and the next run stores it.
    fs::write(tools.path().join("secret-tool.locked"), "")?;
    for program in [Program::Native, Program::Node] {
        let (code, phrase, stderr) = outcome(&command(program, "rotate")?.output()?)?;
        ensure!(code == Some(2) && phrase.len() == 69 && stderr.contains("next:"), "{stderr}");
        ensure!(key(program, "export")? == phrase);
    }
    fs::remove_file(tools.path().join("secret-tool.locked"))?;
    key(Program::Native, "rotate")?;
    for entry in fs::read_dir(tools.path())? {
        let path = entry?.path();
        if path != tool {
            fs::remove_file(path)?;
        }
    }
    for program in [Program::Native, Program::Node] {
        let (code, _, stderr) = outcome(&command(program, "export")?.output()?)?;
        ensure!(code == Some(2) && stderr.contains("its key is not in the keychain"), "{stderr}");
    }
    fs::remove_file(vault.db())?;

    let first = key(Program::Node, "encrypt")?;
    let create = r#"{"entities": [{"name": "Ada", "observations": ["a fact"]}]}"#;
    let mut server = Server::alone_with(Program::Native, &vault.db(), ("PATH", &path))?;
    ensure!(!server.call("create_entities", create)?.0);
    server.stop()?;
    ensure!(!fs::read(vault.db())?.starts_with(b"SQLite format"), "the new file is plain");
    let second = key(Program::Native, "rotate")?;
    ensure!(second != first && key(Program::Node, "export")? == second);
    // The former key stays beside it, for copies, and so do those before it.
    let third = key(Program::Node, "rotate")?;
    for (account, kept) in [("former:", &first), ("former:2:", &second)] {
        let account = format!("{account}{}", fs::canonicalize(vault.db())?.display());
        let found = Command::new(&tool)
            .args(["lookup", "service", "limbic-memory", "database", &account])
            .output()?;
        ensure!(outcome(&found)?.1 == *kept, "{account}");
    }
    let (is_error, graph) = vault.graph(Program::Node, ("PATH", &path))?;
    ensure!(!is_error && graph.contains("Ada"), "{graph}");
    let arguments = fs::read_to_string(tools.path().join("secret-tool.arguments"))?;
    ensure!(arguments.contains("store"));
    ensure!([first, second, third].iter().all(|key| !arguments.contains(key)));
    Ok(())
}

/// Every tool and file of a memory works on an encrypted file: compacting, exporting as a database, replacing it.
#[test]
fn an_encrypted_database_is_compacted_exported_and_replaced() -> Result<()> {
    let folder = tempdir()?;
    let key = limbic_vfs::Key::new([5; 32]);
    let open = |name: &str| -> Result<Limbic> {
        limbic_vfs::register_vec0();
        let access = limbic_vfs::Access { secret: Some(key.clone().into()), ..limbic_vfs::Access::default() };
        let path = folder.path().join(name);
        let connection = limbic_vfs::connect(path, OpenFlags::default(), limbic_vfs::StdHost, access)?;
        Ok(Limbic::open(connection, Box::new(limbic_tests::memory::NoHost), Options::default())?)
    };
    let graph = |memory: &mut Limbic| memory.call("read_graph", "{}", &[]).json;
    let mut memory = open("memory.db")?;
    let create = format!(r#"{{"entities": [{{"name": "Ada", "observations": ["{SECRET}"]}}]}}"#);
    ensure!(!memory.call("create_entities", &create, &[]).is_error);
    let before = graph(&mut memory);
    memory.compact()?;
    ensure!(graph(&mut memory) == before);
    let exported = memory.export()?;
    ensure!(exported.starts_with(b"SQLite format 3\0"), "an export is plain");

    // From plain files of both forms: with room at the end of each page, and without.
    let mut other = open("other.db")?;
    other.import(exported.as_slice(), exported.len(), limbic_core::db::wal::WalFile::Absent)?;
    ensure!(graph(&mut other) == before);
    let path = folder.path().join("plain.db");
    let mut plain =
        Limbic::open(connect(&path)?, Box::new(limbic_tests::memory::NoHost), Options::default())?;
    ensure!(!plain.call("create_entities", &create.replace("Ada", "Bob"), &[]).is_error);
    let bytes = plain.export()?;
    plain.close()?;
    other.import(bytes.as_slice(), bytes.len(), limbic_core::db::wal::WalFile::Absent)?;
    ensure!(graph(&mut other).contains("Bob") && !graph(&mut other).contains("Ada"));
    other.close()?;
    let mut other = open("other.db")?;
    ensure!(graph(&mut other).contains("Bob"));
    let raw = fs::read(folder.path().join("other.db"))?;
    ensure!(!raw.windows(SECRET.len()).any(|piece| piece == SECRET.as_bytes()));
    Ok(())
}

/// Whatever fails while a database is encrypted, it is afterwards what it was, or encrypted.
#[test]
fn an_encryption_that_fails_or_is_killed_loses_nothing() -> Result<()> {
    use limbic_vfs::simulator::{Fault, Machine, Process};

    let key = limbic_vfs::Key::new([6; 32]);
    let open = |process: Process, key: Option<limbic_vfs::Key>| -> Result<Limbic> {
        let access = limbic_vfs::Access { secret: key.map(Into::into), ..limbic_vfs::Access::default() };
        let connection = limbic_vfs::connect("/m.db", OpenFlags::default(), process, access)?;
        Ok(Limbic::open(connection, Box::new(limbic_tests::memory::NoHost), Options::default())?)
    };
    limbic_vfs::register_vec0();
    let create = format!(r#"{{"entities": [{{"name": "{SECRET}", "observations": ["a fact"]}}]}}"#);
    let filled = |seed: u64| -> Result<(Machine, Process)> {
        let machine = Machine::new(seed);
        let process = machine.process();
        let mut memory = open(process.clone(), None)?;
        ensure!(!memory.call("create_entities", &create, &[]).is_error);
        memory.close()?;
        Ok((machine, process))
    };
    let encrypt = |process: &Process, old: Option<&limbic_vfs::Key>, new: &limbic_vfs::Key| {
        let host = Box::new(limbic_tests::memory::NoHost);
        let old = old.cloned().map(Into::into);
        limbic_encryption::encrypt(process, host, "/m.db", old, &mut || Ok(new.clone().into()), false)
    };
    let other = limbic_vfs::Key::new([7; 32]);
    for (old, new) in [(None, &key), (Some(&key), &other)] {
        let prepared = |seed: u64| -> Result<(Machine, Process)> {
            let (machine, process) = filled(seed)?;
            if let Some(old) = old {
                encrypt(&process, None, old)?;
            }
            Ok((machine, process))
        };
        // Some calls of all, and more of the last ones, which replace and overwrite the original.
        let (machine, process) = prepared(1)?;
        let before = machine.calls();
        encrypt(&process, old, new)?;
        let calls = machine.calls() - before;
        let last = calls.saturating_sub(30)..calls;
        let places: Vec<u64> = (0..calls).step_by(97).chain(last.clone().step_by(5)).collect();
        // Every answer at the end may be lost, that of the renaming among them.
        let lost = last.map(|at| (Fault::LostAnswer, at));
        let (mut replaced, mut kept, mut unanswered) = (0, 0, 0);
        for (fault, at) in [Fault::DiskFull, Fault::Kill, Fault::PowerFailure]
            .into_iter()
            .flat_map(|fault| places.iter().map(move |at| (fault, *at)))
            .chain(lost)
        {
            let (machine, process) = prepared(at)?;
            machine.plan(at, fault);
            let done = encrypt(&process, old, new);
            let struck = machine.mend();
            machine.kill(&process);
            let process = machine.process();
            let is_replaced =
                limbic_encryption::opens(&process, "/m.db", &new.clone().into()).is_ok_and(|opens| opens);
            ensure!(is_replaced || done.is_err(), "{fault:?} at {at}: {done:?}");
            if fault == Fault::LostAnswer && struck {
                ensure!(is_replaced == done.is_ok(), "{fault:?} at {at}: {done:?}");
                unanswered += u32::from(is_replaced);
            }
            let mut memory = open(process, if is_replaced { Some(new) } else { old }.cloned())
                .with_context(|| format!("{fault:?} at {at}, replaced: {is_replaced}"))?;
            let graph = memory.call("read_graph", "{}", &[]).json;
            ensure!(graph.contains(SECRET), "{fault:?} at {at}: {graph}");
            memory.close()?;
            *(if is_replaced { &mut replaced } else { &mut kept }) += u32::from(struck);
        }
        ensure!(
            replaced > 0 && kept > 0 && unanswered > 0,
            "{replaced} replaced and {kept} kept in spite of a fault, {unanswered} without an answer"
        );
    }
    Ok(())
}

#[test]
fn a_database_whose_key_cannot_be_stored_is_not_created() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("new.db");
    let refused = || Err(limbic_core::Error::invalid("There is no keychain"));
    for is_there in [false, true] {
        if is_there {
            fs::write(&path, "")?;
        }
        let name = path.to_str().context("a name in Unicode")?;
        let host = Box::new(limbic_tests::memory::NoHost);
        let done =
            limbic_encryption::encrypt(&limbic_vfs::StdHost, host, name, None, &mut || refused(), true);
        ensure!(done.err().is_some_and(|error| error.to_string().contains("no keychain")));
        let left = limbic_tests::names(folder.path())?;
        let expected: &[&str] = if is_there { &["new.db"] } else { &[] };
        ensure!(left == expected, "a file was left, or one of someone else removed: {left:?}");
    }
    Ok(())
}

/// A failed command leaves no file that was not there.
fn leaves_no_file(program: Program) -> Result<()> {
    // Without a variable, the key is for a keychain that stores nothing.
    let tools = tempdir()?;
    #[cfg(target_os = "linux")]
    write_tool(&tools.path().join("secret-tool"), "#!/bin/sh\nexit 1\n")?;
    let path = format!("{}:{}", tools.path().display(), std::env::var("PATH")?);
    let causes = [
        ("LIMBIC_KEY", "my dog"),
        ("LIMBIC_KEY_FILE", "missing/key"),
        ("LIMBIC_PASSPHRASE", "short"),
        #[cfg(target_os = "linux")]
        ("PATH", &path),
    ];
    for (variable, value) in causes {
        for arguments in
            [&["key", "encrypt"][..], &["key", "rotate"], &["key", "export"], &["--encrypt", "--no-model"]]
        {
            let vault = Vault { folder: tempdir()? };
            let mut words = arguments.to_vec();
            if program == Program::Native && words[0] == "--encrypt" {
                words.insert(0, "serve");
            }
            let mut command = vault.command(program, &words)?;
            command.env_remove("LIMBIC_KEY_FILE").env(variable, value).current_dir(vault.folder.path());
            let (code, _, stderr) = outcome(&command.stdin(std::process::Stdio::null()).output()?)?;
            ensure!(code != Some(0), "{variable} {arguments:?}: {stderr}");
            let left = limbic_tests::names(vault.folder.path())?;
            ensure!(left.is_empty(), "{variable} {arguments:?} left {left:?}: {stderr}");
        }
    }
    Ok(())
}

#[test]
fn a_failed_key_command_of_the_native_program_leaves_no_file() -> Result<()> {
    leaves_no_file(Program::Native)
}

#[test]
fn a_failed_key_command_of_the_node_program_leaves_no_file() -> Result<()> {
    leaves_no_file(Program::Node)
}
