//! The SQL of a memory's transactions.

use super::{
    PostgresStore,
    rows::{TOKENS_A_ROW, hex, token_row},
    schema::FORMAT_OF_HEAD,
};
use crate::store::{Head, MAX_TOKENS, Token, page_count};

impl PostgresStore {
    pub(super) fn name(&self) -> String {
        // The name of a memory has no quotation marks: see `Address`.
        format!("'{}'", self.address.memory)
    }

    pub(super) fn head_sql(&self) -> String {
        format!(
            "SELECT 'head', version, size_bytes, truncated, encode(recent, 'hex'), pg_backend_pid(), \
             current_setting('transaction_read_only') FROM limbic_memories WHERE memory = {}",
            self.name()
        )
    }

    /// What follows the head of a transaction that begins: the format, which another program may have changed, and the
    /// pages that were changed since a known version. Statements that wait for a lock do not see what was committed
    /// meanwhile in other tables; those after them do.
    pub(super) fn rest_sql(&self, known: Option<u64>) -> String {
        format!("; {FORMAT_OF_HEAD}{}", self.changed_sql(known))
    }

    pub(super) fn changed_sql(&self, known: Option<u64>) -> String {
        known.map_or_else(String::new, |version| {
            format!(
                "; SELECT 'page', page FROM limbic_pages WHERE memory = {} AND version > {version} AND page >= 0",
                self.name()
            )
        })
    }

    /// The statements that commit.
    pub(super) fn commit_sql(&self, base: &Head, next: &Head, token: Token) -> String {
        let Head { version, size_bytes, truncated, .. } = next;
        let name = self.name();
        let cut = if *size_bytes < base.size_bytes {
            let pages = page_count(*size_bytes);
            format!("DELETE FROM limbic_pages WHERE memory = {name} AND page >= {pages}; ")
        } else {
            String::new()
        };
        // Before the head forgets them.
        let keep = if version.is_multiple_of(TOKENS_A_ROW) {
            format!(
                "INSERT INTO limbic_pages (memory, page, version, content) \
                 SELECT memory, {}, version, recent FROM limbic_memories WHERE memory = {name} \
                 ON CONFLICT (memory, page) DO UPDATE SET version = excluded.version, content = excluded.content; ",
                token_row(*version).0
            )
        } else {
            String::new()
        };
        format!(
            "{cut}UPDATE limbic_memories SET version = {version}, size_bytes = {size_bytes}, truncated = {truncated}, \
             recent = substring(decode('{}', 'hex') || recent FROM 1 FOR {}), changed_at = now() \
             WHERE memory = {name}; {keep}COMMIT",
            hex(token),
            MAX_TOKENS * size_of::<Token>()
        )
    }
}
