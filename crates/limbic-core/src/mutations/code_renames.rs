//! Definitions that are unchanged apart from their name, or from what this version derives of them: the links of
//! memories follow them within a file.

use std::collections::BTreeMap;

use limbic_code::{FACTS_VERSION, are_comparable};

use crate::{
    Result, Transaction,
    store::{
        code::{chunks, files::CodeFile, projects::Project, symbols},
        memories::code_links::{self, CodeLink},
    },
};

/// The linked symbols of a file, as they are before it is stored.
pub(super) struct LinkedSymbols {
    /// The links, with the shape of each symbol.
    links: Vec<(CodeLink, Option<i64>)>,
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
            let shape = code_links::shape_at(tx, project.number, link.present())?;
            Ok((link, shape))
        };
        let links = links.into_iter().map(with_shape).collect::<Result<_>>()?;
        Ok(Some(Self { links, texts: texts_of_symbols(tx, file.id)? }))
    }

    /// Stores the new names of symbols that the file no longer has, if exactly one new symbol has the same text apart
    /// from its name. Where another version has stored the file, links to unchanged code take the shapes of this one,
    /// and those to changed code stay changed.
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
        for (mut link, shape) in self.links {
            let name = link.present().qualified_name.clone();
            let holds = shape == Some(link.shape_hash);
            let (before, now) = (self.texts.get(&name), after.get(&name));
            if is_other_version && holds && (file.hash == hash || (before.is_some() && before == now)) {
                code_links::rename(tx, project, &link, &name, true)?;
                continue;
            }
            let is_changed =
                if holds { before.is_some() && now.is_some() } else { is_compared(file, &link, shape) };
            if is_other_version && is_changed {
                code_links::stay_changed(tx, &mut link)?;
            }
            let Some(text) = before.filter(|_| now.is_none()) else { continue };
            let words = words_without(text, &name);
            let mut same = added.iter().filter(|(name, text)| words_without(text, name) == words);
            if let (Some((name, _)), None) = (same.next(), same.next()) {
                code_links::rename(tx, project, &link, name, holds)?;
            }
        }
        Ok(())
    }
}

/// Whether the shape of a link and another one that a file had for its symbol can be compared. Before version 10,
/// shapes did not contain their version; they were compared as if it were the same.
fn is_compared(file: &CodeFile, link: &CodeLink, shape: Option<i64>) -> bool {
    shape.is_some_and(|shape| {
        file.facts_version < 10 || are_comparable(shape.cast_unsigned(), link.shape_hash.cast_unsigned())
    })
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
