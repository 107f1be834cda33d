-- The time at which a memory was last stated: stored, confirmed by storing it again, or given its text. NULL if another
-- program stored it, which means the time of creation.
ALTER TABLE MEMORY_NODES ADD COLUMN stated_at TEXT;
UPDATE MEMORY_NODES
    SET stated_at = (SELECT max(replaced_at) FROM memory_history WHERE memory_id = MEMORY_NODES.id)
    WHERE id IN (SELECT memory_id FROM memory_history);

-- Whether two near memories are the same statement is decided by their texts; otherwise they may contradict each other.
UPDATE OR REPLACE MEMORY_EDGES
    SET type = 'possible_contradiction',
        id = MEMORY_EDGES.source || '-' || MEMORY_EDGES.target || '-possible_contradiction'
    WHERE type = 'near_duplicate' AND NOT (SELECT same_statement(s.content, t.content)
        FROM MEMORY_NODES AS s, MEMORY_NODES AS t WHERE s.id = MEMORY_EDGES.source AND t.id = MEMORY_EDGES.target);
CREATE INDEX idx_memory_edges_possible ON MEMORY_EDGES(source) WHERE type = 'possible_contradiction';

-- For every program that changes a text: its near-duplicates are determined again.
CREATE TRIGGER memory_near_content AFTER UPDATE OF content ON MEMORY_NODES WHEN new.content IS NOT old.content BEGIN
    DELETE FROM MEMORY_EDGES WHERE type IN ('near_duplicate', 'possible_contradiction')
        AND (source = new.id OR target = new.id);
END;
