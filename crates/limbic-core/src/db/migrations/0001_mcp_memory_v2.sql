-- The tables of MCP Memory v2, as its documentation gives them: tools written for that schema read our file.

CREATE TABLE entities (
id INTEGER PRIMARY KEY AUTOINCREMENT,
name TEXT NOT NULL UNIQUE,
entity_type TEXT NOT NULL DEFAULT 'Generic',
status TEXT NOT NULL DEFAULT 'activo',
created_at TEXT NOT NULL DEFAULT (datetime('now')),
updated_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE observations (
id INTEGER PRIMARY KEY AUTOINCREMENT,
entity_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
content TEXT NOT NULL,
kind TEXT NOT NULL DEFAULT 'generic',
supersedes INTEGER REFERENCES observations(id),
superseded_at TEXT,
similarity_flag INTEGER NOT NULL DEFAULT 0,
created_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE relations (
id INTEGER PRIMARY KEY AUTOINCREMENT,
from_entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
to_entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
relation_type TEXT NOT NULL,
context TEXT,
active INTEGER NOT NULL DEFAULT 1,
ended_at TEXT,
created_at TEXT NOT NULL DEFAULT (datetime('now')),
UNIQUE(from_entity, to_entity, relation_type)
);
CREATE VIRTUAL TABLE entity_embeddings
USING vec0(embedding float[384] distance_metric=cosine);
CREATE TABLE db_metadata (
key TEXT PRIMARY KEY,
value TEXT NOT NULL
);
-- Limbic scoring tables
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
-- Search quality tables
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
baseline_rank INTEGER,
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
-- Reflection tables
CREATE TABLE reflections (
id INTEGER PRIMARY KEY AUTOINCREMENT,
target_type TEXT NOT NULL,
target_id INTEGER,
author TEXT NOT NULL DEFAULT 'sofia',
content TEXT NOT NULL,
mood TEXT,
created_at TEXT NOT NULL DEFAULT (datetime('now'))
);
-- Full-text search (FTS5)
CREATE VIRTUAL TABLE IF NOT EXISTS entity_fts
USING fts5(name, entity_type, obs_text, tokenize="unicode61");
CREATE VIRTUAL TABLE IF NOT EXISTS reflection_fts
USING fts5(content, tokenize="unicode61");
-- Vector embeddings
CREATE VIRTUAL TABLE IF NOT EXISTS reflection_embeddings
USING vec0(embedding float[384] distance_metric=cosine);
-- Indexes
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
