-- Limbic's additions: columns with defaults, so that a program that knows only the tables of 0001 can still insert,
-- and further tables.

ALTER TABLE entities ADD COLUMN description TEXT;
ALTER TABLE entities ADD COLUMN user_id TEXT;
ALTER TABLE relations ADD COLUMN weight REAL NOT NULL DEFAULT 1.0;
ALTER TABLE relations ADD COLUMN valid_from TEXT;

-- The words of each entity, stemmed and with the parts of identifiers, for keyword search.
CREATE VIRTUAL TABLE entity_words USING fts5(words, tokenize = 'porter unicode61');

-- The encoder of the vectors in this file. When it changes, all texts are queued for embedding again.
CREATE TABLE encoder (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    revision TEXT NOT NULL,
    dimensions INTEGER NOT NULL
);

-- The embedding queue. text_hash is the hash of the text being encoded, 0 while no server has leased the row.
-- leased_until (Unix milliseconds) prevents two servers on one file from encoding the same text at once.
CREATE TABLE embedding_queue (
    kind INTEGER NOT NULL,
    id INTEGER NOT NULL,
    text_hash INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    leased_until INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, id)
);

-- The content tokens of a text, 52 bytes each: vocabulary number (32 bits, little-endian) and 384 sign bits;
-- and its sentence vector (384 32-bit floats, little-endian).
CREATE TABLE token_vectors (
    kind INTEGER NOT NULL,
    id INTEGER NOT NULL,
    encoder TEXT NOT NULL,
    tokens BLOB NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (kind, id)
);

-- Document frequencies of tokens by kind of text, for IDF in late interaction. The row of token -1 counts all texts.
CREATE TABLE token_frequency (
    kind INTEGER NOT NULL,
    token INTEGER NOT NULL,
    texts INTEGER NOT NULL,
    PRIMARY KEY (kind, token)
) WITHOUT ROWID;

-- The order in which sentence vectors were written, from which other processes update their copies in memory.
CREATE TABLE vector_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind INTEGER NOT NULL,
    id INTEGER NOT NULL,
    UNIQUE (kind, id)
);
