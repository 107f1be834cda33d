//! Events of entities and their records, and searches.

/// Each kind of event as a query; see [`kinds`](super::kinds).
pub(crate) const GRAPH: [(&str, &str); 8] = [
    ("entity_created", "SELECT 0, e.created_at, e.id, e.id, e.name, e.entity_type, NULL, NULL, NULL FROM entities AS e"),
    (
        "observation_added",
        "SELECT 1, o.created_at, o.id, e.id, e.name, o.content, NULL, NULL, NULL
         FROM observations AS o JOIN entities AS e ON e.id = o.entity_id",
    ),
    (
        "observation_superseded",
        "SELECT 2, o.superseded_at, o.id, e.id, e.name, o.content, NULL, NULL, NULL
         FROM observations AS o JOIN entities AS e ON e.id = o.entity_id WHERE o.superseded_at IS NOT NULL",
    ),
    (
        "relation_created",
        "SELECT 3, r.created_at, r.id, e.id, e.name, r.relation_type || ' ' || t.name, NULL, NULL, NULL
         FROM relations AS r JOIN entities AS e ON e.id = r.from_entity JOIN entities AS t ON t.id = r.to_entity",
    ),
    (
        "relation_ended",
        "SELECT 4, r.ended_at, r.id, e.id, e.name, r.relation_type || ' ' || t.name, NULL, NULL, NULL
         FROM relations AS r JOIN entities AS e ON e.id = r.from_entity JOIN entities AS t ON t.id = r.to_entity
         WHERE r.ended_at IS NOT NULL",
    ),
    (
        "reflection_added",
        "SELECT 5, n.created_at, n.id, e.id, e.name, n.content, NULL, NULL, NULL
         FROM reflections AS n LEFT JOIN entities AS e ON n.target_type = 'entity' AND e.id = n.target_id",
    ),
    (
        "search",
        "SELECT 6, s.timestamp, s.event_id, NULL, NULL, s.query_text, s.num_results, NULL, NULL FROM search_events AS s",
    ),
    (
        "access",
        "SELECT 7, l.access_date || ' 00:00:00', e.id, e.id, e.name, NULL, l.access_count, NULL, NULL
         FROM entity_access_log AS l JOIN entities AS e ON e.id = l.entity_id",
    ),
];
