-- Relevance alone, after status was weighed and before limbic factors: with it the order that other weights would have
-- given can be computed from the log.
ALTER TABLE search_results ADD COLUMN relevance REAL;
