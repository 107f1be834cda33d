//! The access of clients, by the rights of their tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::json;

use crate::client_access::{ClientAccess, Imports, to_agents};
use crate::options::Settings;
use crate::serve::protocol::Protocol;
use crate::tokens::NamedToken;

/// Maximum number of combinations of rights that are remembered.
const MAX_COMBINATIONS: usize = 256;

/// The access for one combination of rights, with the lists of its protocol.
pub struct CachedAccess {
    /// What they may use.
    pub client_access: Arc<ClientAccess>,
    /// The lists for them.
    pub protocol: Protocol,
}

/// The access of clients, computed once per combination of rights.
pub struct AccessCache {
    settings: Settings,
    imports: Imports,
    made: Mutex<HashMap<String, Arc<CachedAccess>>>,
}

impl AccessCache {
    /// Creates the cache of a server with these settings.
    pub fn new(settings: &Settings, imports: Imports) -> Self {
        Self { settings: settings.clone(), imports, made: Mutex::default() }
    }

    /// Returns the access of agents, with the server's own token or a named one.
    ///
    /// # Errors
    /// If the lists cannot be made.
    pub fn agents(&self, token: Option<&NamedToken>) -> Result<Arc<CachedAccess>> {
        let rights = token.map(|token| &token.rights);
        let key = rights.map(|rights| json!([rights.toolsets, rights.read_only, rights.user]));
        self.made(format!("agents {key:?}"), || {
            let client_access = to_agents(&self.settings, self.imports.clone(), rights);
            let protocol = Protocol::without_sessions(&client_access.tools)?;
            Ok(CachedAccess { client_access: Arc::new(client_access), protocol })
        })
    }

    /// Returns the access of the explorer, with the server's own token or a named one.
    ///
    /// # Errors
    /// If the lists cannot be made.
    pub fn explorer(&self, token: Option<&NamedToken>) -> Result<Arc<CachedAccess>> {
        let is_read_only = token.is_some_and(|token| token.rights.read_only);
        self.made(format!("explorer {is_read_only}"), || {
            let client_access = ClientAccess::to_explorer(&self.settings, self.imports.clone(), is_read_only);
            let protocol = Protocol::for_explorer(&client_access.tools)?;
            Ok(CachedAccess { client_access: Arc::new(client_access), protocol })
        })
    }

    fn made(&self, key: String, make: impl FnOnce() -> Result<CachedAccess>) -> Result<Arc<CachedAccess>> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = made.get(&key) {
            return Ok(cached.clone());
        }
        if made.len() >= MAX_COMBINATIONS {
            made.clear();
        }
        let cached = Arc::new(make()?);
        made.insert(key, cached.clone());
        Ok(cached)
    }
}
