-- A search reads the tokens of hundreds of texts, but no sentence vector: in a table of their own, tokens of texts that
-- were written together share a page. The key is one number, so that a row is found without an index.
ALTER TABLE token_vectors RENAME TO token_vectors_before;

-- The content tokens of a text, 52 bytes each: vocabulary number (32 bits, little-endian) and 384 sign bits.
CREATE TABLE token_vectors (
    key INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL AS (key >> 56),
    id INTEGER NOT NULL AS (key & 0xFFFFFFFFFFFFFF),
    encoder TEXT NOT NULL,
    tokens BLOB NOT NULL
);

-- The sentence vector of a text: 384 32-bit floats, little-endian.
CREATE TABLE text_vectors (
    key INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL AS (key >> 56),
    id INTEGER NOT NULL AS (key & 0xFFFFFFFFFFFFFF),
    vector BLOB NOT NULL
);

INSERT INTO token_vectors (key, encoder, tokens)
    SELECT kind << 56 | id, encoder, tokens FROM token_vectors_before ORDER BY kind, id;
INSERT INTO text_vectors (key, vector)
    SELECT kind << 56 | id, vector FROM token_vectors_before ORDER BY kind, id;
DROP TABLE token_vectors_before;
