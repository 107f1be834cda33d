//! `cargo xtask sbom`: a software bill of materials of the package, in CycloneDX 1.6.

use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::project;
use crate::tools::say;

/// The builds' lists of what they contain: npm package and explorer. Both name the crates of the modules.
const NOTICES: [&str; 2] = ["node/dist/THIRD_PARTY_NOTICES.txt", "web/dist/THIRD_PARTY_NOTICES.txt"];
const OUTPUT: &str = "node/release/limbic-memory.cdx.json";

/// Writes the bill for the built package.
///
/// # Errors
/// When the package has not been built, or the file cannot be written.
pub fn run() -> Result<()> {
    let mut headings: Vec<String> = Vec::new();
    for file in NOTICES {
        let text = fs::read_to_string(project::path(file))
            .with_context(|| format!("cannot read {file}: run `cargo xtask build` first"))?;
        headings.extend(text.lines().filter(|line| line.starts_with("## ")).map(str::to_owned));
    }
    headings.sort();
    headings.dedup();
    let package: Value = serde_json::from_str(&fs::read_to_string(project::path("node/package.json"))?)?;
    let checksums = fs::read_to_string(project::path("Cargo.lock"))?;
    let components: Vec<Value> =
        headings.iter().map(|heading| component(heading, &checksums)).collect::<Result<_>>()?;
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "name": package["name"],
            "version": package["version"],
            "licenses": [{ "expression": package["license"] }],
        }},
        "components": components,
    });
    let file = project::path(OUTPUT);
    fs::create_dir_all(project::path("node/release"))?;
    fs::write(&file, format!("{bill:#}\n")).with_context(|| format!("cannot write {OUTPUT}"))?;
    say(&format!("{OUTPUT}: {} components", components.len()));
    Ok(())
}

/// One component from `## cargo: serde 1.0.0 (MIT OR Apache-2.0)`, with its checksum in `Cargo.lock`.
fn component(heading: &str, checksums: &str) -> Result<Value> {
    let parts =
        heading.strip_prefix("## ").and_then(|rest| rest.split_once(": ")).and_then(|(kind, rest)| {
            let (named, licence) = rest.strip_suffix(')')?.split_once(" (")?;
            let (name, version) = named.rsplit_once(' ')?;
            Some((kind, name, version, licence))
        });
    let Some((kind, name, version, licence)) = parts else { bail!("not a heading of a package: {heading}") };
    // A package URL escapes the @ of a scope.
    let purl = format!("pkg:{kind}/{}@{version}", name.replacen('@', "%40", 1));
    let mut component = json!({
        "type": "library",
        "bom-ref": purl,
        "purl": purl,
        "name": name,
        "version": version,
        // Old manifests separate alternatives with a slash.
        "licenses": [{ "expression": licence.replace('/', " OR ") }],
    });
    if kind == "cargo" {
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        let checksum = checksums.split_once(&entry).and_then(|(_, rest)| {
            rest.split("\n\n").next()?.split_once("checksum = \"")?.1.split('"').next()
        });
        if let Some(checksum) = checksum {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
    }
    Ok(component)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_has_package_url_licence_and_checksum() {
        let lock = "[[package]]\nname = \"anyhow\"\nversion = \"1.0.0\"\nsource = \"s\"\nchecksum = \"abc\"\n\n[[package]]\n";
        let found = component("## cargo: anyhow 1.0.0 (MIT/Apache-2.0)", lock).expect("a heading");
        assert_eq!(found["purl"], "pkg:cargo/anyhow@1.0.0");
        assert_eq!(found["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(found["hashes"][0]["content"], "abc");
        let scoped = component("## npm: @scope/name 2.0.0 (MIT)", lock).expect("a heading");
        assert_eq!(scoped["purl"], "pkg:npm/%40scope/name@2.0.0");
        assert!(component("## something else", lock).is_err());
    }
}
