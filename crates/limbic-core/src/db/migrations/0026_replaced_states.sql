-- The states that memories had before changes that wait for review, which a rejection gives back. One row for each
-- origin that a memory has waited for, the earliest first. A row ends when the memory is accepted, rejected or deleted.
CREATE TABLE IF NOT EXISTS replaced_states (
    seq INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    origin INTEGER NOT NULL,  -- The origin that the memory waits for
    record TEXT NOT NULL      -- JSON: the columns of MEMORY_NODES, and tags, links, entities and symbols
);
CREATE INDEX IF NOT EXISTS idx_replaced_states_memory ON replaced_states(memory_id);

-- The links that were made by a change that waits, or by an import to a memory that waits: a rejection deletes them.
CREATE TABLE IF NOT EXISTS waiting_links (
    source TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    target TEXT NOT NULL REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    origin INTEGER NOT NULL,       -- The origin whose rejection deletes it
    writer INTEGER NOT NULL,       -- The origin that made it
    is_imported INTEGER NOT NULL,  -- Whether it is a record of an import, which has ended no memory
    PRIMARY KEY (source, target, type)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_waiting_links_target ON waiting_links(target);
