//! One process on the real file system: SQLite works, levels exclude each other, files are private.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{fs, time::Duration};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use support::{assert_sound, open, open_with};

fn table(connection: &Connection) {
    connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)").unwrap();
}

fn count(connection: &Connection) -> i64 {
    connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
}

fn code(result: rusqlite::Result<impl Sized>) -> ErrorCode {
    let error = result.map(|_| ()).unwrap_err();
    error.sqlite_error_code().unwrap_or_else(|| panic!("{error:?}"))
}

#[test]
fn the_next_connection_reads_committed_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let first = open(&path);
    table(&first);
    first.execute_batch("BEGIN; INSERT INTO t(text) VALUES ('a'), ('b'); COMMIT").unwrap();
    first.execute_batch("BEGIN; DELETE FROM t; ROLLBACK").unwrap();
    let second = open(&path);
    assert_eq!(count(&second), 2);
    second.execute_batch("VACUUM").unwrap();
    assert_eq!(count(&first), 2);
    assert_sound(&first);
    let mode: String = first.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "persist");
}

#[test]
fn every_journal_mode_works() {
    let folder = tempfile::tempdir().unwrap();
    for mode in ["DELETE", "TRUNCATE", "PERSIST", "MEMORY"] {
        let connection = open(&folder.path().join(mode));
        connection.pragma_update(None, "journal_mode", mode).unwrap();
        table(&connection);
        for round in 0..20 {
            connection.execute_batch("BEGIN IMMEDIATE").unwrap();
            for _ in 0..200 {
                connection.execute("INSERT INTO t(text) VALUES (hex(randomblob(200)))", []).unwrap();
            }
            connection.execute_batch(if round % 3 == 0 { "ROLLBACK" } else { "COMMIT" }).unwrap();
        }
        assert_eq!(count(&connection), 13 * 200);
        assert_sound(&connection);
    }
}

#[test]
fn a_writer_keeps_writers_out_and_lets_readers_in_until_it_commits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let (writer, other) = (open(&path), open(&path));
    table(&writer);
    other.busy_timeout(Duration::ZERO).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; INSERT INTO t(text) VALUES ('a')").unwrap();
    assert_eq!(count(&other), 0);
    assert_eq!(code(other.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy);
    writer.execute_batch("COMMIT; BEGIN EXCLUSIVE").unwrap();
    assert_eq!(code(other.query_row("SELECT count(*) FROM t", [], |_| Ok(()))), ErrorCode::DatabaseBusy);
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(count(&other), 1);
}

#[test]
fn a_refused_commit_keeps_new_readers_out_and_succeeds_when_the_old_one_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let writer = open(&path);
    table(&writer);
    let (reader, newcomer) = (open(&path), open(&path));
    assert_eq!(count(&newcomer), 0);
    for connection in [&writer, &reader, &newcomer] {
        connection.busy_timeout(Duration::from_millis(20)).unwrap();
    }
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(count(&reader), 0);
    writer.execute_batch("BEGIN IMMEDIATE; INSERT INTO t(text) VALUES ('a')").unwrap();
    assert_eq!(code(writer.execute_batch("COMMIT")), ErrorCode::DatabaseBusy);
    assert_eq!(code(newcomer.query_row("SELECT * FROM t", [], |_| Ok(()))), ErrorCode::DatabaseBusy);
    assert_eq!(count(&reader), 0);
    reader.execute_batch("COMMIT").unwrap();
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(count(&newcomer), 1);
}

#[test]
fn threads_of_one_process_lose_no_update() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    open(&path).execute_batch("CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (0)").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let connection = open(&path);
                for _ in 0..15 {
                    connection
                        .execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = value + 1; COMMIT")
                        .unwrap_or_else(|error| panic!("{error}: {:?}", limbic_vfs::take_last_failure()));
                }
            });
        }
    });
    let value: i64 = open(&path).query_row("SELECT value FROM n", [], |row| row.get(0)).unwrap();
    assert_eq!(value, 60);
}

#[cfg(unix)]
#[test]
fn files_are_private_and_the_lock_folder_goes_with_the_last_connection() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let connection = open(&path);
    table(&connection);
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("m.db"), mode("m.db-journal"), mode("m.db-locks")), (0o600, 0o600, 0o700));
    drop(connection);
    assert!(!folder.path().join("m.db-locks").exists());
}

#[test]
fn a_link_to_a_database_shares_its_locks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let first = open(&path);
    table(&first);
    #[cfg(unix)]
    std::os::unix::fs::symlink(&path, folder.path().join("alias.db")).unwrap();
    let second = open(&folder.path().join(if cfg!(unix) { "alias.db" } else { "m.db" }));
    second.busy_timeout(Duration::ZERO).unwrap();
    first.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(code(second.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy);
}

#[test]
fn a_failed_open_reports_the_cause() {
    use limbic_vfs::{Access, HostError, take_last_failure};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(at("folder")).unwrap();
    for (name, flags, why) in [
        ("folder", OpenFlags::default(), HostError::IsDirectory),
        ("missing/m.db", OpenFlags::default(), HostError::NotFound),
        ("none.db", OpenFlags::SQLITE_OPEN_READ_ONLY, HostError::NotFound),
    ] {
        let _ = take_last_failure();
        assert_eq!(code(open_with(at(name), flags, Access::default())), ErrorCode::CannotOpen, "{name}");
        assert_eq!(take_last_failure().unwrap().error, why, "{name}");
    }
}

/// On Windows the beacon is a file that stays open, and the folder of an open file cannot be deleted.
#[cfg(unix)]
#[test]
fn the_lock_folder_may_be_deleted_between_calls() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let connection = open(&path);
    table(&connection);
    fs::remove_dir_all(folder.path().join("m.db-locks")).unwrap();
    connection.execute("INSERT INTO t(text) VALUES ('a')", []).unwrap();
    assert_eq!(count(&connection), 1);
}

mod encrypted {
    use std::{fs, path::Path};

    use limbic_vfs::{Access, HostError, Key, take_last_failure};
    use rusqlite::{Connection, ErrorCode, OpenFlags};

    use super::{assert_sound, code, count, open, open_with, table};

    const TEXT: &str = "a text that nobody else may read";

    /// The key of the files that SQLCipher wrote.
    fn key() -> Key {
        Key::new(std::array::from_fn(|at| u8::try_from(at).unwrap()))
    }

    fn open_encrypted(path: &Path, key: Key) -> rusqlite::Result<Connection> {
        let access = Access { secret: Some(key.into()), ..Access::default() };
        let _ = take_last_failure();
        open_with(path, OpenFlags::default(), access)
    }

    fn contains(path: &Path, wanted: &[u8]) -> bool {
        fs::read(path).unwrap().windows(wanted.len()).any(|window| window == wanted)
    }

    #[test]
    fn nothing_in_the_files_is_plain() {
        let folder = tempfile::tempdir().unwrap();
        let (path, journal) = (folder.path().join("m.db"), folder.path().join("m.db-journal"));
        let connection = open_encrypted(&path, key()).unwrap();
        table(&connection);
        connection.pragma_update(None, "cache_size", 2).unwrap();
        let insert = "INSERT INTO t(text) VALUES (?1 || hex(zeroblob(600)))";
        (0..20).for_each(|_| _ = connection.execute(insert, [TEXT]).unwrap());
        // A transaction that is larger than the cache writes both files before it is over.
        connection.execute_batch("BEGIN; UPDATE t SET text = text || id").unwrap();
        connection.cache_flush().unwrap();
        for file in [&path, &journal] {
            assert!(fs::metadata(file).unwrap().len() > 16_384);
            assert!(!contains(file, TEXT.as_bytes()) && !contains(file, b"SQLite format"), "{file:?}");
        }
        connection.execute_batch("ROLLBACK").unwrap();
        assert_eq!(count(&connection), 20);
        connection.execute_batch("DELETE FROM t WHERE id > 5; VACUUM").unwrap();
        drop(connection);
        let again = open_encrypted(&path, key()).unwrap();
        assert_eq!(count(&again), 5);
        assert_sound(&again);
        assert!(!contains(&path, TEXT.as_bytes()));
        // With the same content, and another salt and other vectors, no page is the same.
        let other = folder.path().join("other.db");
        fs::copy(&path, &other).unwrap();
        again.execute_batch("UPDATE t SET id = id").unwrap();
        let (before, after) = (fs::read(&other).unwrap(), fs::read(&path).unwrap());
        assert_ne!(before[16..4096], after[16..4096]);
    }

    /// The journal is that of a transaction in which SQLCipher was killed, after it had changed every row.
    #[test]
    fn a_database_of_sqlcipher_is_read_and_its_journal_rolled_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sqlcipher-4.db");
        for name in ["sqlcipher-4.db", "sqlcipher-4.db-journal"] {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
            fs::copy(file, folder.path().join(name)).unwrap();
        }
        let connection = open_encrypted(&path, key()).unwrap();
        let (rows, first): (i64, String) = connection
            .query_row("SELECT count(*), min(text) FILTER (WHERE id = 1) FROM notes", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        assert_eq!((rows, first.as_str()), (4, "written by SQLCipher"));
        assert_sound(&connection);
        connection.execute_batch("INSERT INTO notes (text) VALUES ('written by Limbic')").unwrap();
        assert_sound(&connection);
    }

    #[test]
    fn another_key_and_no_key_open_nothing_and_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, plain) = (folder.path().join("m.db"), folder.path().join("plain.db"));
        table(&open_encrypted(&path, key()).unwrap());
        table(&open(&plain));
        let before = [&path, &plain].map(|file| fs::read(file).unwrap());
        let cause = || take_last_failure().unwrap().error;
        assert_eq!(code(open_encrypted(&path, Key::new([9; 32]))), ErrorCode::CannotOpen);
        assert_eq!(cause(), HostError::WrongKey);
        assert_eq!(code(open_encrypted(&plain, key())), ErrorCode::CannotOpen);
        assert_eq!(cause(), HostError::NotEncrypted);
        let without = open_with(&path, OpenFlags::default(), Access::default());
        assert_eq!(code(without), ErrorCode::NotADatabase);
        assert_eq!([&path, &plain].map(|file| fs::read(file).unwrap()), before);
    }

    #[test]
    fn a_page_that_was_changed_or_moved_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let connection = open_encrypted(&path, key()).unwrap();
        table(&connection);
        for _ in 0..20 {
            connection.execute("INSERT INTO t(text) VALUES (hex(zeroblob(900)))", []).unwrap();
        }
        drop(connection);
        let whole = fs::read(&path).unwrap();
        let mut changed = whole.clone();
        changed[3 * 4096 + 100] ^= 1;
        let mut moved = whole.clone();
        moved.copy_within(3 * 4096..4 * 4096, 4 * 4096);
        let mut emptied = whole.clone();
        emptied[5 * 4096..6 * 4096].fill(0);
        for (bytes, page) in [(changed, 4), (moved, 5), (emptied, 6)] {
            fs::write(&path, bytes).unwrap();
            let connection = open_encrypted(&path, key()).unwrap();
            let sum = connection.query_row("SELECT sum(length(text)) FROM t", [], |row| row.get::<_, i64>(0));
            assert_eq!(code(sum), ErrorCode::DatabaseCorrupt);
            assert_eq!(take_last_failure().unwrap().error, HostError::Damaged(page));
        }
        // SQLite has extended the file, and was killed before it wrote more than the last page.
        fs::write(&path, [whole, vec![0; 3 * 4096]].concat()).unwrap();
        assert_sound(&open_encrypted(&path, key()).unwrap());
    }

    /// Another database may be opened at any moment, such as between BEGIN and the first write of a transaction.
    #[test]
    fn the_journal_stays_encrypted_when_a_plain_database_is_opened_during_a_transaction() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let connection = open_encrypted(&at("m.db"), key()).unwrap();
        table(&connection);
        connection.execute("INSERT INTO t(text) VALUES (?1)", [TEXT]).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let plain = open(&at("plain.db"));
        table(&plain);
        plain.execute_batch("BEGIN IMMEDIATE").unwrap();
        let another = open_encrypted(&at("another.db"), Key::new([9; 32])).unwrap();
        table(&another);
        for connection in [&connection, &plain, &another] {
            connection.execute("UPDATE t SET text = 'another'", []).unwrap();
            connection.execute("INSERT INTO t(text) VALUES ('more')", []).unwrap();
            connection.cache_flush().unwrap();
        }
        assert!(fs::metadata(at("m.db-journal")).unwrap().len() > 4_096);
        assert!(!contains(&at("m.db-journal"), TEXT.as_bytes()), "the journal is plain");
        // A program that is killed now leaves these files.
        for name in ["m.db", "m.db-journal"] {
            fs::copy(at(name), at(&format!("left-{name}"))).unwrap();
        }
        let left = open_encrypted(&at("left-m.db"), key()).unwrap();
        let text = |connection: &Connection| {
            connection.query_row("SELECT group_concat(text) FROM t", [], |row| row.get::<_, String>(0))
        };
        assert_eq!(text(&left).as_deref(), Ok(TEXT));
        connection.execute_batch("COMMIT").unwrap();
        plain.execute_batch("COMMIT").unwrap();
        drop((connection, plain, another));
        assert!(contains(&at("plain.db"), b"more") && !contains(&at("another.db"), b"more"));
        let again = open_encrypted(&at("m.db"), key()).unwrap();
        assert_eq!(text(&again).as_deref(), Ok("another,more"));
        assert_sound(&again);
    }

    #[test]
    fn connections_on_several_threads_have_their_own_keys() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..4_u8 {
                let path = folder.path().join(format!("{number}.db"));
                let key = move || Key::new([number; 32]);
                scope.spawn(move || {
                    table(&open_encrypted(&path, key()).unwrap());
                    for _ in 0..50 {
                        let connection = open_encrypted(&path, key()).unwrap();
                        connection.execute("INSERT INTO t(text) VALUES (?1)", [TEXT]).unwrap();
                    }
                    assert_eq!(count(&open_encrypted(&path, key()).unwrap()), 50);
                });
            }
        });
    }
}
