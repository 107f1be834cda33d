-- Where memories come from: one row for each kind of writer, client, session, project and import. Memories that were
-- stored before have no origin and count as confirmed.
CREATE TABLE origins (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    label TEXT NOT NULL,                -- What a person trusts: client:NAME, hook:PROJECT, import:FILE#ID, explorer, ...
    kind TEXT NOT NULL,                 -- client, hook, import, explorer, library or cli
    client TEXT NOT NULL DEFAULT '',    -- The name that the client gave itself
    session TEXT NOT NULL DEFAULT '',   -- 32 hexadecimal digits
    project TEXT NOT NULL DEFAULT '',
    file TEXT NOT NULL DEFAULT '',      -- Of an import: the file's name
    import_id TEXT NOT NULL DEFAULT '', -- Of an import: 16 hexadecimal digits
    created_at TEXT NOT NULL,
    UNIQUE (kind, client, session, project, file, import_id, label)
);
CREATE INDEX idx_origins_label ON origins(label);

-- The labels of the origins that a person trusts.
CREATE TABLE trusted_origins (
    label TEXT PRIMARY KEY,
    trusted_at TEXT NOT NULL
);

-- unconfirmed_origin is the origin whose change no person has confirmed; hooks show it in that origin's project only.
ALTER TABLE MEMORY_NODES ADD COLUMN origin INTEGER;
ALTER TABLE MEMORY_NODES ADD COLUMN unconfirmed_origin INTEGER;
ALTER TABLE audit_log ADD COLUMN origin INTEGER;
CREATE INDEX idx_memories_origin ON MEMORY_NODES(origin) WHERE origin IS NOT NULL;
CREATE INDEX idx_memories_unconfirmed ON MEMORY_NODES(unconfirmed_origin) WHERE unconfirmed_origin IS NOT NULL;
