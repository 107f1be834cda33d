-- For queries over all memories: those of one user, and contradictions.
CREATE INDEX idx_memories_user ON MEMORY_NODES(user_id) WHERE user_id IS NOT NULL;
CREATE INDEX idx_memory_edges_contradicts ON MEMORY_EDGES(source) WHERE type = 'contradicts';
