//! Definitions that are unchanged apart from their name, or from what this version derives of them: the links of
//! memories follow them within a file.

use std::collections::BTreeMap;

use limbic_code::FACTS_VERSION;

use crate::{
    Result, Transaction,
    store::{
        code::{chunks, files::CodeFile, projects::Project, symbols},
        memories::code_links::{self, CodeLink},
    },
};

/// The linked symbols of a file, as they are before it is stored.
pub(super) struct LinkedSymbols {
    /// The links, with whether the code of each is unchanged.
    links: Vec<(CodeLink, bool)>,
    /// The texts of symbols by qualified name.
    texts: BTreeMap<String, String>,
}

impl LinkedSymbols {
    /// Reads the links to symbols of a file; `None` if there are none.
    pub(super) fn read(tx: &Transaction<'_>, project: &Project, file: &CodeFile) -> Result<Option<Self>> {
        let links = code_links::of_file(tx, &project.id, &file.path, None)?;
        if links.is_empty() {
            return Ok(None);
        }
        let with_shape = |link: CodeLink| {
            let holds = code_links::shape_at(tx, project.number, link.present())? == Some(link.shape_hash);
            Ok((link, holds))
        };
        let links = links.into_iter().map(with_shape).collect::<Result<_>>()?;
        Ok(Some(Self { links, texts: texts_of_symbols(tx, file.id)? }))
    }

    /// Stores the new names of symbols that the file no longer has, if exactly one new symbol has the same text apart
    /// from its name. Where another version has stored the file, links to unchanged code take the shapes of this one.
    ///
    /// `file` is as it was before it was stored, and `hash` is that of the bytes that were read.
    pub(super) fn follow(
        self,
        tx: &Transaction<'_>,
        project: &Project,
        file: &CodeFile,
        hash: i64,
    ) -> Result<()> {
        let is_other_version = file.facts_version != FACTS_VERSION;
        let after = texts_of_symbols(tx, file.id)?;
        let added: Vec<_> = after.iter().filter(|(name, _)| !self.texts.contains_key(*name)).collect();
        for (link, holds) in &self.links {
            let name = &link.present().qualified_name;
            let is_same_text = || self.texts.get(name).is_some_and(|before| after.get(name) == Some(before));
            if is_other_version && *holds && (file.hash == hash || is_same_text()) {
                code_links::rename(tx, project, link, name, true)?;
                continue;
            }
            let Some(text) = self.texts.get(name).filter(|_| !after.contains_key(name)) else { continue };
            let words = words_without(text, name);
            let mut same = added.iter().filter(|(name, text)| words_without(text, name) == words);
            if let (Some((name, _)), None) = (same.next(), same.next()) {
                code_links::rename(tx, project, link, name, *holds)?;
            }
        }
        Ok(())
    }
}

/// The texts of a file's functions, methods, types and modules, by qualified name. A constant and a type alias have
/// little text besides their name, so that another one may have the same.
fn texts_of_symbols(tx: &Transaction<'_>, file: i64) -> Result<BTreeMap<String, String>> {
    let lines = chunks::lines(tx, file)?;
    let text =
        |start, end| lines.range(start..=end).map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n");
    let spans = symbols::spans(tx, file)?;
    Ok(spans.into_iter().map(|(name, start, end)| (name, text(start, end))).collect())
}

/// The words and signs of a symbol's text, without layout and without its own name.
fn words_without<'a>(text: &'a str, qualified_name: &str) -> Vec<&'a str> {
    let name = qualified_name.split('~').next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(letter) = rest.chars().next() {
        let end = match rest.find(|letter| !is_of_word(letter)) {
            Some(0) => letter.len_utf8(),
            Some(end) => end,
            None => rest.len(),
        };
        let (word, after) = rest.split_at(end);
        words.push(if word == name { "" } else { word });
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::words_without;

    #[test]
    fn layout_and_the_own_name_do_not_count() {
        let words = words_without("fn area(x: i8) {\n    area(x-1)\n}", "Shape.area~2");
        assert_eq!(words, words_without("fn size (x : i8) { size(x - 1) }", "Shape.size"));
        assert_ne!(words, words_without("fn size(x: i8) { area(x-1) }", "Shape.size"));
        assert_eq!(words_without("  größe = 1", "größe"), ["", "=", "1"]);
    }
}
