//! The identity of this process, and the state of others.

use std::{fs, process::Command, sync::LazyLock};

use crate::{Identity, ProcessState};

pub fn identity() -> Identity {
    static IDENTITY: LazyLock<Identity> = LazyLock::new(|| {
        let pid = std::process::id();
        Identity {
            pid,
            start: match state(pid, true) {
                ProcessState::Running(start) => start,
                ProcessState::Gone | ProcessState::Unknown => String::new(),
            },
            machine: machine(),
            boot: text("/proc/sys/kernel/random/boot_id"),
            space: fs::read_link("/proc/self/ns/pid")
                .map(|space| space.to_string_lossy().into_owned())
                .unwrap_or_default(),
            instance: String::new(),
        }
    });
    IDENTITY.clone()
}

pub fn state(pid: u32, thorough: bool) -> ProcessState {
    if cfg!(target_os = "linux")
        && let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat"))
    {
        return from_stat(&stat);
    }
    if !exists(pid) {
        return ProcessState::Gone;
    }
    if cfg!(target_os = "macos") && thorough { ask_ps(pid) } else { ProcessState::Unknown }
}

/// Linux. The name in parentheses may contain anything; after it come state (field 3), the number of threads
/// (field 20) and the start time in ticks since boot (field 22).
fn from_stat(stat: &str) -> ProcessState {
    let Some((_, rest)) = stat.rsplit_once(')') else { return ProcessState::Unknown };
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let (Some(state), Some(threads), Some(start)) = (fields.first(), fields.get(17), fields.get(19)) else {
        return ProcessState::Unknown;
    };
    // While a process dies, its first thread may be gone while another still finishes a write.
    let threads_left = threads.parse().map_or(true, |count: i64| count > 1);
    if matches!(*state, "Z" | "X") && !threads_left {
        return ProcessState::Gone;
    }
    ProcessState::Running((*start).to_owned())
}

fn ask_ps(pid: u32) -> ProcessState {
    let asked = Command::new("/bin/ps")
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .args(["-o", "stat=,lstart=", "-p"])
        .arg(pid.to_string())
        .output();
    let Ok(answer) = asked else { return ProcessState::Unknown };
    let line = String::from_utf8_lossy(&answer.stdout).into_owned();
    match line.trim().split_once(' ') {
        Some((state, _)) if state.starts_with('Z') => ProcessState::Gone,
        Some((_, start)) => ProcessState::Running(start.trim().to_owned()),
        None => ProcessState::Unknown,
    }
}

#[cfg(unix)]
fn exists(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    // For a process of another user, the call fails with "not permitted".
    rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}

/// Windows: a program is asked, since the standard library cannot answer it. A list in which this process is missing is
/// ignored.
#[cfg(windows)]
fn exists(pid: u32) -> bool {
    let Ok(answer) = Command::new("tasklist").args(["/NH", "/FO", "CSV"]).output() else { return true };
    let list = String::from_utf8_lossy(&answer.stdout).into_owned();
    let has = |pid: u32| list.contains(&format!("\"{pid}\""));
    has(pid) || !has(std::process::id())
}

/// The machine's id, where there is one, and its name: cloned machines share the first, containers of one
/// image too.
fn machine() -> String {
    let id = text("/etc/machine-id");
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(windows)]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    if id.is_empty() { name } else { format!("{id}/{name}") }
}

fn text(path: &str) -> String {
    fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
}
