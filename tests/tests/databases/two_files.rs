//! Conversions on hosts that cannot rename files, with a fault at every call in turn.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_encryption::{
    Unfinished,
    two_files::{self, Form, encrypted_path},
};
use limbic_vfs::{
    Access, Host, Key, Secret, VfsHost,
    simulator::{Fault, Hazards, Machine, Process},
};
use tempfile::tempdir;

use super::vault::SECRET;

const PATH: &str = "/m.db";
const ROWS: i64 = 60;

fn secret() -> Secret {
    Key::new([7; Key::BYTES]).into()
}

/// Opens the file of a form.
fn connect(host: impl Host + 'static, path: &str, form: Form) -> Result<Connection> {
    let (path, secret) = match form {
        Form::Plain => (path.to_owned(), None),
        Form::Encrypted => (encrypted_path(path), Some(secret())),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    Ok(limbic_vfs::connect(path, flags, host, Access { secret, ..Access::default() })?)
}

fn fill(connection: &Connection) -> Result<()> {
    connection
        .execute_batch("PRAGMA journal_mode = PERSIST; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")?;
    for id in 0..ROWS {
        connection.execute("INSERT INTO t VALUES (?1, ?2)", (id, SECRET.repeat(40)))?;
    }
    Ok(())
}

fn require_rows(connection: &Connection) -> Result<()> {
    let found: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    let rows: i64 =
        connection
            .query_row("SELECT count(*) FROM t WHERE text = ?1", [SECRET.repeat(40)], |row| row.get(0))?;
    ensure!(found == "ok" && rows == ROWS, "{found}, {rows} rows");
    Ok(())
}

fn has_secret(host: &dyn Host, path: &str) -> bool {
    let traces = |path: &str| {
        let bytes = host.read(path).unwrap_or_default();
        bytes.windows(SECRET.len()).any(|piece| piece == SECRET.as_bytes())
    };
    traces(path) || traces(&format!("{path}-journal")) || traces(&encrypted_path(path))
}

fn convert(process: &Process, from: Form) -> Result<()> {
    let files: Arc<dyn Host> = Arc::new(process.clone());
    ensure!(two_files::recover(&*files, PATH)?.form == from, "the database is not {from:?}");
    let original = connect(process.clone(), PATH, from)?;
    let converted = match from {
        Form::Plain => two_files::encrypt(&files, PATH, original, &secret())?,
        Form::Encrypted => two_files::decrypt(&files, PATH, original)?,
    };
    ensure!(converted.content.rows == u64::try_from(ROWS)?, "{converted:?}");
    Ok(())
}

/// Converts on a machine that has a fault at a call. Returns whether the fault occurred.
fn survives(from: Form, fault: Fault, calls: u64) -> Result<bool> {
    let machine = Machine::new(calls);
    let before = machine.process();
    fill(&connect(before.clone(), PATH, Form::Plain)?)?;
    if from == Form::Encrypted {
        convert(&before, Form::Plain)?;
    }
    let process = machine.process();
    machine.plan(calls, fault);
    let converted = convert(&process, from);
    let has_occurred = machine.mend();
    machine.kill(&process);
    // What reads the files next may die as well.
    machine.plan(calls % 17, if calls.is_multiple_of(2) { Fault::Kill } else { Fault::PowerFailure });
    let _ = two_files::recover(&machine.process(), PATH);
    machine.mend();
    let next = machine.process();
    let form = two_files::recover(&next, PATH)?.form;
    require_rows(&connect(next.clone(), PATH, form)?)
        .with_context(|| format!("{form:?} after {converted:?}"))?;
    ensure!(converted.is_err() || form != from, "a conversion that succeeded was lost");
    ensure!(form == Form::Plain || !has_secret(&next, PATH), "the plain content was left");
    ensure!(
        form == Form::Encrypted || next.stat(&encrypted_path(PATH))?.is_none(),
        "the encrypted file was left"
    );
    Ok(has_occurred)
}

#[test]
fn a_conversion_that_is_interrupted_leaves_a_whole_database() -> Result<()> {
    for from in [Form::Plain, Form::Encrypted] {
        for fault in [Fault::Error, Fault::LostSync, Fault::DiskFull, Fault::Kill, Fault::PowerFailure] {
            let mut calls = 0;
            while survives(from, fault, calls)
                .with_context(|| format!("{fault:?} at call {calls} from {from:?}"))?
            {
                calls += 1;
            }
            ensure!(calls > 50, "only {calls} calls were made");
        }
    }
    Ok(())
}

/// Converts on a disk that loses what it is to sync after `syncs` syncs, and has the hazards from then on, until the
/// process has ended. The power fails after the next process has determined which file is the database. Returns whether
/// a sync was lost.
fn survives_lost_syncs(from: Form, syncs: u64, hazards: Hazards, seed: u64) -> Result<bool> {
    let machine = Machine::new(seed);
    let before = machine.process();
    fill(&connect(before.clone(), PATH, Form::Plain)?)?;
    if from == Form::Encrypted {
        convert(&before, Form::Plain)?;
    }
    let process = machine.process();
    let disk = machine.clone();
    let has_lost = Arc::new(AtomicBool::new(false));
    let is_losing = Arc::clone(&has_lost);
    machine.delay_sync(&process, syncs, move || {
        is_losing.store(true, Ordering::Relaxed);
        disk.plan(0, Fault::LostSync);
        disk.endanger(hazards);
    });
    let converted = convert(&process, from);
    machine.mend();
    machine.kill(&process);
    two_files::recover(&machine.process(), PATH)?;
    machine.plan(0, Fault::PowerFailure);
    ensure!(machine.process().stat(PATH).is_err(), "the power did not fail");
    let next = machine.process();
    let form = two_files::recover(&next, PATH)?.form;
    require_rows(&connect(next, PATH, form)?).with_context(|| format!("{form:?} after {converted:?}"))?;
    Ok(has_lost.load(Ordering::Relaxed))
}

#[test]
fn a_file_is_removed_only_when_the_other_one_is_on_the_disk() -> Result<()> {
    let loses_all = Hazards { lost_sync: 1, ..Hazards::default() };
    let fails = Hazards { error: 1, ..Hazards::default() };
    for (from, hazards) in
        [Form::Plain, Form::Encrypted].into_iter().flat_map(|from| [(from, loses_all), (from, fails)])
    {
        let mut syncs = 0;
        loop {
            // What survives a power failure depends on the seed.
            let mut has_lost = false;
            for seed in 0..6 {
                has_lost |= survives_lost_syncs(from, syncs, hazards, seed)
                    .with_context(|| format!("{hazards:?} after {syncs} syncs from {from:?}, seed {seed}"))?;
            }
            if !has_lost {
                break;
            }
            syncs += 1;
        }
        ensure!(syncs > 3, "only {syncs} syncs were made");
    }
    Ok(())
}

#[test]
fn a_file_that_cannot_be_removed_does_not_block_the_database() -> Result<()> {
    let rest = encrypted_path(PATH);
    let left_over = || -> Result<(Machine, Process)> {
        let machine = Machine::new(1);
        let process = machine.process();
        fill(&connect(process.clone(), PATH, Form::Plain)?)?;
        machine.put(&rest, &[7; 10_000])?;
        Ok((machine, process))
    };
    let require_left = |process: &Process| -> Result<()> {
        let recovered = two_files::recover(process, PATH)?;
        ensure!(recovered.form == Form::Plain, "{recovered:?}");
        ensure!(matches!(recovered.unfinished, Some(Unfinished::Remove(_))), "{recovered:?}");
        ensure!(process.stat(&rest)?.is_some(), "it was removed");
        require_rows(&connect(process.clone(), PATH, Form::Plain)?)
    };
    let (machine, process) = left_over()?;
    machine.deny_writing(&rest);
    require_left(&process)?;

    let (machine, process) = left_over()?;
    machine.endanger(Hazards { lost_sync: 1, ..Hazards::default() });
    require_left(&process)?;
    machine.mend();
    let recovered = two_files::recover(&process, PATH)?;
    ensure!(recovered.unfinished.is_none() && process.stat(&rest)?.is_none(), "{recovered:?}");
    Ok(())
}

#[test]
fn a_database_of_another_vfs_is_encrypted_and_decrypted_in_two_files() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("m.db").to_string_lossy().into_owned();
    let host = VfsHost::new(if cfg!(windows) { "win32" } else { "unix" }, |buffer| {
        for byte in buffer {
            *byte = 5;
        }
    })?;
    let files: Arc<dyn Host> = Arc::new(host.clone());
    fill(&Connection::open(&path)?)?;
    ensure!(two_files::recover(&*files, &path)?.form == Form::Plain && has_secret(&host, &path));
    let done = two_files::encrypt(&files, &path, Connection::open(&path)?, &secret())?;
    ensure!(done.unfinished.is_none() && !has_secret(&host, &path), "{done:?}");
    ensure!(two_files::recover(&*files, &path)?.form == Form::Encrypted);
    // A program that knows nothing of the encrypted file neither reads nor replaces the plain one.
    let ignorant = Connection::open(&path)?.execute_batch("CREATE TABLE t (x)");
    ensure!(
        ignorant.as_ref().is_err_and(|error| error.to_string().contains("not a database")),
        "{ignorant:?}"
    );
    require_rows(&connect(host.clone(), &path, Form::Encrypted)?)?;
    let original = connect(host.clone(), &path, Form::Encrypted)?;
    let done = two_files::decrypt(&files, &path, original)?;
    ensure!(done.unfinished.is_none() && two_files::recover(&*files, &path)?.form == Form::Plain, "{done:?}");
    ensure!(!std::fs::exists(encrypted_path(&path))?);
    require_rows(&Connection::open(&path)?)
}
