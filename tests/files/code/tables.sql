-- Tables.
CREATE TABLE a (
  id INTEGER
);

CREATE INDEX a_id ON a (id);

SELECT *
FROM a;

create table orders (
  id INTEGER PRIMARY KEY,
  buyer TEXT NOT NULL,
  amount INTEGER NOT NULL,
  placed_at TEXT NOT NULL
);
CREATE INDEX orders_by_buyer ON orders (buyer);
CREATE INDEX orders_by_time ON orders (placed_at);

WITH late AS (
  SELECT id FROM orders
  WHERE placed_at < '2026-01-01'
)
DELETE FROM orders
WHERE id IN (SELECT id FROM late);
