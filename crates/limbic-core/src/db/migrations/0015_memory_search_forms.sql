-- Added to the text of memories for search: pairs of letters of words in scripts without spaces, and spellings in plain
-- letters.
UPDATE memory_content_fts
SET content = content || ' ' || search_forms(concat_ws(' ', content, content_summary, path, tags))
WHERE search_forms(concat_ws(' ', content, content_summary, path, tags)) <> '';

-- Computes the words of entities again where their forms have changed: spellings in plain letters, and pairs of letters
-- across the tone marks of Thai and related scripts.
UPDATE entity_words
SET words = search_words((
        SELECT e.name || ' ' || e.entity_type || ' ' || coalesce((
            SELECT group_concat(content, ' | ') FROM (
                SELECT content FROM observations
                WHERE entity_id = e.id AND superseded_at IS NULL ORDER BY id)), '')
        FROM entities AS e WHERE e.id = entity_words.rowid))
WHERE words GLOB '*[ßẞœŒæÆ฀-໿က-႟ក-៿ぁ-ヿ]*';
