-- Projects whose files are watched by the servers that can read them.
CREATE TABLE IF NOT EXISTS code_watched (
    project INTEGER PRIMARY KEY REFERENCES code_projects (number) ON DELETE CASCADE
);
