-- Before a memory is deleted, those that it supersedes are looked up.
CREATE INDEX idx_memories_superseded ON MEMORY_NODES(superseded_by) WHERE superseded_by IS NOT NULL;
