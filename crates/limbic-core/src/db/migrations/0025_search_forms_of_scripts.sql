-- Index the words again whose further forms have changed: parts of identifiers in memories; single letters, and names
-- between letters, of scripts without spaces; words with vowel signs; composed letters and usual widths; more plain
-- spellings. Rows whose forms are the same are only read.
UPDATE memory_content_fts
SET content = f.words
FROM (
    SELECT w.rowid AS number, m.content || coalesce(' ' || nullif(search_forms(
        concat_ws(' ', m.content, w.content_summary, w.path, w.tags)), ''), '') AS words
    FROM memory_content_fts AS w JOIN MEMORY_NODES AS m ON m.id = w.id
    WHERE m.content IS NOT NULL
) AS f
WHERE f.number = memory_content_fts.rowid AND memory_content_fts.content IS NOT f.words;

-- Entities had the parts of identifiers already, so that words in ASCII are the same.
UPDATE entity_words
SET words = f.words
FROM (
    SELECT w.rowid AS number, search_words(e.name || ' ' || e.entity_type || ' ' || coalesce((
        SELECT group_concat(content, ' | ') FROM (
            SELECT content FROM observations
            WHERE entity_id = e.id AND superseded_at IS NULL ORDER BY id)), '')) AS words
    FROM entity_words AS w JOIN entities AS e ON e.id = w.rowid
    WHERE w.words GLOB '*[^' || char(1) || '-' || char(127) || ']*'
) AS f
WHERE f.number = entity_words.rowid AND entity_words.words IS NOT f.words;
