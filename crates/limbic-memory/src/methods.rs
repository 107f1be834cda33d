//! Every tool as a method.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{failure::Failure, memory::Memory};

macro_rules! methods {
    ($($tool:ident)+) => {
        /// The names of the tools that are methods of [`Memory`], in reading order: those of [`crate::TOOLS`]
        /// without `more_tools`, which lists tools that are methods here.
        pub const METHODS: &[&str] = &[$(stringify!($tool)),+];

        /// Every tool as a method; see [`Memory::call`] for arguments, answers and errors.
        impl Memory {
            $(
                #[doc = concat!("Calls the tool `", stringify!($tool), "`; see [`Memory::call`].")]
                ///
                /// # Errors
                /// As [`Memory::call`].
                pub fn $tool<T: DeserializeOwned>(&self, arguments: impl Serialize) -> Result<T, Failure> {
                    self.call(stringify!($tool), arguments)
                }
            )+
        }
    };
}

methods! {
    create_entities
    create_relations
    add_observations
    delete_entities
    delete_observations
    delete_relations
    read_graph
    search_nodes
    open_nodes
    search_semantic
    migrate
    analyze_entity_split
    propose_entity_split
    execute_entity_split
    find_split_candidates
    find_duplicate_observations
    consolidation_report
    end_relation
    add_reflection
    search_reflections
    search_quality_report
    graph_neighbors
    graph_communities
    memory_store
    memory_recall
    memory_get
    memory_list
    memory_update
    memory_invalidate
    memory_forget
    memory_link
    memory_traverse
    memory_diagram
    memory_maintain
    list_domains
    create_domain
    select_domain
    delete_domain
    index_project
    get_index_status
    list_projects
    delete_project
    search_code
    search_symbols
    symbol_graph
    explore_graph
    explore_records
    explore_entity
    explore_memory
    explore_timeline
    explore_events
    explore_stats
    query_sql
    explore_schema
    explore_inbox
    review_inbox
    explore_code
    explore_source
    explore_code_memories
}
