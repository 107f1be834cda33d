//! The tools that clients are offered, by the rights of their tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::json;

use crate::offer::{Imports, Offer};
use crate::options::Settings;
use crate::serve::protocol::Protocol;
use crate::tokens::NamedToken;

/// Maximum number of combinations of rights that are remembered.
const MAX_COMBINATIONS: usize = 256;

/// The offer for one combination of rights.
pub struct Offered {
    /// What they may use.
    pub offer: Arc<Offer>,
    /// The lists for them.
    pub protocol: Protocol,
}

/// The offers, each computed once per combination of rights.
pub struct Offers {
    settings: Settings,
    imports: Imports,
    made: Mutex<HashMap<String, Arc<Offered>>>,
}

impl Offers {
    /// Creates the offers of a server with these settings.
    pub fn new(settings: &Settings, imports: Imports) -> Self {
        Self { settings: settings.clone(), imports, made: Mutex::default() }
    }

    /// Returns the offer for agents, with the server's own token or a named one.
    ///
    /// # Errors
    /// If the lists cannot be made.
    pub fn agents(&self, token: Option<&NamedToken>) -> Result<Arc<Offered>> {
        let rights = token.map(|token| &token.rights);
        let key = rights.map(|rights| json!([rights.toolsets, rights.read_only, rights.user]));
        self.made(format!("agents {key:?}"), || {
            let offer = Offer::to_agents(&self.settings, self.imports.clone(), rights);
            let protocol = Protocol::without_sessions(&offer.tools)?;
            Ok(Offered { offer: Arc::new(offer), protocol })
        })
    }

    /// Returns the offer for the explorer, with the server's own token or a named one.
    ///
    /// # Errors
    /// If the lists cannot be made.
    pub fn explorer(&self, token: Option<&NamedToken>) -> Result<Arc<Offered>> {
        let is_read_only = token.is_some_and(|token| token.rights.read_only);
        self.made(format!("explorer {is_read_only}"), || {
            let offer = Offer::to_explorer(&self.settings, self.imports.clone(), is_read_only);
            let protocol = Protocol::for_explorer(&offer.tools)?;
            Ok(Offered { offer: Arc::new(offer), protocol })
        })
    }

    fn made(&self, key: String, make: impl FnOnce() -> Result<Offered>) -> Result<Arc<Offered>> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(offered) = made.get(&key) {
            return Ok(offered.clone());
        }
        if made.len() >= MAX_COMBINATIONS {
            made.clear();
        }
        let offered = Arc::new(make()?);
        made.insert(key, offered.clone());
        Ok(offered)
    }
}
