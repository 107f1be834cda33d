-- What contradicts what is asked of many memories, from either end.
CREATE INDEX idx_memory_edges_contradicted ON MEMORY_EDGES(target) WHERE type = 'contradicts';
