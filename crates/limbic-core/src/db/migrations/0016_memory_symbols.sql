-- Links of memories to symbols of the code index. They name a symbol by project, path and qualified name, so that they
-- outlive its row. The table of version 12 was never written.
--
-- shape_hash is the symbol's shape when the memory was linked; is_unique, whether no other symbol of the project had
-- it then: only such a link follows the shape to another place, moved_path and moved_name. given is 0 for links to
-- names found in the memory's text.
DROP TABLE memory_symbols;
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
