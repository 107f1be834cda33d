//! The environment variables of Limbic, and a warning about unknown ones, such as misspelled names.

use std::env;

use limbic_tools::nearest;

/// The variables of Limbic's programs. `LIMBIC_ASSISTANT_MARKS` and `LIMBIC_UI_DIR` are those of one of them, whose
/// environment the other may share.
const KNOWN: [&str; 30] = [
    "LIMBIC_ASSISTANT_MARKS",
    "LIMBIC_CODE_ROOT",
    "LIMBIC_COMPAT",
    "LIMBIC_DB",
    "LIMBIC_ENCRYPT",
    "LIMBIC_HTTP",
    "LIMBIC_IMPORT_DIR",
    "LIMBIC_KEY",
    "LIMBIC_KEY_FILE",
    "LIMBIC_MODEL",
    "LIMBIC_MODEL_DIMENSIONS",
    "LIMBIC_NEW_PASSPHRASE",
    "LIMBIC_NEW_PASSPHRASE_FILE",
    "LIMBIC_NO_MODEL",
    "LIMBIC_OUTPUT_SCHEMAS",
    "LIMBIC_PAGE_TOKEN",
    "LIMBIC_PASSPHRASE",
    "LIMBIC_PASSPHRASE_FILE",
    "LIMBIC_PRIVATE_LOG",
    "LIMBIC_PUBLIC_URL",
    "LIMBIC_READ_ONLY",
    "LIMBIC_REDACT",
    "LIMBIC_SCAN_GRAPH",
    "LIMBIC_SEARCH_LOG_DAYS",
    "LIMBIC_SHARED_DISK",
    "LIMBIC_TOKEN",
    "LIMBIC_TOOLSETS",
    "LIMBIC_UI",
    "LIMBIC_UI_DIR",
    "LIMBIC_USER",
];

const PREFIX: &str = "LIMBIC_";
/// The prefix of variables for tests.
const TEST_PREFIX: &str = "LIMBIC_TEST_";

/// Logs the unknown variables with the prefix of Limbic. They are not errors, since another program may use the prefix.
pub fn warn_of_unknown() {
    let names = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    for warning in warnings(names) {
        log!("{warning}");
    }
}

fn warnings(names: impl Iterator<Item = String>) -> Vec<String> {
    let is_unknown = |name: &String| {
        name.starts_with(PREFIX) && !name.starts_with(TEST_PREFIX) && !KNOWN.contains(&name.as_str())
    };
    let mut unknown: Vec<String> = names.filter(is_unknown).collect();
    unknown.sort_unstable();
    let warning = |name: String| {
        let near = nearest(&name, KNOWN).map(|near| format!(". Did you mean {near}?")).unwrap_or_default();
        format!("the variable {name} is unknown and has no effect{near}")
    };
    unknown.into_iter().map(warning).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Arguments;

    fn of(names: &[&str]) -> Vec<String> {
        warnings(names.iter().map(|name| (*name).to_owned()))
    }

    #[test]
    fn unknown_variables_are_named_with_the_nearest_known_one() {
        assert_eq!(
            of(&["PATH", "LIMBIC_TOOLSET", "LIMBIC_DB", "LIMBIC_TEST_LIMIT", "LIMBIC_ELSEWHERE"]),
            [
                "the variable LIMBIC_ELSEWHERE is unknown and has no effect",
                "the variable LIMBIC_TOOLSET is unknown and has no effect. Did you mean LIMBIC_TOOLSETS?",
            ]
        );
    }

    #[test]
    fn every_variable_of_an_option_is_known() {
        let mut commands = vec![Arguments::command()];
        let mut count = 0;
        while let Some(mut command) = commands.pop() {
            let help = command.render_long_help().to_string();
            for (start, _) in help.match_indices(PREFIX) {
                let is_part = |letter: char| letter.is_ascii_uppercase() || letter == '_';
                let name: String = help[start..].chars().take_while(|letter| is_part(*letter)).collect();
                assert!(KNOWN.contains(&name.as_str()), "{name}");
                count += 1;
            }
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(count > 30, "only {count} names");
    }
}
