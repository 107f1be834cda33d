//! Mutation-based fuzzing: inputs are mutations of a corpus that a seed determines.
//!
//! Without settings a target runs a fixed number of inputs, as a test. `cargo xtask fuzz` sets `LIMBIC_FUZZ_SECONDS`,
//! or `LIMBIC_FUZZ_SEED` to repeat one input, and `LIMBIC_FUZZ_FILE`, a file for the current seed, which remains if the
//! process is killed.

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};

use limbic_protocol::SplitMix64;

/// Maximum length of an input, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum number of mutations of an input.
const MAX_CHANGES: u64 = 8;
/// Numbers and characters that parsers treat specially.
const MARKS: [&str; 24] = [
    "0",
    "-1",
    "1e999",
    "9223372036854775808",
    "null",
    "{}",
    "[",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\0",
    "\n",
    "\r\n",
    "\t",
    "\u{FEFF}",
    "\u{200B}",
    "\u{202E}",
    "é",
    "🏴",
    "--",
    ";",
    "=",
    "../",
];

/// Which inputs a target runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// The inputs of a number of consecutive seeds.
    Inputs(u64),
    /// The inputs of consecutive seeds, until the time is over.
    Time(Duration),
}

/// A fuzz target.
pub struct Target<'a> {
    /// Its name, as `cargo xtask fuzz --target` takes it.
    pub name: &'a str,
    /// The inputs that are mutated and joined.
    pub corpus: Vec<Vec<u8>>,
    /// Tokens of its format, which mutations insert.
    pub words: &'a [&'a str],
    /// The number of inputs in a run of the tests.
    pub inputs: u64,
}

impl Target<'_> {
    /// Runs `check` on inputs, as the environment selects, until one fails.
    ///
    /// # Errors
    /// The first failure or panic, with the seed of its input. An empty corpus; settings that are not numbers.
    pub fn run(&self, check: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let seed = setting("LIMBIC_FUZZ_SEED")?;
        let budget = match setting("LIMBIC_FUZZ_SECONDS")? {
            Some(seconds) => Budget::Time(Duration::from_secs(seconds)),
            None if seed.is_some() => Budget::Inputs(1),
            None => Budget::Inputs(self.inputs),
        };
        self.run_from(seed.unwrap_or(1), budget, check)
    }

    /// Runs `check` on the inputs of the seeds from `first` on.
    ///
    /// # Errors
    /// As [`Target::run`].
    pub fn run_from(
        &self,
        first: u64,
        budget: Budget,
        mut check: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        ensure!(!self.corpus.is_empty(), "the corpus of {} is empty", self.name);
        let file = env::var_os("LIMBIC_FUZZ_FILE");
        let started = Instant::now();
        let mut inputs = 0;
        while match budget {
            Budget::Inputs(count) => inputs < count,
            Budget::Time(limit) => started.elapsed() < limit,
        } {
            let seed = first.wrapping_add(inputs);
            if let Some(file) = &file {
                fs::write(file, seed.to_string())?;
            }
            let input = self.input(seed);
            let outcome = catch_unwind(AssertUnwindSafe(|| check(&input)))
                .unwrap_or_else(|_| Err(anyhow!("it panicked; the message is above")));
            if let Err(error) = outcome {
                let shown: String = String::from_utf8_lossy(&input).chars().take(2000).collect();
                return Err(error.context(format!(
                    "target {}, seed {seed}; repeat: cargo xtask fuzz --target {} --seed {seed}\ninput: {shown:?}",
                    self.name, self.name
                )));
            }
            inputs += 1;
        }
        println!("{}: {inputs} inputs from seed {first} on", self.name);
        Ok(())
    }

    /// The input of a seed: one of the corpus with one to eight changes.
    #[must_use]
    pub fn input(&self, seed: u64) -> Vec<u8> {
        // Consecutive seeds would give similar first numbers.
        let mut random = SplitMix64::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (seed >> 7));
        random.below(2);
        let mut input = pick(&mut random, &self.corpus).clone();
        for _ in 0..=random.below(MAX_CHANGES) {
            self.change(&mut random, &mut input);
            input.truncate(MAX_BYTES);
        }
        input
    }

    fn change(&self, random: &mut SplitMix64, input: &mut Vec<u8>) {
        let at = index_up_to(random, input.len());
        let end = at + index_up_to(random, (input.len() - at).min(64));
        match random.below(9) {
            0 => input.truncate(at),
            1 => drop(input.drain(at..end)),
            2 => {
                let again = input[at..end].repeat(1 + index_up_to(random, 6));
                input.splice(at..at, again);
            }
            3 if at < input.len() => input[at] ^= 1 << random.below(8),
            4 => {
                let bytes: Vec<u8> = (0..=random.below(4)).map(|_| byte(random)).collect();
                input.splice(at..end.min(at + 4), bytes);
            }
            5 => {
                // A piece of another input, so that formats mix.
                let other = pick(random, &self.corpus);
                let from = index_up_to(random, other.len());
                let to = from + index_up_to(random, (other.len() - from).min(512));
                input.splice(at..at, other[from..to].iter().copied());
            }
            6 if !self.words.is_empty() => {
                input.splice(at..end.min(at + 8), random.one_of(self.words).bytes());
            }
            7 => {
                // A line is duplicated or moved.
                let line = input
                    .split(|byte| *byte == b'\n')
                    .nth(index_up_to(random, 12))
                    .unwrap_or_default()
                    .to_vec();
                input.splice(at..at, line);
            }
            _ => {
                input.splice(at..at, random.one_of(&MARKS).bytes());
            }
        }
    }
}

/// The files below a folder whose names end in one of these, in the order of their paths.
///
/// # Errors
/// If a file cannot be read.
pub fn files(folder: &Path, endings: &[&str]) -> Result<Vec<Vec<u8>>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| Ok(fs::read(path)?)).collect()
}

fn setting(name: &str) -> Result<Option<u64>> {
    let Ok(value) = env::var(name) else { return Ok(None) };
    value.parse().map(Some).with_context(|| format!("{name} must be a whole number, not {value:?}"))
}

/// An index from 0 to `length`, inclusive.
fn index_up_to(random: &mut SplitMix64, length: usize) -> usize {
    let limit = u64::try_from(length).unwrap_or(u64::MAX).saturating_add(1);
    usize::try_from(random.below(limit)).unwrap_or(length)
}

fn byte(random: &mut SplitMix64) -> u8 {
    u8::try_from(random.below(256)).unwrap_or_default()
}

fn pick<'a>(random: &mut SplitMix64, corpus: &'a [Vec<u8>]) -> &'a Vec<u8> {
    &corpus[index_up_to(random, corpus.len() - 1)]
}
