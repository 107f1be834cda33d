-- The origin of each record of the graph. Entities and relations keep that of their creation; records from before have
-- none. Without an index: they are listed by origin only when a person asks for that, and every write would change one.
ALTER TABLE entities ADD COLUMN origin INTEGER;
ALTER TABLE observations ADD COLUMN origin INTEGER;
ALTER TABLE relations ADD COLUMN origin INTEGER;
ALTER TABLE reflections ADD COLUMN origin INTEGER;
