-- The code index. Facts belong to one file; edges are derived from them by name.

-- include and exclude hold one pattern per line. Times are Unix milliseconds. lease_owner indexes the project until
-- leased_until, so that two servers on one file do the work once.
CREATE TABLE code_projects (
    number INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL UNIQUE,
    include TEXT NOT NULL DEFAULT '',
    exclude TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL CHECK (status IN ('indexing', 'completed', 'failed')),
    is_scanned INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    completed_at INTEGER,
    error_message TEXT,
    lease_owner INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER NOT NULL DEFAULT 0
);

-- mtime is in nanoseconds, -1 where it was too recent to be trusted. hash is FNV-1a of the bytes. outline is the part
-- of the facts against which other files are resolved, in postcard's format. error is the reason why a file has no
-- facts.
CREATE TABLE code_files (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES code_projects (number),
    path TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL DEFAULT 0,
    mtime INTEGER NOT NULL DEFAULT -1,
    hash INTEGER NOT NULL DEFAULT 0,
    language TEXT NOT NULL DEFAULT 'unknown',
    error TEXT,
    facts_version INTEGER NOT NULL DEFAULT 0,
    is_pending INTEGER NOT NULL DEFAULT 1,
    is_unresolved INTEGER NOT NULL DEFAULT 0,
    outline BLOB,
    UNIQUE (project, path)
);
CREATE INDEX idx_code_files_folder ON code_files (project, folder);
CREATE INDEX idx_code_files_name ON code_files (project, name);
CREATE INDEX idx_code_files_pending ON code_files (project) WHERE is_pending;
CREATE INDEX idx_code_files_unresolved ON code_files (project) WHERE is_unresolved;

-- Folders and names that the last scan could not read.
CREATE TABLE code_skipped (
    project INTEGER NOT NULL REFERENCES code_projects (number),
    path TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (project, path)
) WITHOUT ROWID;

-- Parts of files for search: the columns of CodeChunk in Memory MCP Server, and those for ranking. symbol is a
-- qualified name. The vector of header is in chunk_embeddings under the same number.
CREATE TABLE code_chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file INTEGER NOT NULL REFERENCES code_files (id),
    project_id TEXT NOT NULL,
    file_path TEXT NOT NULL,
    content TEXT NOT NULL,
    language TEXT NOT NULL DEFAULT 'unknown',
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    chunk_type TEXT NOT NULL DEFAULT 'other',
    name TEXT,
    scope TEXT NOT NULL DEFAULT '',
    symbol TEXT,
    header TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    indexed_at INTEGER NOT NULL
);
CREATE INDEX idx_code_chunks_file ON code_chunks (file, start_line);
CREATE INDEX idx_code_chunks_hash ON code_chunks (content_hash);

-- The words of chunks, stemmed and with the parts of identifiers.
CREATE VIRTUAL TABLE chunk_words USING fts5(
    name, scope, path, body, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE chunk_embeddings USING vec0(embedding float[384] distance_metric=cosine);

-- Definitions. The number of a symbol stays while its file defines one of that qualified name.
CREATE TABLE code_symbols (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,
    file INTEGER NOT NULL REFERENCES code_files (id),
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent INTEGER,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    line INTEGER NOT NULL,
    signature TEXT NOT NULL,
    doc TEXT,
    shape_hash INTEGER NOT NULL,
    is_local INTEGER NOT NULL,
    UNIQUE (file, qualified_name)
);
CREATE INDEX idx_code_symbols_name ON code_symbols (project, name COLLATE NOCASE);
CREATE INDEX idx_code_symbols_parent ON code_symbols (parent) WHERE parent IS NOT NULL;

-- Names that a file defines or has implementations for.
CREATE TABLE code_names (
    project INTEGER NOT NULL,
    name TEXT NOT NULL,
    file INTEGER NOT NULL REFERENCES code_files (id),
    PRIMARY KEY (project, name, file)
) WITHOUT ROWID;
CREATE INDEX idx_code_names_file ON code_names (file);

-- Uses of names, in the order of the text. enclosing is the index of the enclosing symbol. target is the expression
-- that is resolved, in postcard's format.
CREATE TABLE code_refs (
    file INTEGER NOT NULL REFERENCES code_files (id),
    place INTEGER NOT NULL,
    line INTEGER NOT NULL,
    col INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    receiver TEXT,
    enclosing INTEGER,
    target BLOB NOT NULL,
    PRIMARY KEY (file, place)
) WITHOUT ROWID;

CREATE TABLE code_imports (
    file INTEGER NOT NULL REFERENCES code_files (id),
    place INTEGER NOT NULL,
    line INTEGER NOT NULL,
    module TEXT NOT NULL,
    name TEXT,
    local TEXT NOT NULL,
    PRIMARY KEY (file, place)
) WITHOUT ROWID;

-- The symbol that a reference resolves to. from_symbol is the enclosing symbol, NULL at the top of a file.
CREATE TABLE code_edges (
    file INTEGER NOT NULL REFERENCES code_files (id),
    reference INTEGER NOT NULL,
    from_symbol INTEGER,
    to_symbol INTEGER NOT NULL,
    relation TEXT NOT NULL,
    tier INTEGER NOT NULL,
    PRIMARY KEY (file, reference, to_symbol)
) WITHOUT ROWID;
CREATE INDEX idx_code_edges_from ON code_edges (from_symbol) WHERE from_symbol IS NOT NULL;
CREATE INDEX idx_code_edges_to ON code_edges (to_symbol);

-- The keys that the resolution of a file looked up: it is resolved again when one of them changes.
CREATE TABLE code_lookups (
    project INTEGER NOT NULL,
    key INTEGER NOT NULL,
    file INTEGER NOT NULL REFERENCES code_files (id),
    PRIMARY KEY (project, key, file)
) WITHOUT ROWID;
CREATE INDEX idx_code_lookups_file ON code_lookups (file);

-- Symbols to which a memory is linked, by their ids, with the shape that they had.
CREATE TABLE memory_symbols (
    memory_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    file_path TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    shape_hash INTEGER NOT NULL,
    PRIMARY KEY (memory_id, project_id, file_path, qualified_name)
) WITHOUT ROWID;

-- The progress of each project, with the columns of Memory MCP Server.
CREATE VIEW index_status AS
SELECT p.project_id, p.status,
    (SELECT count(*) FROM code_files AS f WHERE f.project = p.number) AS total_files,
    (SELECT count(*) FROM code_files AS f WHERE f.project = p.number AND NOT f.is_pending) AS indexed_files,
    (SELECT count(*) FROM code_files AS f JOIN code_chunks AS c ON c.file = f.id WHERE f.project = p.number)
        AS total_chunks,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.started_at / 1000.0, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.completed_at / 1000.0, 'unixepoch') AS completed_at,
    p.error_message
FROM code_projects AS p;
