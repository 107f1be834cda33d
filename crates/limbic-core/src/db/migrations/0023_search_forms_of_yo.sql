-- Index the words with ё again, so that their spelling with е finds them.
UPDATE memory_content_fts
SET content = (
    SELECT m.content || ' ' || search_forms(concat_ws(' ', m.content, memory_content_fts.content_summary,
        memory_content_fts.path, memory_content_fts.tags))
    FROM MEMORY_NODES AS m WHERE m.id = memory_content_fts.id)
WHERE concat_ws(' ', content, content_summary, path, tags) GLOB '*[ёЁ]*'
    AND EXISTS (SELECT 1 FROM MEMORY_NODES AS m WHERE m.id = memory_content_fts.id AND m.content IS NOT NULL);

UPDATE entity_words
SET words = search_words((
        SELECT e.name || ' ' || e.entity_type || ' ' || coalesce((
            SELECT group_concat(content, ' | ') FROM (
                SELECT content FROM observations
                WHERE entity_id = e.id AND superseded_at IS NULL ORDER BY id)), '')
        FROM entities AS e WHERE e.id = entity_words.rowid))
WHERE words GLOB '*[ёЁ]*';
