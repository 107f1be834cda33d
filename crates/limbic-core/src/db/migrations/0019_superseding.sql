-- Before an observation is deleted, the one that supersedes it is looked up; few supersede another.
CREATE INDEX IF NOT EXISTS idx_observations_supersedes ON observations(supersedes) WHERE supersedes IS NOT NULL;
