//! A walk along the relations of symbols.

use std::collections::{BTreeMap, BTreeSet};

use limbic_code::{Relation, Tier};
use limbic_core::{
    Result, Transaction,
    store::code::{
        edges::{self, CodeEdge},
        symbols::{self, CodeSymbol},
    },
};

use super::relations::{Action, CandidateView, Direction, EdgeView, MinTier, Output};
use crate::{
    comparisons::Lack,
    indexing::Shown,
    tools::code::{current::Draft, symbol::SymbolView},
};

/// Maximum number of sets of candidates.
const MAX_CANDIDATES: usize = 50;

/// Symbols and relations being collected.
pub struct Walk<'a> {
    tx: &'a Transaction<'a>,
    min_tier: Tier,
    limit: usize,
    left_out: &'a Shown,
    order: Vec<i64>,
    symbols: BTreeMap<i64, CodeSymbol>,
    edges: Vec<EdgeView>,
    seen: BTreeSet<(String, String, &'static str, String, u32)>,
    candidates: BTreeMap<(String, u32, String), BTreeSet<String>>,
    frontier: Vec<i64>,
    shown: Shown,
    truncated: bool,
}

/// A relation of a symbol.
enum Step {
    Edge(CodeEdge),
    /// The first symbol contains the second.
    Contains(i64, i64),
}

impl<'a> Walk<'a> {
    /// Starts an empty walk.
    pub fn new(tx: &'a Transaction<'a>, min_tier: MinTier, limit: usize, left_out: &'a Shown) -> Self {
        Self {
            tx,
            min_tier: match min_tier {
                MinTier::Resolved => Tier::Resolved,
                MinTier::Likely => Tier::Likely,
                MinTier::Name => Tier::Name,
            },
            limit,
            left_out,
            order: Vec::new(),
            symbols: BTreeMap::new(),
            edges: Vec::new(),
            seen: BTreeSet::new(),
            candidates: BTreeMap::new(),
            frontier: Vec::new(),
            shown: Shown::new(),
            truncated: false,
        }
    }

    /// Adds a symbol. Returns whether it is new.
    pub fn add(&mut self, symbol: CodeSymbol) -> Result<bool> {
        let file = (symbol.project, symbol.file_path.clone());
        if self.left_out.contains(&file) || self.symbols.contains_key(&symbol.number) {
            return Ok(false);
        }
        self.shown.insert(file);
        self.order.push(symbol.number);
        self.symbols.insert(symbol.number, symbol);
        Ok(true)
    }

    /// Adds the targets of the references in a line.
    pub fn line(&mut self, project: i64, path: &str, line: u32) -> Result<()> {
        self.shown.insert((project, path.to_owned()));
        for edge in edges::in_line(self.tx, project, path, line, self.min_tier)? {
            self.take(&Step::Edge(edge), project)?;
        }
        Ok(())
    }

    /// Follows the relations of a symbol, breadth first.
    pub fn follow(&mut self, start: i64, action: Action, direction: Direction, depth: u32) -> Result<()> {
        let mut level = vec![start];
        let mut walked = BTreeSet::from([start]);
        for _ in 0..depth {
            let mut next = Vec::new();
            for number in level {
                let Some(project) = self.symbols.get(&number).map(|symbol| symbol.project) else { continue };
                for step in self.steps(number, action, direction)? {
                    let others = self.take(&step, project)?;
                    next.extend(others.into_iter().filter(|other| walked.insert(*other)));
                }
            }
            level = next;
        }
        for number in level {
            if !self.steps(number, action, direction)?.is_empty() {
                self.frontier.push(number);
            }
        }
        Ok(())
    }

    /// Adds a relation. Returns the symbols that it leads to, if it is a sure one.
    fn take(&mut self, step: &Step, project: i64) -> Result<Vec<i64>> {
        let (from, to) = match step {
            Step::Edge(edge) => (edge.from, edge.to),
            Step::Contains(outer, inner) => (Some(*outer), *inner),
        };
        let Some(to_symbol) = symbols::get(self.tx, to)? else { return Ok(Vec::new()) };
        let from_symbol = from.map(|number| symbols::get(self.tx, number)).transpose()?.flatten();
        let to_id = to_symbol.id();
        let (file_path, line) = match step {
            Step::Edge(edge) => (edge.file_path.clone(), edge.line),
            Step::Contains(..) => (to_symbol.file_path.clone(), to_symbol.line),
        };
        if self.left_out.contains(&(project, file_path.clone())) {
            return Ok(Vec::new());
        }
        let from_id = from_symbol
            .as_ref()
            .map_or_else(|| format!("{}:{file_path}", to_symbol.project_id), CodeSymbol::id);
        if let Step::Edge(CodeEdge { tier: Tier::Name, .. }) = step {
            let key = (file_path.clone(), line, from_id);
            if self.candidates.len() < MAX_CANDIDATES || self.candidates.contains_key(&key) {
                self.shown.insert((project, file_path));
                self.candidates.entry(key).or_default().insert(to_id);
            } else {
                self.truncated = true;
            }
            return Ok(Vec::new());
        }
        let (relation, tier) = match step {
            Step::Edge(edge) => (edge.relation.as_str(), edge.tier),
            Step::Contains(..) => ("contains", Tier::Resolved),
        };
        if !self.seen.insert((from_id.clone(), to_id.clone(), relation, file_path.clone(), line)) {
            return Ok(Vec::new());
        }
        if self.edges.len() >= self.limit {
            self.truncated = true;
            return Ok(Vec::new());
        }
        self.shown.insert((project, file_path.clone()));
        self.edges.push(EdgeView {
            from: from_id,
            to: to_id,
            relation,
            tier: tier.as_str(),
            file_path,
            line,
        });
        let mut led = Vec::new();
        for symbol in [Some(to_symbol), from_symbol].into_iter().flatten() {
            let number = symbol.number;
            if self.add(symbol)? {
                led.push(number);
            }
        }
        Ok(led)
    }

    fn steps(&self, number: i64, action: Action, direction: Direction) -> Result<Vec<Step>> {
        let inward = || edges::into(self.tx, number, self.min_tier);
        let outward = || edges::out_of(self.tx, number, self.min_tier);
        let calls = |list: Vec<CodeEdge>| list.into_iter().filter(|edge| edge.relation == Relation::Calls);
        let mut steps: Vec<Step> = Vec::new();
        match action {
            Action::Callers => steps.extend(calls(inward()?).map(Step::Edge)),
            Action::Callees => steps.extend(calls(outward()?).map(Step::Edge)),
            Action::References => steps.extend(inward()?.into_iter().map(Step::Edge)),
            Action::Related => {
                if direction != Direction::Out {
                    steps.extend(inward()?.into_iter().map(Step::Edge));
                    steps
                        .extend(symbols::parent(self.tx, number)?.map(|outer| Step::Contains(outer, number)));
                }
                if direction != Direction::In {
                    steps.extend(outward()?.into_iter().map(Step::Edge));
                    let inner = symbols::members(self.tx, number)?;
                    steps.extend(inner.into_iter().map(|inner| Step::Contains(number, inner)));
                }
            }
            Action::Definition => {}
        }
        Ok(steps)
    }

    /// Ends the walk.
    pub fn end(self) -> Result<Draft<Output>> {
        let mut symbols = self.symbols;
        let frontier =
            self.frontier.iter().filter_map(|number| symbols.get(number)).map(CodeSymbol::id).collect();
        let nodes =
            self.order.iter().filter_map(|number| symbols.remove(number)).map(SymbolView::from).collect();
        let candidates = self
            .candidates
            .into_iter()
            .map(|((file_path, line, from), may_be)| CandidateView {
                from,
                file_path,
                line,
                may_be: may_be.into_iter().collect(),
            })
            .collect();
        let answer = Output {
            nodes,
            edges: self.edges,
            candidates,
            memories: Vec::new(),
            frontier,
            truncated: self.truncated,
            pending_files: 0,
            unchecked_seconds: None,
        };
        let is_empty = answer.edges.is_empty() && answer.candidates.is_empty();
        let lack = if is_empty { Lack::Answer } else { Lack::Results };
        Ok(Draft { answer, shown: self.shown, lack })
    }
}
