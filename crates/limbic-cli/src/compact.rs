//! `limbic compact`: rebuilds a database.

use std::process::ExitCode;

use anyhow::Result;
#[cfg(feature = "postgres")]
use limbic_memory::location::Location;
use limbic_tools::Options;

use crate::options::{Existing, require_writable};

/// Compacts the database, and reports its size before and after on standard error.
pub fn run(database: &Existing) -> Result<ExitCode> {
    require_writable("compact")?;
    let mut limbic = database.open_to_change(&Options::default())?;
    let compacted = limbic.compact()?;
    limbic.close()?;
    log!("compacted {} bytes to {}", compacted.bytes_before, compacted.bytes_after);
    #[cfg(feature = "postgres")]
    if let Location::Store(address) = &database.db {
        vacuum(address);
    }
    Ok(ExitCode::SUCCESS)
}

/// Frees the former rows of the pages. The memory is compacted, so a failure is reported, not returned.
#[cfg(feature = "postgres")]
fn vacuum(address: &limbic_pages::Address) {
    let later = "autovacuum frees the former rows of its pages later";
    match limbic_pages::postgres::vacuum(address) {
        Ok(true) => log!(
            "VACUUM was run: the former rows of its pages that no open transaction needs are free for later writes"
        ),
        Ok(false) => {
            log!("{later}: the role is not the owner of limbic_pages, so VACUUM was not run")
        }
        Err(error) => log!("{later}: VACUUM failed: {error}"),
    }
}
