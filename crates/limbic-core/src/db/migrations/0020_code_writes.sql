-- No statement looks for chunks by the hash of their content, and each indexed chunk changed a page of this index.
DROP INDEX IF EXISTS idx_code_chunks_hash;
-- The files without facts are listed while a project is indexed; their rows are large.
CREATE INDEX IF NOT EXISTS idx_code_files_error ON code_files (project, path, error) WHERE error IS NOT NULL;
