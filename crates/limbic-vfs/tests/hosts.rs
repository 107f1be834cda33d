//! The contract of every host, tested on each.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use limbic_vfs::{BeaconState, Host, HostError, OpenMode, ProcessState, StdHost, simulator::Machine};

/// Runs a check on the real file system and on the simulated one, in a fresh folder each.
fn on_each(check: impl Fn(&dyn Host, &str)) {
    let folder = tempfile::tempdir().unwrap();
    let path = StdHost.real_path(folder.path().to_str().unwrap()).unwrap();
    check(&StdHost, &path);
    let process = Machine::new(1).process();
    process.create_folder("/folder").unwrap();
    check(&process, "/folder");
}

fn error<T>(result: Result<T, HostError>) -> HostError {
    result.map(|_| ()).unwrap_err()
}

#[test]
fn bytes_are_read_where_they_were_written() {
    on_each(|host, folder| {
        let file = host.open(&format!("{folder}/f"), OpenMode::Create).unwrap();
        file.write_at(b"hello", 3).unwrap();
        file.write_at(b"J", 3).unwrap();
        let mut buffer = [9; 16];
        assert_eq!(file.read_at(&mut buffer, 0), Ok(8));
        assert_eq!(&buffer[..8], b"\0\0\0Jello");
        assert_eq!(file.read_at(&mut buffer, 8), Ok(0));
        assert_eq!(file.read_at(&mut buffer, 100), Ok(0));
        file.truncate(4).unwrap();
        file.sync().unwrap();
        assert_eq!(file.size(), Ok(4));
    });
}

#[test]
fn the_modes_of_opening_differ() {
    on_each(|host, folder| {
        let path = format!("{folder}/f");
        assert_eq!(error(host.open(&path, OpenMode::Read)), HostError::NotFound);
        assert_eq!(error(host.open(&path, OpenMode::Write)), HostError::NotFound);
        assert_eq!(error(host.open(&format!("{folder}/none/f"), OpenMode::Create)), HostError::NotFound);
        host.open(&path, OpenMode::CreateNew).unwrap().write_at(b"x", 0).unwrap();
        assert_eq!(error(host.open(&path, OpenMode::CreateNew)), HostError::Exists);
        assert_eq!(host.open(&path, OpenMode::Create).unwrap().size(), Ok(1));
        for mode in [OpenMode::Read, OpenMode::Write, OpenMode::Create] {
            assert_eq!(error(host.open(folder, mode)), HostError::IsDirectory, "{mode:?}");
        }
    });
}

#[test]
fn a_link_is_exclusive_and_shows_in_the_entry_of_its_file() {
    on_each(|host, folder| {
        let (own, lock) = (format!("{folder}/own"), format!("{folder}/lock"));
        host.create(&own, b"text").unwrap();
        assert_eq!(error(host.create(&own, b"other")), HostError::Exists);
        let before = host.stat(&own).unwrap().unwrap();
        host.sleep_micros(20_000);
        host.link(&own, &lock).unwrap();
        assert_eq!(error(host.link(&own, &lock)), HostError::Exists);
        assert_eq!(error(host.link(&format!("{folder}/none"), &lock)), HostError::NotFound);
        assert_eq!(host.read(&lock).unwrap(), b"text");
        let after = host.stat(&lock).unwrap().unwrap();
        assert_eq!((after.id, after.size, after.is_file), (before.id, 4, true));
        assert!(cfg!(windows) || after.changed_millis.to_bits() != before.changed_millis.to_bits());
        let mut names = host.list(folder).unwrap();
        names.sort();
        assert_eq!(names, ["lock", "own"]);
        host.delete(&lock).unwrap();
        assert_eq!(error(host.delete(&lock)), HostError::NotFound);
        assert_eq!(host.stat(&lock), Ok(None));
    });
}

/// Heartbeats, and readers without locks, rely on it.
#[test]
fn writing_the_same_bytes_shows_in_the_entry_of_a_file() {
    on_each(|host, folder| {
        let path = format!("{folder}/f");
        host.create(&path, b"text").unwrap();
        let changed = || host.stat(&path).unwrap().unwrap().changed_millis.to_bits();
        let before = changed();
        host.sleep_micros(20_000);
        let file = host.open(&path, OpenMode::Write).unwrap();
        file.write_at(b"text", 0).unwrap();
        assert_ne!(changed(), before, "while it is open");
        drop(file);
        assert_ne!(changed(), before);
        assert_eq!(host.read(&path).unwrap(), b"text");
    });
}

#[test]
fn a_file_of_the_same_name_is_another_file() {
    on_each(|host, folder| {
        let path = format!("{folder}/f");
        host.create(&path, b"").unwrap();
        let before = host.stat(&path).unwrap().unwrap();
        host.delete(&path).unwrap();
        host.sleep_micros(20_000);
        host.create(&path, b"").unwrap();
        assert_ne!(host.stat(&path).unwrap().unwrap().id, before.id);
    });
}

#[test]
fn folders_are_made_and_removed_only_when_empty() {
    on_each(|host, folder| {
        let inner = format!("{folder}/inner");
        host.create_folder(&inner).unwrap();
        host.create_folder(&inner).unwrap();
        host.create(&format!("{inner}/f"), b"").unwrap();
        assert_eq!(error(host.delete_folder(&inner)), HostError::Exists);
        host.delete(&format!("{inner}/f")).unwrap();
        host.sync_folder(&inner).unwrap();
        host.delete_folder(&inner).unwrap();
        assert_eq!(error(host.list(&inner)), HostError::NotFound);
        assert_eq!(error(host.create(&format!("{inner}/f"), b"")), HostError::NotFound);
    });
}

#[test]
fn process_reports_this_process_as_running_with_its_start_time() {
    on_each(|host, _| {
        let me = host.identity();
        let expected = match me.start.is_empty() {
            // Windows reports no start time: beacons decide there.
            true => ProcessState::Unknown,
            false => ProcessState::Running(me.start),
        };
        assert!(cfg!(windows) || expected != ProcessState::Unknown);
        assert_eq!(host.process(me.pid, true), expected);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_zombie_counts_as_gone() {
    let mut child = std::process::Command::new("sleep").arg("100").spawn().unwrap();
    assert!(matches!(StdHost.process(child.id(), false), ProcessState::Running(_)));
    child.kill().unwrap();
    while StdHost.process(child.id(), false) != ProcessState::Gone {
        std::thread::yield_now();
    }
    child.wait().unwrap();
    assert_eq!(StdHost.process(child.id(), false), ProcessState::Gone);
}

#[test]
fn a_beacon_is_held_until_it_is_dropped() {
    on_each(|host, folder| {
        let path = format!("{folder}/beacon");
        assert_eq!(host.beacon(&path), BeaconState::Unknown);
        let held = host.hold_beacon(&path).unwrap();
        assert_eq!((host.beacon(&path), host.beacon(&path)), (BeaconState::Held, BeaconState::Held));
        assert_eq!(error(host.hold_beacon(&path)), HostError::Exists);
        drop(held);
        assert_eq!(host.beacon(&path), BeaconState::Released);
        host.delete(&path).unwrap();
        assert_eq!(host.beacon(&path), BeaconState::Unknown);
    });
}

#[cfg(unix)]
#[test]
fn a_file_in_the_place_of_a_beacon_is_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beacon");
    std::fs::write(&path, "").unwrap();
    assert_eq!(StdHost.beacon(path.to_str().unwrap()), BeaconState::Unknown);
}

/// With a clock that stops while the machine is suspended, an owner would rely on locks that others have broken.
#[cfg(target_os = "linux")]
#[test]
fn the_clock_runs_while_the_machine_is_suspended() {
    let uptime = || {
        let text = std::fs::read_to_string("/proc/uptime").unwrap();
        text.split(' ').next().unwrap().parse::<f64>().unwrap() * 1_000.0
    };
    let before = uptime();
    let now = StdHost.monotonic_millis();
    // It is rounded down to hundredths of a second.
    assert!((before..=uptime() + 10.0).contains(&now), "{before} {now}");
}
