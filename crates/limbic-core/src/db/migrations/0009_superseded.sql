-- Whatever is deleted is looked for among what took another's place.
CREATE INDEX idx_memories_superseded ON MEMORY_NODES(superseded_by) WHERE superseded_by IS NOT NULL;
