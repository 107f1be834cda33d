//! Source code among recalled memories.

use limbic_core::{Error, Result};

use super::{
    arguments::{Input, Strategy},
    results::{RecalledView, ResultView, Sourced},
};
use crate::{
    context::Context,
    tool::Toolset,
    tools::code::filter_words,
    tools::code::search_code::{self, ChunkView, SearchMode},
};

/// Checks the arguments about code.
///
/// # Errors
/// [`Error::InvalidArgument`] if they do not fit together, or if this server or client has no code index.
pub fn check(context: &Context<'_>, input: &Input) -> Result<()> {
    let refused = |message: &str| Err(Error::invalid(message));
    if !input.include_code {
        return match (&input.project_id, &input.language) {
            (None, None) => Ok(()),
            (Some(_), _) => refused("project_id needs include_code: true"),
            (None, Some(_)) => refused("language needs include_code: true"),
        };
    }
    filter_words::check_language(input.language.as_deref())?;
    if input.query.is_none() || input.strategy != Strategy::Hybrid {
        return refused("include_code needs query, with strategy hybrid");
    }
    if input.as_of.is_some() {
        return refused("include_code searches the code as it is now: leave out as_of");
    }
    if !context.offers(Toolset::Code) {
        return refused(
            "include_code needs the tools of the code index: start the server with the toolset code",
        );
    }
    Ok(())
}

/// Searches the code for the query.
///
/// # Errors
/// As the tool `search_code`.
pub fn found(context: &mut Context<'_>, input: &Input) -> Result<Vec<ChunkView>> {
    let query = search_code::Input {
        query: input.query.clone().unwrap_or_default(),
        project_id: input.project_id.clone(),
        limit: input.limit,
        mode: SearchMode::Hybrid,
        path_prefix: None,
        language: input.language.clone(),
        chunk_type: None,
        explain: input.explain,
        // The answer of the recall has the budget, and counts what it omits.
        max_tokens: usize::MAX,
    };
    Ok(search_code::search_code(context, query)?.results)
}

/// Merges memories and code by rank, the memory first at equal rank, and returns the first `limit`.
pub fn merged(memories: Vec<RecalledView>, code: Vec<ChunkView>, limit: usize) -> Vec<ResultView> {
    let mut memories = memories.into_iter();
    let mut code = code.into_iter();
    let mut merged = Vec::new();
    loop {
        let memory = memories.next().map(Sourced::of_memory);
        let chunk = code.next().map(Sourced::of_code);
        if memory.is_none() && chunk.is_none() || merged.len() >= limit {
            merged.truncate(limit);
            return merged;
        }
        merged.extend(memory.into_iter().chain(chunk).map(|it| ResultView::Sourced(Box::new(it))));
    }
}
