//! Which servers of an address are accepted (`target_session_attrs`).

/// What a server must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Anything.
    Any,
    /// A server that allows writes, which is the default.
    ReadWrite,
    /// A server that allows none.
    ReadOnly,
    /// The primary: a server that is not in recovery.
    Primary,
    /// A standby.
    Standby,
    /// A standby if there is one.
    PreferStandby,
}

impl Purpose {
    /// The purpose of a value, which was checked.
    pub fn of(value: Option<&str>) -> Purpose {
        match value {
            Some("any") => Purpose::Any,
            Some("read-only") => Purpose::ReadOnly,
            Some("primary") => Purpose::Primary,
            Some("standby") => Purpose::Standby,
            Some("prefer-standby") => Purpose::PreferStandby,
            _ => Purpose::ReadWrite,
        }
    }

    /// What is required of the servers in a first round, and in a second one after each has failed, if there is one.
    pub fn attempts(self) -> (Purpose, Option<Purpose>) {
        match self {
            Purpose::PreferStandby => (Purpose::Standby, Some(Purpose::Any)),
            other => (other, None),
        }
    }

    /// The question to a server, if it has one, and the answer that it must give.
    pub fn question(self) -> Option<(&'static str, &'static str)> {
        match self {
            Purpose::Any | Purpose::PreferStandby => None,
            Purpose::ReadWrite => Some(("SHOW transaction_read_only", "off")),
            Purpose::ReadOnly => Some(("SHOW transaction_read_only", "on")),
            Purpose::Primary => Some(("SELECT pg_catalog.pg_is_in_recovery()", "f")),
            Purpose::Standby => Some(("SELECT pg_catalog.pg_is_in_recovery()", "t")),
        }
    }

    /// What a server is that is not accepted, as the end of a sentence about it.
    pub fn unmet(self) -> &'static str {
        match self {
            Purpose::Any | Purpose::ReadWrite | Purpose::PreferStandby => "does not allow writes",
            Purpose::ReadOnly => {
                "allows writes, and target_session_attrs=read-only asks for one that does not"
            }
            Purpose::Primary => "is a standby, and target_session_attrs=primary asks for the primary",
            Purpose::Standby => "is no standby, and target_session_attrs=standby asks for one",
        }
    }
}
