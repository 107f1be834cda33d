//! The inbox, page by page.

use anyhow::{Context, Result, ensure};
use limbic_tests::memory_file::ask;
use limbic_tools::CallerKind;
use serde_json::json;

use super::{import, introduce, memory, rule};

#[test]
fn the_inbox_is_paged_while_it_is_reviewed() -> Result<()> {
    let mut memory = memory()?;
    introduce(&mut memory, CallerKind::Cli, "");
    let ids = ["a", "b", "c", "d", "e"];
    let rules: Vec<_> = ids.iter().map(|id| rule(id, &format!("Always ask {id}"))).collect();
    import(&mut memory, &rules)?;
    let (mut seen, mut asked) = (Vec::new(), json!({ "limit": 2 }));
    loop {
        let page = ask(&mut memory, "explore_inbox", &asked)?;
        let rows = page["memories"].as_array().context("memories")?;
        let found: Vec<String> =
            rows.iter().filter_map(|row| row["id"].as_str().map(str::to_owned)).collect();
        ask(&mut memory, "review_inbox", &json!({ "reject": found }))?;
        seen.extend(found);
        if page["next_cursor"].is_null() {
            break;
        }
        asked["cursor"] = page["next_cursor"].clone();
    }
    seen.sort();
    ensure!(seen == ids, "{seen:?}");
    Ok(())
}
