-- The folders that use the name of a project. The first one owns the name; others wait for a person.
CREATE TABLE IF NOT EXISTS project_folders (
    project TEXT NOT NULL,       -- The name
    folder TEXT NOT NULL,        -- 16 hexadecimal digits of the SHA-256 of the folder's real path
    title TEXT NOT NULL,         -- The last component of that path
    first_seen TEXT NOT NULL,
    confirmed INTEGER NOT NULL,  -- 1: the folder may use the name; 0: it waits for a person
    PRIMARY KEY (project, folder)
) WITHOUT ROWID;
