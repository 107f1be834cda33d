-- For the contradictions of many memories, from either end of an edge.
CREATE INDEX idx_memory_edges_contradicted ON MEMORY_EDGES(target) WHERE type = 'contradicts';
