-- What a memory was about before, and its tags as a JSON array. Missing in rows from before: then what is known of the
-- time after counts.
ALTER TABLE memory_history ADD COLUMN category TEXT;
ALTER TABLE memory_history ADD COLUMN subject TEXT;
ALTER TABLE memory_history ADD COLUMN tags TEXT;
