//! Backups by PostgreSQL's own programs.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use anyhow::{Result, anyhow, ensure};
use limbic_support::postgres::Cluster;
use limbic_tests::{BackEnd, stdio::Server};
use tempfile::tempdir;

use super::{contents, limbic, outages::wait_for, prepared, store};

#[test]
fn a_dump_that_is_made_while_servers_write_is_a_whole_memory() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (prepared(&cluster, "dumped")?, tempdir()?);
    ensure!(limbic("token create laptop", &address, &[])?.status.success());
    let (file, stop) = (folder.path().join("dump.sql"), AtomicBool::new(false));
    let commits =
        || -> Result<u64> { Ok(cluster.sql("dumped", "SELECT version FROM limbic_memories")?.parse()?) };
    let before = commits()?;
    thread::scope(|scope| -> Result<()> {
        let writer = scope.spawn(|| -> Result<()> {
            let mut server = Server::native_of_several(Path::new(&address))?;
            for number in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                store(&mut server, &format!("Number {number} was stored"))?;
            }
            server.stop()
        });
        let dumped = (|| {
            // Some of them are of the start.
            wait_for("it stores", || Ok(writer.is_finished() || commits()? > before + 10))?;
            cluster.dump("dumped", &file)
        })();
        stop.store(true, Ordering::Relaxed);
        writer.join().map_err(|_| anyhow!("the writer panicked"))??;
        dumped
    })?;
    cluster.sql("postgres", "CREATE DATABASE restored")?;
    cluster.restore("restored", &file)?;
    let restored = cluster.address_in("restored", "team");
    let checked = limbic("check", &restored, &[])?;
    ensure!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let listed = limbic("token list", &restored, &[])?;
    ensure!(String::from_utf8_lossy(&listed.stdout).contains("laptop"), "{listed:?}");
    let mut server = Server::native_of_several(Path::new(&restored))?;
    let found = contents(&mut server)?;
    ensure!(found.contains("It was here before") && found.contains("Number 0 was stored"), "{found}");
    store(&mut server, "It was stored in the copy")?;
    server.stop()
}

#[test]
fn a_server_goes_on_with_the_backup_that_replaces_its_tables() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (prepared(&cluster, "put_back")?, tempdir()?);
    let file = folder.path().join("dump.sql");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before the backup")?;
    cluster.dump("put_back", &file)?;
    store(&mut server, "It was stored after the backup")?;
    cluster.restore("put_back", &file)?;
    let (is_error, answer) = server.call("memory_list", "{}")?;
    ensure!(is_error && answer.contains("database_moved"), "{answer}");
    let found = contents(&mut server)?;
    ensure!(found.contains("before the backup") && !found.contains("after the backup"), "{found}");
    store(&mut server, "It is stored in what was put back")?;
    server.stop()
}
