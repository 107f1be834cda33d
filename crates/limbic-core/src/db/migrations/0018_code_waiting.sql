-- Waiting files are listed by path, and counted without reading their rows: the indexes contain the conditions, too.
DROP INDEX IF EXISTS idx_code_files_pending;
CREATE INDEX idx_code_files_pending ON code_files (project, path, is_pending) WHERE is_pending;
DROP INDEX IF EXISTS idx_code_files_unresolved;
CREATE INDEX idx_code_files_unresolved ON code_files (project, path, is_unresolved, is_pending)
    WHERE is_unresolved AND NOT is_pending;
