-- Computes the words of all entities again, with pairs of letters for scripts without spaces between words.
DELETE FROM entity_words;
INSERT INTO entity_words (rowid, words)
SELECT e.id, search_words(e.name || ' ' || e.entity_type || ' ' || coalesce((
        SELECT group_concat(content, ' | ') FROM (
            SELECT content FROM observations
            WHERE entity_id = e.id AND superseded_at IS NULL ORDER BY id)), ''))
FROM entities AS e;

-- Only the values of JSON are encoded now: texts in JSON are queued again.
INSERT OR IGNORE INTO embedding_queue (kind, id)
SELECT 1, id FROM observations WHERE superseded_at IS NULL AND ltrim(content) GLOB '[{[]*';
INSERT OR IGNORE INTO embedding_queue (kind, id)
SELECT 0, entity_id FROM observations WHERE superseded_at IS NULL AND ltrim(content) GLOB '[{[]*';
INSERT OR IGNORE INTO embedding_queue (kind, id)
SELECT 2, id FROM reflections WHERE ltrim(content) GLOB '[{[]*';
INSERT OR IGNORE INTO embedding_queue (kind, id)
SELECT 3, n.number FROM memory_numbers AS n JOIN MEMORY_NODES AS m ON m.id = n.id WHERE ltrim(m.content) GLOB '[{[]*';
