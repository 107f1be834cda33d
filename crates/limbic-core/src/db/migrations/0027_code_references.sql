-- The references of a file are one value: they are stored and resolved together, and a row for each took a tenth of the
-- time of indexing. An edge has the line of its reference. All files are read again by the next sweep.
DROP TABLE IF EXISTS code_refs;
CREATE TABLE IF NOT EXISTS code_references (
    file INTEGER PRIMARY KEY REFERENCES code_files (id),
    list BLOB NOT NULL  -- In the order of the text, in postcard's format; see limbic_code::Reference
);
DROP TABLE code_edges;
CREATE TABLE code_edges (
    file INTEGER NOT NULL REFERENCES code_files (id),
    reference INTEGER NOT NULL,
    line INTEGER NOT NULL,
    from_symbol INTEGER,
    to_symbol INTEGER NOT NULL,
    relation TEXT NOT NULL,
    tier INTEGER NOT NULL,
    PRIMARY KEY (file, reference, to_symbol)
) WITHOUT ROWID;
CREATE INDEX idx_code_edges_from ON code_edges (from_symbol) WHERE from_symbol IS NOT NULL;
CREATE INDEX idx_code_edges_to ON code_edges (to_symbol);
UPDATE code_files SET facts_version = 0, is_pending = 1;
