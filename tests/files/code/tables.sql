-- Tables.
CREATE TABLE a (
  id INTEGER
);

CREATE INDEX a_id ON a (id);

SELECT *
FROM a;
