-- The relevance with the weight of the status, without the limbic factors: from it, the ranking under other weights can
-- be computed.
ALTER TABLE search_results ADD COLUMN relevance REAL;

-- For each search, which counts how often its candidates were used.
CREATE INDEX idx_implicit_entity ON implicit_feedback(entity_id);
