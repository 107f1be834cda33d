-- The memories that a person has accepted as they are: if use raises one again after it was demoted, it does not wait
-- again. A row ends with its memory, and when the text, the summary, the subject or the domain changes.
CREATE TABLE IF NOT EXISTS accepted_memories (memory_id TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS accepted_memory_ai AFTER INSERT ON MEMORY_NODES BEGIN
    DELETE FROM accepted_memories WHERE memory_id = new.id;
END;

CREATE TRIGGER IF NOT EXISTS accepted_memory_ad AFTER DELETE ON MEMORY_NODES BEGIN
    DELETE FROM accepted_memories WHERE memory_id = old.id;
END;

CREATE TRIGGER IF NOT EXISTS accepted_memory_au AFTER UPDATE OF id, content, content_summary, subject, domain
ON MEMORY_NODES
WHEN new.id IS NOT old.id OR new.content IS NOT old.content OR new.content_summary IS NOT old.content_summary
    OR new.subject IS NOT old.subject OR new.domain IS NOT old.domain BEGIN
    DELETE FROM accepted_memories WHERE memory_id IN (old.id, new.id);
END;
