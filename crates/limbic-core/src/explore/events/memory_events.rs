//! Events of memories.

use crate::{explore::lists::link_list::links, store::memories::near_duplicate_edges::closed};

/// Each kind of event as a query; see [`kinds`](super::kinds).
pub(crate) const MEMORIES: [(&str, &str); 6] = [
    (
        "memory_stored",
        "SELECT 8, datetime(m.timestamp), n.number, NULL, NULL, m.content, NULL, m.id, m.domain
         FROM MEMORY_NODES AS m JOIN memory_numbers AS n ON n.id = m.id",
    ),
    (
        "memory_changed",
        "SELECT 9, datetime(h.replaced_at), h.seq, NULL, NULL, h.content, NULL, m.id, m.domain
         FROM memory_history AS h JOIN MEMORY_NODES AS m ON m.id = h.memory_id",
    ),
    (
        "memory_ended",
        "SELECT 10, datetime(m.valid_until), n.number, NULL, NULL, m.content, NULL, m.id, m.domain
         FROM MEMORY_NODES AS m JOIN memory_numbers AS n ON n.id = m.id WHERE m.valid_until <= :now",
    ),
    (
        "memory_linked",
        concat!(
            "SELECT 11, l.created_at, l.row * 2 + l.is_reference, NULL, NULL,
                coalesce(iif(length(s.content) > 80, substr(s.content, 1, 80) || '…', s.content) || ' — ', '')
                    || l.type || ' — ' || coalesce(substr(t.content, 1, 400), ''), NULL, l.source, l.from_domain
             FROM ",
            links!(),
            " AS l LEFT JOIN MEMORY_NODES AS s ON s.id = l.source LEFT JOIN MEMORY_NODES AS t ON t.id = l.target"
        ),
    ),
    // Sessions have no number, and two may use a memory in the same second.
    (
        "memory_used",
        "SELECT 12, datetime(s.last_used), row_number() OVER (ORDER BY s.memory_id, s.session_id), NULL, NULL,
            m.content, NULL, m.id, m.domain
         FROM memory_sessions AS s JOIN MEMORY_NODES AS m ON m.id = s.memory_id",
    ),
    // Its domain was deleted with it.
    (
        "memory_forgotten",
        "SELECT 13, datetime(a.at), a.seq, NULL, NULL, a.reason, NULL, a.memory_id, NULL
         FROM audit_log AS a WHERE a.action = 'forget'",
    ),
];
