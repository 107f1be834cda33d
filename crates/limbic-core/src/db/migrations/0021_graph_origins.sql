-- The origin of each record of the graph. Entities and relations keep that of their creation; records that were stored
-- before have none. Without an index, which every write would change: a list by origin is rare.
ALTER TABLE entities ADD COLUMN origin INTEGER;
ALTER TABLE observations ADD COLUMN origin INTEGER;
ALTER TABLE relations ADD COLUMN origin INTEGER;
ALTER TABLE reflections ADD COLUMN origin INTEGER;
