-- Relevance alone, after status was weighed and before limbic factors: with it the order that other weights would have
-- given can be computed from the log.
ALTER TABLE search_results ADD COLUMN relevance REAL;

-- Each search counts how often its candidates were put to use.
CREATE INDEX idx_implicit_entity ON implicit_feedback(entity_id);
