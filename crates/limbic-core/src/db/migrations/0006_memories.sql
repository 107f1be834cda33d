-- The fields of memories in the two other systems, as columns with defaults, so that a program that knows only the
-- columns of 0005 can still insert. A missing time means the time of creation.

-- From the SQLite Persistent Memory specification.
ALTER TABLE MEMORY_NODES ADD COLUMN category TEXT NOT NULL DEFAULT 'fact';
ALTER TABLE MEMORY_NODES ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE MEMORY_NODES ADD COLUMN source TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN confidence REAL DEFAULT 1.0;
ALTER TABLE MEMORY_NODES ADD COLUMN last_accessed TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN access_count INTEGER DEFAULT 0;
ALTER TABLE MEMORY_NODES ADD COLUMN expires_at TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN tier TEXT DEFAULT 'l4';
ALTER TABLE MEMORY_NODES ADD COLUMN heat TEXT DEFAULT 'cold';
ALTER TABLE MEMORY_NODES ADD COLUMN pinned INTEGER DEFAULT 0;
ALTER TABLE MEMORY_NODES ADD COLUMN promotion_count INTEGER DEFAULT 0;
ALTER TABLE MEMORY_NODES ADD COLUMN last_promoted_at TEXT;

-- From Memory MCP Server.
ALTER TABLE MEMORY_NODES ADD COLUMN memory_type TEXT NOT NULL DEFAULT 'semantic';
ALTER TABLE MEMORY_NODES ADD COLUMN user_id TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN metadata TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN event_time TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN ingestion_time TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN valid_from TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN valid_until TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN importance_score REAL NOT NULL DEFAULT 1.0;
ALTER TABLE MEMORY_NODES ADD COLUMN invalidation_reason TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN superseded_by TEXT;

-- Limbic's own. confidence_at is the time for which the confidence was computed, where that is later than the last
-- access. content_hash is the hash of the normalised text, NULL if another program wrote the row.
ALTER TABLE MEMORY_NODES ADD COLUMN confidence_at TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN updated_at TEXT;
ALTER TABLE MEMORY_NODES ADD COLUMN content_hash INTEGER;

CREATE INDEX idx_memories_subject ON MEMORY_NODES(subject);
CREATE INDEX idx_memories_category ON MEMORY_NODES(category);
CREATE INDEX idx_memories_tier ON MEMORY_NODES(tier);
CREATE INDEX idx_memories_heat ON MEMORY_NODES(heat);
CREATE INDEX idx_memories_time ON MEMORY_NODES(timestamp);
CREATE INDEX idx_memories_hash ON MEMORY_NODES(content_hash);
CREATE INDEX idx_domain_refs_target_node ON DOMAIN_REFS(targetNodeId);

-- A number for each memory, which is never reused: the key of its vectors and of its rows in the embedding queue.
CREATE TABLE memory_numbers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE
);
CREATE VIRTUAL TABLE memory_embeddings USING vec0(embedding float[384] distance_metric=cosine);

-- Entities that a memory mentions: given by a caller, or named in the text.
CREATE TABLE memory_entities (
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    entity_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    given INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (memory_id, entity_id)
) WITHOUT ROWID;
CREATE INDEX idx_memory_entities_entity ON memory_entities(entity_id);

-- Earlier versions of memories, each with the time at which it ended.
CREATE TABLE memory_history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    confidence REAL NOT NULL,
    replaced_at TEXT NOT NULL
);
CREATE INDEX idx_memory_history_memory ON memory_history(memory_id);

-- The sessions that used a memory.
CREATE TABLE memory_sessions (
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    last_used TEXT NOT NULL,
    PRIMARY KEY (memory_id, session_id)
) WITHOUT ROWID;

-- The audit log of changes to memories. It contains no texts.
CREATE TABLE audit_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    memory_id TEXT,
    user_id TEXT,
    session_id TEXT,
    reason TEXT
);
CREATE INDEX idx_audit_memory ON audit_log(memory_id);

-- For every program that writes: a memory gets a number, and its vectors are queued, queued again or deleted.
CREATE TRIGGER memory_number_ai AFTER INSERT ON MEMORY_NODES BEGIN
    INSERT OR IGNORE INTO memory_numbers (id) VALUES (new.id);
    INSERT INTO embedding_queue (kind, id) SELECT 3, number FROM memory_numbers WHERE id = new.id
    ON CONFLICT DO UPDATE SET text_hash = 0, tries = 0, last_error = NULL, leased_until = 0;
END;
CREATE TRIGGER memory_number_au AFTER UPDATE OF id ON MEMORY_NODES WHEN new.id IS NOT old.id BEGIN
    UPDATE memory_numbers SET id = new.id WHERE id = old.id;
END;
CREATE TRIGGER memory_number_content AFTER UPDATE OF content ON MEMORY_NODES WHEN new.content IS NOT old.content BEGIN
    INSERT INTO embedding_queue (kind, id) SELECT 3, number FROM memory_numbers WHERE id = new.id
    ON CONFLICT DO UPDATE SET text_hash = 0, tries = 0, last_error = NULL, leased_until = 0;
END;
CREATE TRIGGER memory_number_ad AFTER DELETE ON MEMORY_NODES BEGIN
    INSERT INTO embedding_queue (kind, id) SELECT 3, number FROM memory_numbers WHERE id = old.id
    ON CONFLICT DO UPDATE SET text_hash = 0, tries = 0, last_error = NULL, leased_until = 0;
    DELETE FROM memory_numbers WHERE id = old.id;
END;

-- The tables of the SQLite Persistent Memory specification.
CREATE VIEW memories AS
SELECT id, category, subject, content, source, confidence, timestamp AS created_at, last_accessed, access_count,
    expires_at, tier, heat, pinned, promotion_count, last_promoted_at
FROM MEMORY_NODES;
CREATE TRIGGER memories_insert INSTEAD OF INSERT ON memories BEGIN
    INSERT INTO MEMORY_NODES (id, domain, content, timestamp, category, subject, source, confidence, last_accessed,
        access_count, expires_at, tier, heat, pinned, promotion_count, last_promoted_at)
    VALUES (new.id, (SELECT currentDomain FROM PERSISTENCE WHERE id = 1), new.content,
        coalesce(new.created_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), coalesce(new.category, 'fact'),
        coalesce(new.subject, ''), new.source, coalesce(new.confidence, 1.0), new.last_accessed,
        coalesce(new.access_count, 0), new.expires_at, coalesce(new.tier, 'l4'), coalesce(new.heat, 'cold'),
        coalesce(new.pinned, 0), coalesce(new.promotion_count, 0), new.last_promoted_at);
END;
CREATE TRIGGER memories_update INSTEAD OF UPDATE ON memories BEGIN
    UPDATE MEMORY_NODES SET id = new.id, category = new.category, subject = new.subject, content = new.content,
        source = new.source, confidence = new.confidence, timestamp = new.created_at,
        last_accessed = new.last_accessed, access_count = new.access_count, expires_at = new.expires_at,
        tier = new.tier, heat = new.heat, pinned = new.pinned, promotion_count = new.promotion_count,
        last_promoted_at = new.last_promoted_at,
        content_hash = CASE WHEN new.content IS old.content THEN content_hash END
    WHERE id = old.id;
END;
CREATE TRIGGER memories_delete INSTEAD OF DELETE ON memories BEGIN
    DELETE FROM MEMORY_NODES WHERE id = old.id;
END;
CREATE VIEW memory_relations AS
SELECT source AS from_id, target AS to_id, type AS relation_type FROM MEMORY_EDGES;
CREATE TRIGGER memory_relations_insert INSTEAD OF INSERT ON memory_relations BEGIN
    INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
    VALUES (new.from_id || '-' || new.to_id || '-' || coalesce(new.relation_type, 'related'), new.from_id, new.to_id,
        coalesce(new.relation_type, 'related'), 1.0, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
        (SELECT domain FROM MEMORY_NODES WHERE id = new.from_id));
END;
CREATE TRIGGER memory_relations_update INSTEAD OF UPDATE ON memory_relations BEGIN
    UPDATE MEMORY_EDGES SET id = new.from_id || '-' || new.to_id || '-' || coalesce(new.relation_type, 'related'),
        source = new.from_id, target = new.to_id, type = coalesce(new.relation_type, 'related')
    WHERE source = old.from_id AND target = old.to_id AND type = old.relation_type;
END;
CREATE TRIGGER memory_relations_delete INSTEAD OF DELETE ON memory_relations BEGIN
    DELETE FROM MEMORY_EDGES WHERE source = old.from_id AND target = old.to_id AND type = old.relation_type;
END;
