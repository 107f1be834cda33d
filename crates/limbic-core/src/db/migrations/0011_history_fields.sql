-- The earlier subject and category, and the tags as a JSON array. NULL in older rows: the values of the next version
-- are used.
ALTER TABLE memory_history ADD COLUMN category TEXT;
ALTER TABLE memory_history ADD COLUMN subject TEXT;
ALTER TABLE memory_history ADD COLUMN tags TEXT;
