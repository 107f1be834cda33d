CREATE TABLE entities (
id INTEGER PRIMARY KEY AUTOINCREMENT,
name TEXT NOT NULL UNIQUE,
entity_type TEXT NOT NULL DEFAULT 'Generic',
status TEXT NOT NULL DEFAULT 'activo',
created_at TEXT NOT NULL DEFAULT (datetime('now')),
updated_at TEXT NOT NULL DEFAULT (datetime('now'))
, description TEXT, user_id TEXT, origin INTEGER);
CREATE TABLE observations (
id INTEGER PRIMARY KEY AUTOINCREMENT,
entity_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
content TEXT NOT NULL,
kind TEXT NOT NULL DEFAULT 'generic',
supersedes INTEGER REFERENCES observations(id),
superseded_at TEXT,
similarity_flag INTEGER NOT NULL DEFAULT 0,
created_at TEXT NOT NULL DEFAULT (datetime('now'))
, origin INTEGER);
CREATE TABLE relations (
id INTEGER PRIMARY KEY AUTOINCREMENT,
from_entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
to_entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
relation_type TEXT NOT NULL,
context TEXT,
active INTEGER NOT NULL DEFAULT 1,
ended_at TEXT,
created_at TEXT NOT NULL DEFAULT (datetime('now')), weight REAL NOT NULL DEFAULT 1.0, valid_from TEXT, origin INTEGER,
UNIQUE(from_entity, to_entity, relation_type)
);
CREATE VIRTUAL TABLE entity_embeddings
USING vec0(embedding float[384] distance_metric=cosine);
CREATE TABLE db_metadata (
key TEXT PRIMARY KEY,
value TEXT NOT NULL
);
CREATE TABLE entity_access (
entity_id INTEGER PRIMARY KEY REFERENCES entities(id) ON DELETE CASCADE,
access_count INTEGER NOT NULL DEFAULT 1,
last_access TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE entity_access_log (
entity_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
access_date TEXT NOT NULL,
access_count INTEGER NOT NULL DEFAULT 1,
PRIMARY KEY (entity_id, access_date)
);
CREATE TABLE co_occurrences (
entity_a_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
entity_b_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
co_count INTEGER NOT NULL DEFAULT 1,
last_co TEXT NOT NULL DEFAULT (datetime('now')),
PRIMARY KEY (entity_a_id, entity_b_id)
);
CREATE TABLE search_events (
event_id INTEGER PRIMARY KEY AUTOINCREMENT,
query_text TEXT NOT NULL,
query_hash TEXT NOT NULL,
timestamp TEXT NOT NULL DEFAULT (datetime('now')),
treatment INTEGER NOT NULL,
k_limit INTEGER NOT NULL,
num_results INTEGER NOT NULL,
duration_ms REAL,
engine_used TEXT NOT NULL
);
CREATE TABLE search_results (
result_id INTEGER PRIMARY KEY AUTOINCREMENT,
event_id INTEGER NOT NULL REFERENCES search_events(event_id),
entity_id INTEGER NOT NULL,
entity_name TEXT NOT NULL,
rank INTEGER NOT NULL,
limbic_score REAL,
cosine_sim REAL,
importance REAL,
temporal REAL,
cooc_boost REAL,
baseline_rank INTEGER, relevance REAL,
UNIQUE(event_id, entity_id)
);
CREATE TABLE implicit_feedback (
feedback_id INTEGER PRIMARY KEY AUTOINCREMENT,
event_id INTEGER NOT NULL REFERENCES search_events(event_id),
entity_id INTEGER NOT NULL,
re_accessed INTEGER NOT NULL DEFAULT 0,
access_delta INTEGER,
session_id TEXT
);
CREATE TABLE reflections (
id INTEGER PRIMARY KEY AUTOINCREMENT,
target_type TEXT NOT NULL,
target_id INTEGER,
author TEXT NOT NULL DEFAULT 'sofia',
content TEXT NOT NULL,
mood TEXT,
created_at TEXT NOT NULL DEFAULT (datetime('now'))
, origin INTEGER);
CREATE VIRTUAL TABLE entity_fts
USING fts5(name, entity_type, obs_text, tokenize="unicode61");
CREATE VIRTUAL TABLE reflection_fts
USING fts5(content, tokenize="unicode61");
CREATE VIRTUAL TABLE reflection_embeddings
USING vec0(embedding float[384] distance_metric=cosine);
CREATE INDEX idx_entities_name ON entities(name);
CREATE INDEX idx_entities_type ON entities(entity_type);
CREATE INDEX idx_obs_entity ON observations(entity_id);
CREATE INDEX idx_obs_entity_superseded ON observations(entity_id, superseded_at);
CREATE INDEX idx_rel_from ON relations(from_entity);
CREATE INDEX idx_rel_to ON relations(to_entity);
CREATE INDEX idx_rel_type ON relations(relation_type);
CREATE INDEX idx_access_last ON entity_access(last_access);
CREATE INDEX idx_cooc_b ON co_occurrences(entity_b_id);
CREATE INDEX idx_search_events_hash ON search_events(query_hash);
CREATE INDEX idx_search_events_time ON search_events(timestamp);
CREATE INDEX idx_search_results_event ON search_results(event_id);
CREATE INDEX idx_search_results_entity ON search_results(entity_id);
CREATE INDEX idx_implicit_event ON implicit_feedback(event_id);
CREATE VIRTUAL TABLE entity_words USING fts5(words, tokenize = 'porter unicode61');
CREATE TABLE encoder (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    revision TEXT NOT NULL,
    dimensions INTEGER NOT NULL
);
CREATE TABLE embedding_queue (
    kind INTEGER NOT NULL,
    id INTEGER NOT NULL,
    text_hash INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    leased_until INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, id)
);
CREATE TABLE token_frequency (
    kind INTEGER NOT NULL,
    token INTEGER NOT NULL,
    texts INTEGER NOT NULL,
    PRIMARY KEY (kind, token)
) WITHOUT ROWID;
CREATE TABLE vector_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind INTEGER NOT NULL,
    id INTEGER NOT NULL,
    UNIQUE (kind, id)
);
CREATE INDEX idx_implicit_entity ON implicit_feedback(entity_id);
CREATE TABLE token_vectors (
    key INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL AS (key >> 56),
    id INTEGER NOT NULL AS (key & 0xFFFFFFFFFFFFFF),
    encoder TEXT NOT NULL,
    tokens BLOB NOT NULL
);
CREATE TABLE text_vectors (
    key INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL AS (key >> 56),
    id INTEGER NOT NULL AS (key & 0xFFFFFFFFFFFFFF),
    vector BLOB NOT NULL
);
CREATE TABLE DOMAINS (
    id TEXT PRIMARY KEY,              -- Unique domain identifier
    name TEXT NOT NULL,               -- Human-readable name
    description TEXT,                 -- Purpose/scope of the domain
    created TEXT NOT NULL,            -- ISO timestamp
    lastAccess TEXT NOT NULL          -- ISO timestamp
);
CREATE TABLE PERSISTENCE (
    id INTEGER PRIMARY KEY CHECK (id = 1), -- Enforces single row
    currentDomain TEXT NOT NULL,           -- Currently active domain
    lastAccess TEXT NOT NULL,              -- ISO timestamp
    lastMemoryId TEXT,                     -- Most recently created memory (optional)
    FOREIGN KEY (currentDomain) REFERENCES DOMAINS(id)
);
CREATE TABLE MEMORY_NODES (
    id TEXT PRIMARY KEY,          -- Unique memory identifier
    domain TEXT NOT NULL,         -- Domain this memory belongs to
    content TEXT NOT NULL,        -- Main memory content
    timestamp TEXT NOT NULL,      -- ISO timestamp of creation
    path TEXT DEFAULT '/',        -- Organizational path
    content_summary TEXT,         -- Optional summary of the content
    summary_timestamp TEXT, category TEXT NOT NULL DEFAULT 'fact', subject TEXT NOT NULL DEFAULT '', source TEXT, confidence REAL DEFAULT 1.0, last_accessed TEXT, access_count INTEGER DEFAULT 0, expires_at TEXT, tier TEXT DEFAULT 'l4', heat TEXT DEFAULT 'cold', pinned INTEGER DEFAULT 0, promotion_count INTEGER DEFAULT 0, last_promoted_at TEXT, memory_type TEXT NOT NULL DEFAULT 'semantic', user_id TEXT, metadata TEXT, event_time TEXT, ingestion_time TEXT, valid_from TEXT, valid_until TEXT, importance_score REAL NOT NULL DEFAULT 1.0, invalidation_reason TEXT, superseded_by TEXT, confidence_at TEXT, updated_at TEXT, content_hash INTEGER, stated_at TEXT, origin INTEGER, unconfirmed_origin INTEGER,       -- When the summary was last updated
    FOREIGN KEY (domain) REFERENCES DOMAINS(id)
);
CREATE TABLE MEMORY_TAGS (
    nodeId TEXT NOT NULL,         -- Memory node ID
    tag TEXT NOT NULL,            -- Tag value
    PRIMARY KEY (nodeId, tag),    -- Prevents duplicate tags
    FOREIGN KEY (nodeId) REFERENCES MEMORY_NODES(id) ON DELETE CASCADE
);
CREATE TABLE MEMORY_EDGES (
    id TEXT PRIMARY KEY,          -- Composite edge ID (source-target-type)
    source TEXT NOT NULL,         -- Source memory node ID
    target TEXT NOT NULL,         -- Target memory node ID
    type TEXT NOT NULL,           -- Relationship type
    strength REAL NOT NULL CHECK (strength >= 0 AND strength <= 1), -- Relationship strength (0-1)
    timestamp TEXT NOT NULL,      -- ISO timestamp
    domain TEXT NOT NULL,         -- Domain this edge belongs to
    FOREIGN KEY (source) REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    FOREIGN KEY (target) REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    FOREIGN KEY (domain) REFERENCES DOMAINS(id)
);
CREATE TABLE DOMAIN_REFS (
    nodeId TEXT NOT NULL,         -- Source memory node ID
    domain TEXT NOT NULL,         -- Source domain
    targetDomain TEXT NOT NULL,   -- Target domain
    targetNodeId TEXT NOT NULL,   -- Target memory node ID
    description TEXT,             -- Optional reference description
    bidirectional INTEGER NOT NULL DEFAULT 0, -- 0=one-way, 1=bidirectional
    PRIMARY KEY (nodeId, targetDomain, targetNodeId), -- Prevents duplicates
    FOREIGN KEY (nodeId) REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    FOREIGN KEY (domain) REFERENCES DOMAINS(id),
    FOREIGN KEY (targetDomain) REFERENCES DOMAINS(id)
);
CREATE INDEX idx_memory_nodes_domain ON MEMORY_NODES(domain);
CREATE INDEX idx_memory_tags_tag ON MEMORY_TAGS(tag);
CREATE INDEX idx_memory_edges_source ON MEMORY_EDGES(source, domain);
CREATE INDEX idx_memory_edges_target ON MEMORY_EDGES(target, domain);
CREATE INDEX idx_domain_refs_target ON DOMAIN_REFS(targetDomain, targetNodeId);
CREATE VIRTUAL TABLE memory_content_fts USING fts5(
    id,              -- Memory ID
    content,         -- Memory content
    content_summary, -- Memory summary
    path,            -- Organization path
    tags,            -- Concatenated tags for searching
    domain,          -- Domain ID
    tokenize="porter unicode61"  -- Use Porter stemming algorithm
);
CREATE TRIGGER memory_nodes_ai AFTER INSERT ON MEMORY_NODES BEGIN
    INSERT INTO memory_content_fts(id, content, content_summary, path, domain)
    VALUES (new.id, new.content, new.content_summary, new.path, new.domain);
END;
CREATE TRIGGER memory_nodes_ad AFTER DELETE ON MEMORY_NODES BEGIN
    DELETE FROM memory_content_fts WHERE rowid IN (
        SELECT rowid FROM memory_content_fts('id:"' || replace(old.id, '"', '""') || '"')
        WHERE id = old.id);
    DELETE FROM memory_content_fts WHERE old.id NOT GLOB '*[0-9A-Za-z]*' AND id = old.id;
END;
CREATE TRIGGER memory_nodes_au AFTER UPDATE OF id, content, content_summary, path, domain ON MEMORY_NODES BEGIN
    DELETE FROM memory_content_fts WHERE rowid IN (
        SELECT rowid FROM memory_content_fts('id:"' || replace(old.id, '"', '""') || '"')
        WHERE id = old.id);
    DELETE FROM memory_content_fts WHERE old.id NOT GLOB '*[0-9A-Za-z]*' AND id = old.id;
    INSERT INTO memory_content_fts(id, content, content_summary, path, tags, domain)
    VALUES (new.id, new.content, new.content_summary, new.path,
        (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = new.id), new.domain);
END;
CREATE TRIGGER memory_tags_ai AFTER INSERT ON MEMORY_TAGS BEGIN
    UPDATE memory_content_fts
    SET tags = (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = new.nodeId)
    WHERE rowid IN (
        SELECT rowid FROM memory_content_fts('id:"' || replace(new.nodeId, '"', '""') || '"')
        WHERE id = new.nodeId);
    UPDATE memory_content_fts
    SET tags = (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = new.nodeId)
    WHERE new.nodeId NOT GLOB '*[0-9A-Za-z]*' AND id = new.nodeId;
END;
CREATE TRIGGER memory_tags_ad AFTER DELETE ON MEMORY_TAGS BEGIN
    UPDATE memory_content_fts
    SET tags = (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = old.nodeId)
    WHERE rowid IN (
        SELECT rowid FROM memory_content_fts('id:"' || replace(old.nodeId, '"', '""') || '"')
        WHERE id = old.nodeId);
    UPDATE memory_content_fts
    SET tags = (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = old.nodeId)
    WHERE old.nodeId NOT GLOB '*[0-9A-Za-z]*' AND id = old.nodeId;
END;
CREATE INDEX idx_memories_subject ON MEMORY_NODES(subject);
CREATE INDEX idx_memories_category ON MEMORY_NODES(category);
CREATE INDEX idx_memories_tier ON MEMORY_NODES(tier);
CREATE INDEX idx_memories_heat ON MEMORY_NODES(heat);
CREATE INDEX idx_memories_time ON MEMORY_NODES(timestamp);
CREATE INDEX idx_memories_hash ON MEMORY_NODES(content_hash);
CREATE INDEX idx_domain_refs_target_node ON DOMAIN_REFS(targetNodeId);
CREATE TABLE memory_numbers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE
);
CREATE VIRTUAL TABLE memory_embeddings USING vec0(embedding float[384] distance_metric=cosine);
CREATE TABLE memory_entities (
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    entity_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    given INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (memory_id, entity_id)
) WITHOUT ROWID;
CREATE INDEX idx_memory_entities_entity ON memory_entities(entity_id);
CREATE TABLE memory_history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    confidence REAL NOT NULL,
    replaced_at TEXT NOT NULL
, category TEXT, subject TEXT, tags TEXT);
CREATE INDEX idx_memory_history_memory ON memory_history(memory_id);
CREATE TABLE memory_sessions (
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    last_used TEXT NOT NULL,
    PRIMARY KEY (memory_id, session_id)
) WITHOUT ROWID;
CREATE TABLE audit_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    memory_id TEXT,
    user_id TEXT,
    session_id TEXT,
    reason TEXT
, origin INTEGER);
CREATE INDEX idx_audit_memory ON audit_log(memory_id);
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
CREATE INDEX idx_memories_user ON MEMORY_NODES(user_id) WHERE user_id IS NOT NULL;
CREATE INDEX idx_memory_edges_contradicts ON MEMORY_EDGES(source) WHERE type = 'contradicts';
CREATE INDEX idx_memory_edges_contradicted ON MEMORY_EDGES(target) WHERE type = 'contradicts';
CREATE INDEX idx_memories_superseded ON MEMORY_NODES(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX idx_memory_edges_possible ON MEMORY_EDGES(source) WHERE type = 'possible_contradiction';
CREATE TRIGGER memory_near_content AFTER UPDATE OF content ON MEMORY_NODES WHEN new.content IS NOT old.content BEGIN
    DELETE FROM MEMORY_EDGES WHERE type IN ('near_duplicate', 'possible_contradiction')
        AND (source = new.id OR target = new.id);
END;
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
CREATE TABLE code_skipped (
    project INTEGER NOT NULL REFERENCES code_projects (number),
    path TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (project, path)
) WITHOUT ROWID;
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
CREATE VIRTUAL TABLE chunk_words USING fts5(
    name, scope, path, body, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE chunk_embeddings USING vec0(embedding float[384] distance_metric=cosine);
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
CREATE TABLE code_names (
    project INTEGER NOT NULL,
    name TEXT NOT NULL,
    file INTEGER NOT NULL REFERENCES code_files (id),
    PRIMARY KEY (project, name, file)
) WITHOUT ROWID;
CREATE INDEX idx_code_names_file ON code_names (file);
CREATE TABLE code_imports (
    file INTEGER NOT NULL REFERENCES code_files (id),
    place INTEGER NOT NULL,
    line INTEGER NOT NULL,
    module TEXT NOT NULL,
    name TEXT,
    local TEXT NOT NULL,
    PRIMARY KEY (file, place)
) WITHOUT ROWID;
CREATE TABLE code_lookups (
    project INTEGER NOT NULL,
    key INTEGER NOT NULL,
    file INTEGER NOT NULL REFERENCES code_files (id),
    PRIMARY KEY (project, key, file)
) WITHOUT ROWID;
CREATE INDEX idx_code_lookups_file ON code_lookups (file);
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
CREATE TABLE trusted_origins (
    label TEXT PRIMARY KEY,
    trusted_at TEXT NOT NULL
);
CREATE INDEX idx_memories_origin ON MEMORY_NODES(origin) WHERE origin IS NOT NULL;
CREATE INDEX idx_memories_unconfirmed ON MEMORY_NODES(unconfirmed_origin) WHERE unconfirmed_origin IS NOT NULL;
CREATE TABLE memory_symbols (
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    file_path TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    shape_hash INTEGER NOT NULL,
    is_unique INTEGER NOT NULL,
    given INTEGER NOT NULL DEFAULT 0,
    moved_path TEXT,
    moved_name TEXT,
    PRIMARY KEY (memory_id, project_id, file_path, qualified_name)
) WITHOUT ROWID;
CREATE INDEX idx_memory_symbols_place ON memory_symbols (project_id, file_path, qualified_name);
CREATE INDEX idx_memory_symbols_moved ON memory_symbols (project_id, moved_path, moved_name)
    WHERE moved_path IS NOT NULL;
CREATE INDEX idx_code_symbols_shape ON code_symbols (project, shape_hash);
CREATE TABLE code_watched (
    project INTEGER PRIMARY KEY REFERENCES code_projects (number) ON DELETE CASCADE
);
CREATE INDEX idx_code_files_pending ON code_files (project, path, is_pending) WHERE is_pending;
CREATE INDEX idx_code_files_unresolved ON code_files (project, path, is_unresolved, is_pending)
    WHERE is_unresolved AND NOT is_pending;
CREATE INDEX idx_observations_supersedes ON observations(supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX idx_code_files_error ON code_files (project, path, error) WHERE error IS NOT NULL;
CREATE TABLE project_folders (
    project TEXT NOT NULL,       -- The name
    folder TEXT NOT NULL,        -- 16 hexadecimal digits of the SHA-256 of the folder's real path
    title TEXT NOT NULL,         -- The last component of that path
    first_seen TEXT NOT NULL,
    confirmed INTEGER NOT NULL,  -- 1: the folder may use the name; 0: it waits for a person
    PRIMARY KEY (project, folder)
) WITHOUT ROWID;
CREATE TABLE accepted_memories (memory_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER accepted_memory_ai AFTER INSERT ON MEMORY_NODES BEGIN
    DELETE FROM accepted_memories WHERE memory_id = new.id;
END;
CREATE TRIGGER accepted_memory_ad AFTER DELETE ON MEMORY_NODES BEGIN
    DELETE FROM accepted_memories WHERE memory_id = old.id;
END;
CREATE TRIGGER accepted_memory_au AFTER UPDATE OF id, content, content_summary, subject, domain
ON MEMORY_NODES
WHEN new.id IS NOT old.id OR new.content IS NOT old.content OR new.content_summary IS NOT old.content_summary
    OR new.subject IS NOT old.subject OR new.domain IS NOT old.domain BEGIN
    DELETE FROM accepted_memories WHERE memory_id IN (old.id, new.id);
END;
CREATE TABLE replaced_states (
    seq INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    origin INTEGER NOT NULL,  -- The origin that the memory waits for
    record TEXT NOT NULL      -- JSON: the columns of MEMORY_NODES, and tags, links, entities and symbols
);
CREATE INDEX idx_replaced_states_memory ON replaced_states(memory_id);
CREATE TABLE waiting_links (
    source TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    target TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    origin INTEGER NOT NULL,       -- The origin whose rejection deletes it
    writer INTEGER NOT NULL,       -- The origin that made it
    is_imported INTEGER NOT NULL,  -- Whether it is a record of an import, which has ended no memory
    PRIMARY KEY (source, target, type)
) WITHOUT ROWID;
CREATE INDEX idx_waiting_links_target ON waiting_links(target);
CREATE TABLE code_references (
    file INTEGER PRIMARY KEY REFERENCES code_files (id),
    list BLOB NOT NULL  -- In the order of the text, in postcard's format; see limbic_code::Reference
);
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
