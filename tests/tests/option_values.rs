//! Options and commands: both programs refuse the same values in the same words.

use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

use anyhow::{Result, ensure};
use limbic_tests::{
    project,
    stdio::{limbic_binary, node_main},
};
use tempfile::tempdir;

/// The exit code of a command line that cannot be used.
const REFUSED: i32 = 2;

type Arguments<'a> = &'a [&'a str];
type Variables<'a> = &'a [(&'a str, &'a str)];

fn native(arguments: Arguments<'_>, variables: Variables<'_>) -> Result<Output> {
    run(Command::new(limbic_binary()?), arguments, variables)
}

fn node(arguments: Arguments<'_>, variables: Variables<'_>) -> Result<Output> {
    let mut command = Command::new("node");
    command.arg(node_main()?);
    run(command, arguments, variables)
}

fn run(mut command: Command, arguments: Arguments<'_>, variables: Variables<'_>) -> Result<Output> {
    let command = command.args(arguments).envs(variables.iter().copied());
    Ok(command.stdin(Stdio::null()).output()?)
}

/// The standard error, with the names of the native program, and without what one of both adds or has alone.
fn told(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).replace("limbic-memory", "limbic");
    text.replace("See limbic --help\n", "").replace(" --ui-dir,", "")
}

fn ensure_both_refuse(
    native: &Output,
    node: &Output,
    case: &dyn std::fmt::Debug,
    expected: &str,
) -> Result<()> {
    ensure!(native.status.code() == Some(REFUSED), "{case:?}: {}: {}", native.status, told(native));
    ensure!(node.status.code() == Some(REFUSED), "{case:?}: {}: {}", node.status, told(node));
    ensure!(told(native) == told(node), "{case:?}: {}{}", told(native), told(node));
    ensure!(told(native).contains(expected), "{case:?}: {}", told(native));
    Ok(())
}

#[test]
fn both_servers_refuse_the_same_values_of_options_in_the_same_words() -> Result<()> {
    let folder = tempdir()?;
    let db = folder.path().join("memory.db");
    let db = db.to_string_lossy();
    let toolsets =
        "--toolsets must be one of graph, advanced, memory, domain, more, code, explorer, all, but got";
    let cases: &[(Arguments<'_>, Variables<'_>, &str)] = &[
        (&["--toolsets", "nope"], &[], &format!("{toolsets} \"nope\"\n")),
        (&["--toolsets", "memory,grpah"], &[], &format!("{toolsets} \"grpah\". Did you mean \"graph\"?\n")),
        (&[], &[("LIMBIC_TOOLSETS", "explore")], "LIMBIC_TOOLSETS must be one of graph, "),
        (&["--toolsets", "graph", "--user", "ada"], &[], "--toolsets graph has no tools for one user"),
        (&["--compat", "memory-graph", "--user", "ada"], &[], "cannot be combined"),
        (&["--compat", "server-memori"], &[], "--compat must be one of server-memory, memory-graph, "),
        (&[], &[("LIMBIC_COMPAT", "x")], "LIMBIC_COMPAT must be one of server-memory, "),
        (&["--output-schemas", "shor"], &[], "--output-schemas must be one of full, short, none, but got "),
        (&[], &[("LIMBIC_OUTPUT_SCHEMAS", "x")], "LIMBIC_OUTPUT_SCHEMAS must be one of "),
        (&["--redact", "all"], &[], "--redact must be \"pii\", but got \"all\"\n"),
        (&[], &[("LIMBIC_REDACT", "all")], "LIMBIC_REDACT must be \"pii\", but got \"all\"\n"),
        (&["--search-log-days", "36501"], &[], "--search-log-days must be a whole number from 0 to 36500, "),
        (&["--search-log-days=-1"], &[], "but got \"-1\"\n"),
        (&["--search-log-days", "+5"], &[], "but got \"+5\"\n"),
        (&[], &[("LIMBIC_SEARCH_LOG_DAYS", "x")], "LIMBIC_SEARCH_LOG_DAYS must be a whole number "),
        (&["--model", "/m", "--model-dimensions", "9"], &[], "--model-dimensions must be a multiple of 8, "),
        (&["--model-dimensions", "x"], &[], "--model-dimensions must be a multiple of 8, but got \"x\"\n"),
        (&["--model", "/m", "--model-dimensions", "+8"], &[], "--model-dimensions must be a multiple of 8, "),
        (&[], &[("LIMBIC_READ_ONLY", "Perhaps")], "but got \"Perhaps\"\n"),
        (&[], &[("LIMBIC_READ_ONLY", "perhaps")], "LIMBIC_READ_ONLY must be one of 1, true, yes, on, "),
        (&["--http", "abc"], &[], "--http must be a port up to 65535, a host and a port as in "),
        (&["--http", "70000"], &[], "--http must be a port up to 65535, a host and a port as in "),
        (&["--http", "unix:"], &[], "--http needs a path after unix:"),
        (&["--ui=70000"], &[], "--ui must be a port up to 65535, but got \"70000\"\n"),
        (&["--ui=page"], &[], "--ui (LIMBIC_UI) must be a port, or one of 1, true, yes, on, "),
        (&["--http", "3000", "--ui=3001"], &[], "two ports"),
        (&["--http", "3000", "--token", "short"], &[], "--token needs at least 16 characters"),
        (&["--http", "3000", "--public-url", "x"], &[], "--public-url must be an address such as "),
        (&["--public-url", "https://memory.example"], &[], "--public-url and --import-dir are for --http, "),
        (&["--import-dir", "."], &[], "are for --http, which is missing\n"),
        (&["--token", "short"], &[], "are for --http, which is missing\n"),
        (&["--page-token", "a-token-of-a-page"], &[("LIMBIC_UI", "0")], "are for --http, which is missing\n"),
        (&["--db", ":memory:"], &[], "--db needs a file"),
    ];
    for (arguments, variables, expected) in cases {
        let given = [&["--no-model", "--db", &db][..], arguments].concat();
        let given = if arguments.contains(&"--model") || arguments.contains(&"--db") {
            arguments
        } else {
            &given[..]
        };
        let native = native(&[&["serve"][..], given].concat(), variables)?;
        ensure_both_refuse(&native, &node(given, variables)?, &(arguments, variables), expected)?;
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf_8_is_refused_and_does_not_count_as_unset() -> Result<()> {
    let folder = tempdir()?;
    let default = folder.path().join("home");
    let not_utf8 = OsStr::from_bytes(b"a-long-token-of-bytes\xff");
    let refusal = |mut command: Command, arguments: &[&OsStr], name: &str| -> Result<String> {
        command.args(arguments).env("HOME", &default).env("XDG_DATA_HOME", &default);
        let output = command.env(name, not_utf8).stdin(Stdio::null()).output()?;
        ensure!(output.status.code() == Some(REFUSED), "{name}: {}", told(&output));
        Ok(told(&output))
    };
    let native = |arguments: &[&OsStr], name| refusal(Command::new(limbic_binary()?), arguments, name);
    let node = |arguments: &[&OsStr], name| {
        let mut command = Command::new("node");
        command.arg(node_main()?);
        refusal(command, arguments, name)
    };
    let http = ["--no-model", "--http", "0"].map(OsStr::new);
    for name in [
        "LIMBIC_DB",
        "LIMBIC_USER",
        "LIMBIC_TOOLSETS",
        "LIMBIC_TOKEN",
        "LIMBIC_PAGE_TOKEN",
        "LIMBIC_PUBLIC_URL",
        "LIMBIC_HTTP",
        "LIMBIC_UI",
        "LIMBIC_READ_ONLY",
    ] {
        // An option would be used instead of the variable.
        let arguments = if name == "LIMBIC_HTTP" { &http[..1] } else { &http[..] };
        let told = native(&[&[OsStr::new("serve")], arguments].concat(), name)?;
        ensure!(told.contains(&format!("{name} is not UTF-8")), "{name}: {told}");
        let told = node(arguments, name)?;
        ensure!(told.contains(&format!("{name} is not UTF-8, or contains ")), "{name}: {told}");
    }
    let file = folder.path().join("memory.db");
    std::fs::copy(project("pkg/empty.db"), &file)?;
    let encrypt = ["key", "encrypt", "--db"].map(OsStr::new);
    let encrypt = [&encrypt[..], &[file.as_os_str()]].concat();
    for name in ["LIMBIC_KEY", "LIMBIC_PASSPHRASE"] {
        for told in [native(&encrypt, name)?, node(&encrypt, name)?] {
            ensure!(told.contains(&format!("{name} is not UTF-8")), "{name}: {told}");
        }
    }
    // Node cannot name such a file; the native program can, except that of a database.
    for name in ["LIMBIC_MODEL", "LIMBIC_CODE_ROOT"] {
        let told = node(&[], name)?;
        ensure!(told.contains(&format!("{name} is not UTF-8, or contains ")), "{name}: {told}");
    }
    for name in ["LIMBIC_KEY_FILE", "LIMBIC_PASSPHRASE_FILE"] {
        let told = node(&encrypt, name)?;
        ensure!(told.contains(&format!("{name} is not UTF-8, or contains ")), "{name}: {told}");
    }
    for option in ["--db", "--user"] {
        let told = node(&[OsStr::new(option), not_utf8], "LIMBIC_TEST_NOTHING")?;
        ensure!(told.contains(&format!("{option} is not UTF-8, or contains ")), "{option}: {told}");
    }
    ensure!(!default.exists(), "no other database was opened");
    Ok(())
}

#[test]
fn both_programs_refuse_the_same_commands_in_the_same_words() -> Result<()> {
    let folder = tempdir()?;
    let missing = folder.path().join("missing.db");
    let missing = missing.to_string_lossy();
    let cases: &[(Arguments<'_>, &str)] = &[
        (&["check"], "the database does not exist: "),
        (&["compact"], "the database does not exist: "),
        (&["inbox"], "the database does not exist: "),
        (&["inbox", "accept", "x"], "the database does not exist: "),
        (&["key", "rotate"], "the database does not exist: "),
        (&["unlock"], "there is no database and there are no lock files at "),
        (&["key", "export"], "the database does not exist: "),
        (&["export", "--out", "-"], "the database to export does not exist: "),
        (&["export", "--out", "-", "--format", "jsnol"], "but got \"jsnol\". Did you mean \"jsonl\"?\n"),
        (&["token", "create", "a", "--toolsets", "grph"], "--toolsets must be one of graph, "),
        (&["token", "create", "a", "--toolsets", "graph", "--user", "ada"], "with --user, since others "),
        (&["token", "create", "a", "--expires", "soon"], "2027-01-31, but got \"soon\"\n"),
    ];
    for (arguments, expected) in cases {
        let given = [arguments, &["--db", &missing][..]].concat();
        ensure_both_refuse(&native(&given, &[])?, &node(&given, &[])?, arguments, expected)?;
    }
    let plain = folder.path().join("plain.db");
    let created = native(&["call", "list_domains", "--no-model", "--db", &plain.to_string_lossy()], &[])?;
    ensure!(created.status.success(), "{}", told(&created));
    let given = ["key", "export", "--db", &plain.to_string_lossy()];
    ensure_both_refuse(&native(&given, &[])?, &node(&given, &[])?, &given, "plain.db is not encrypted\n")?;
    let absent = folder.path().join("model");
    let given = ["model", "check", &absent.to_string_lossy()];
    ensure_both_refuse(&native(&given, &[])?, &node(&given, &[])?, &given, "(it does not exist): ")
}

#[test]
fn the_list_of_tools_refuses_unknown_toolsets() -> Result<()> {
    let listed = native(&["tools", "--toolsets", "nope"], &[])?;
    ensure!(listed.status.code() == Some(REFUSED) && listed.stdout.is_empty(), "{}", told(&listed));
    let listed = native(&["tools", "--toolsets", "care"], &[])?;
    ensure!(listed.status.success() && !listed.stdout.is_empty(), "{}", told(&listed));
    Ok(())
}

#[test]
fn the_database_of_the_inbox_may_stand_anywhere() -> Result<()> {
    let folder = tempdir()?;
    let db = folder.path().join("memory.db");
    let db = db.to_string_lossy();
    let created = native(&["call", "list_domains", "--no-model", "--db", &db], &[])?;
    ensure!(created.status.success(), "{}", told(&created));
    for arguments in
        [&["inbox", "list", "--db", &db][..], &["inbox", "--db", &db, "list"], &["inbox", "--db", &db]]
    {
        for output in [native(arguments, &[])?, node(arguments, &[])?] {
            ensure!(output.status.success(), "{arguments:?}: {}", told(&output));
        }
    }
    let arguments = ["inbox", "trust", "client:x", "--db", &db];
    for output in [native(&arguments, &[])?, node(&arguments, &[])?] {
        ensure!(output.status.success(), "{}", told(&output));
    }
    Ok(())
}

#[test]
fn commands_that_change_the_database_are_refused_while_it_is_read_only() -> Result<()> {
    let folder = tempdir()?;
    let db = folder.path().join("memory.db");
    let db = db.to_string_lossy();
    let created = native(&["call", "list_domains", "--no-model", "--db", &db], &[])?;
    ensure!(created.status.success(), "{}", told(&created));
    let on = &[("LIMBIC_READ_ONLY", "1")][..];
    let origins = ["trust", "distrust"].map(|action| ["inbox", action, "client:x"]);
    let ids = ["accept", "reject"].map(|action| ["inbox", action, "a"]);
    let commands =
        [&["compact"][..]].into_iter().chain(origins.iter().chain(&ids).map(|command| &command[..]));
    for command in commands {
        let given = [command, &["--db", &db]].concat();
        let name = command.get(..2).unwrap_or(command).join(" ");
        let expected = format!("LIMBIC_READ_ONLY is on, but {name} changes the database: ");
        ensure_both_refuse(&native(&given, on)?, &node(&given, on)?, &given, &expected)?;
    }
    for command in [&["inbox"][..], &["inbox", "list"], &["check"]] {
        let given = [command, &["--db", &db]].concat();
        for output in [native(&given, on)?, node(&given, on)?] {
            ensure!(output.status.success(), "{given:?}: {}", told(&output));
        }
    }
    Ok(())
}

#[test]
fn the_help_of_a_command_lists_only_its_own_options() -> Result<()> {
    for command in ["export", "check", "compact", "inbox"] {
        let help = native(&[command, "--help"], &[])?;
        let help = String::from_utf8_lossy(&help.stdout).into_owned();
        ensure!(help.contains("--db"), "{command}: {help}");
        for option in ["--toolsets", "--output-schemas", "--code-root", "--read-only", "--model", "--redact"]
        {
            ensure!(!help.contains(option), "{command} lists {option}: {help}");
        }
    }
    Ok(())
}

#[test]
fn neither_program_shows_the_password_of_an_address_or_takes_it_for_a_file() -> Result<()> {
    let folder = tempdir()?;
    let here = |mut command: Command| {
        command.current_dir(folder.path());
        command
    };
    let node_program = || -> Result<Command> {
        let mut command = Command::new("node");
        command.arg(node_main()?);
        Ok(command)
    };
    let address = "postgres://limbic:s3cret@h/db";
    let quoted = format!("'{address}'");
    let cases: &[(Arguments<'_>, Variables<'_>)] = &[
        (&[], &[("LIMBIC_DB", &quoted)]),
        (&["--db", &quoted], &[]),
        (&["--db", "limbic:s3cret@h/db"], &[]),
        (&["--db", "jdbc:postgresql://h/db?user=limbic&password=s3cret"], &[]),
        (&["--db", "$LIMBIC_TEST_URL"], &[("LIMBIC_TEST_URL", address)]),
        (&["--model", &quoted], &[]),
        (&["--http", "4000", "--import-dir", address], &[]),
        (&["--http", "4000", "--public-url", "https://limbic:s3cret@memory.example"], &[]),
        (&[address], &[]),
        (&["--pg", address], &[]),
    ];
    for (arguments, variables) in cases {
        let serve: Vec<&str> = std::iter::once("serve").chain(arguments.iter().copied()).collect();
        let native = run(here(Command::new(limbic_binary()?)), &serve, variables)?;
        let node = run(here(node_program()?), arguments, variables)?;
        for output in [native, node] {
            let text = String::from_utf8_lossy(&output.stdout).into_owned() + &told(&output);
            ensure!(output.status.code() == Some(REFUSED), "{arguments:?}: {}: {text}", output.status);
            ensure!(!text.contains("s3cret"), "{arguments:?}: {text}");
        }
    }
    let commands: &[Arguments<'_>] = &[
        &["check", "--db"],
        &["call", "memory_list", "--no-model", "--db"],
        &["call", "memory_list", "--no-model", "--code-root"],
        &["export", "--out"],
        &["hook", "session-start", "--db"],
        &["inbox", "--db"],
        &["key", "encrypt", "--db"],
        &["pages", "import"],
        &["token", "create", "ada", "--db"],
        &["unlock", "--db"],
    ];
    for command in commands {
        for given in [&quoted, "limbic:s3cret@h/db", "psql 'postgresql://limbic:s3cret@h/db'"] {
            let arguments = [command, &[given][..]].concat();
            for program in [Command::new(limbic_binary()?), node_program()?] {
                let output =
                    run(here(program), &arguments, &[("HOME", "."), ("XDG_DATA_HOME", "/nonexistent")])?;
                let text = String::from_utf8_lossy(&output.stdout).into_owned() + &told(&output);
                ensure!(!text.contains("s3cret"), "{arguments:?}: {text}");
            }
        }
    }
    // The answer of a tool.
    let elsewhere = tempdir()?;
    let database = elsewhere.path().join("memory.db");
    let source = serde_json::json!({ "source_path": address }).to_string();
    let called =
        native(&["call", "migrate", &source, "--no-model", "--db", &database.to_string_lossy()], &[])?;
    let answer = String::from_utf8_lossy(&called.stdout).into_owned();
    ensure!(answer.contains("source_unreadable") && !answer.contains("s3cret"), "{answer}");
    let unknown = native(&["call", address, "--no-model", "--db", &database.to_string_lossy()], &[])?;
    ensure!(!told(&unknown).contains("s3cret") && unknown.stdout.is_empty(), "{}", told(&unknown));
    let left: Vec<_> = folder.path().read_dir()?.map(|entry| entry.map(|entry| entry.path())).collect();
    ensure!(left.is_empty(), "{left:?}");
    Ok(())
}
