//! The context of a handler.

use limbic_core::{
    Engine, Error, Result,
    records::Merger,
    search::{Phrasing, Ranking},
    store::{
        logs::search_log::Policy,
        origins::{Kind, Origin},
    },
};
use limbic_protocol::{Encoding, EncodingResult, QueryTokens};

use crate::{
    Options, Tool, Toolset, code_files::CodeFiles, comparisons::Comparisons, deferred::Deferred,
    event_ids::EventIds, indexing::Shown, redact, source::Source, watching::Watch,
};

/// Reports the progress of a long call: what is done and the total, in bytes of the file that is read; of index_project
/// in units of work, two for each file.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// The context of a handler.
pub struct Context<'a> {
    /// The open memory.
    pub memory: &'a mut Engine,
    /// The options of the shell.
    pub options: &'a Options,
    /// The tools that the shell offers, in reading order.
    pub offered: Vec<&'static Tool>,
    /// The tools that may be called: those offered, and those that `more_tools` reaches.
    pub callable: Vec<&'static Tool>,
    /// The encodings of the tool's texts, in order; empty without an encoder.
    pub encodings: &'a [EncodingResult],
    /// The ranking of search results.
    pub ranking: Ranking,
    /// The policy of the search log: its fields, and how long they are kept.
    pub search_log: Policy,
    /// Whether personal data is removed from memories before they are stored.
    pub redact: bool,
    /// The origin of an import; `None` if the shell has not set the caller.
    pub import: Option<Origin>,
    /// The project of the hook that calls, which excludes memories that wait for review; see
    /// [`Filter::visible_in`](limbic_core::store::memories::Filter::visible_in).
    pub visible_in: Option<&'a str>,
    /// The file named in the arguments.
    pub file: Option<&'a mut dyn Source>,
    /// Reports the progress of a long call.
    pub progress: Progress<'a>,
    /// The files of projects, if the shell can read them.
    pub code: Option<&'a mut dyn CodeFiles>,
    /// Identifies this server in the leases of the code index.
    pub server: i64,
    /// The watched projects; `None` until the shell asks for them.
    pub watch: Option<&'a Watch>,
    /// The comparisons of projects with their files before answers.
    pub comparisons: &'a mut Comparisons,
    /// Why the last step of indexing between calls failed, if it did: it is tried again.
    pub indexing_problem: &'a mut Option<String>,
    /// The changed files that were seen and could not be stored, because the database was busy.
    pub unstored: Shown,
    /// The files of which the index does not have the present content: they cannot be read now, the folder of their
    /// project cannot be reached, or they have changed and the database is read-only.
    pub unseen: Shown,
    /// For how many seconds the files outside of the answer have not been compared with the index, if they were not for
    /// this call.
    pub unchecked_seconds: Option<u64>,
    /// Writes deferred until after the answer.
    pub deferred: &'a mut Vec<Deferred>,
    /// Source of ids for the search log.
    pub event_ids: &'a mut EventIds,
}

impl<'a> Context<'a> {
    /// Returns the only user whose memories the call reaches.
    pub fn user(&self) -> Option<&str> {
        self.options.user.as_deref()
    }

    /// Whether the shell offers tools of a toolset.
    pub fn offers(&self, toolset: Toolset) -> bool {
        self.offered.iter().any(|tool| tool.toolset == toolset)
    }

    /// Returns a text to store: without personal data if that is to be removed.
    pub fn storable(&self, text: Option<String>) -> Option<String> {
        if self.redact { text.map(redact::text) } else { text }
    }

    /// Returns the merger of an import, which removes personal data from memories if that is to be removed, and refuses
    /// secrets where the tools do.
    pub fn merger(&self) -> Merger {
        Merger::new(self.redact.then_some(redact::json))
            .of_import(self.import.clone())
            .keeping_graph_secrets(!self.options.refuses_graph_secrets())
    }

    /// Returns a new import of the file at `path` as an origin.
    pub fn import_origin(&self, path: &str) -> Option<Origin> {
        let caller = self.memory.session().caller()?;
        let mut bytes = [0; 8];
        self.memory.database().host().fill_random(&mut bytes);
        let import_id = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let file = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
        let origin = Origin {
            kind: Kind::Import,
            client: caller.client.clone(),
            session: self.memory.session().id().to_owned(),
            project: caller.project.clone(),
            folder: caller.folder.clone(),
            file: file.to_owned(),
            import_id,
        };
        Some(origin.bounded())
    }

    /// Returns the files of projects. Tools that need them are offered only if the shell has them.
    pub fn code_files(&mut self) -> Result<&mut dyn CodeFiles> {
        match &mut self.code {
            // Shortens the lifetime behind the reference, which an option does not do by itself.
            Some(files) => Ok(&mut **files),
            None => Err(Error::Internal("this program cannot read source code".to_owned())),
        }
    }

    /// Returns the sentence vector and tokens of the tool's first text, if an encoder has encoded it.
    pub fn query_encoding(&self) -> Option<(&'a [f32], &'a QueryTokens)> {
        query_encoding(self.encodings.first()?)
    }

    /// Returns the phrasings of a query, whose texts are those of the tool. They have encodings only if an encoder has
    /// encoded all of them: scores with and without vectors cannot be compared.
    pub fn phrasings<'t>(&self, texts: &'t [String]) -> Vec<Phrasing<'t>>
    where
        'a: 't,
    {
        let encodings: Option<Vec<_>> = self.encodings.iter().map(query_encoding).collect();
        let encodings = encodings.filter(|encodings| encodings.len() == texts.len());
        let encoding = |index: usize| encodings.as_ref().map(|encodings| encodings[index]);
        texts.iter().enumerate().map(|(index, text)| Phrasing { text, encoding: encoding(index) }).collect()
    }
}

/// Returns the vector and tokens of a query; `None` if it was not encoded, or not to finite numbers.
fn query_encoding(encoding: &EncodingResult) -> Option<(&[f32], &QueryTokens)> {
    let is_finite = |vector: &[f32]| vector.iter().all(|number| number.is_finite());
    match encoding {
        Ok(Encoding::Query { vector, tokens }) if is_finite(vector) && is_finite(&tokens.vectors) => {
            Some((vector, tokens))
        }
        _ => None,
    }
}
