//! The rights that a role needs, and the tables that its servers set up.

use anyhow::{Result, ensure};
use limbic_support::postgres::{Cluster, PASSWORD};

use super::limbic;

#[test]
fn a_role_without_superuser_creates_the_tables_with_their_vacuum_settings() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql("postgres", "CREATE DATABASE created_by_role")?;
    cluster.sql("postgres", &format!("CREATE ROLE creator LOGIN PASSWORD '{PASSWORD}'"))?;
    cluster.sql(
        "created_by_role",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON SCHEMA public TO creator",
    )?;
    let address = cluster.address_of("creator", PASSWORD, "created_by_role", "team");
    let stored =
        limbic("call memory_store --no-model", &address, &[r#"{"content":"It was stored by a role"}"#])?;
    ensure!(stored.status.success(), "{}", String::from_utf8_lossy(&stored.stdout));
    let token = limbic("token create ada", &address, &[])?;
    ensure!(token.status.success(), "{}", String::from_utf8_lossy(&token.stderr));
    let owners = "SELECT string_agg(DISTINCT tableowner, ',') FROM pg_tables WHERE tablename LIKE 'limbic%'";
    ensure!(cluster.sql("created_by_role", owners)? == "creator");
    let options = |table: &str| {
        let sql = format!(
            "SELECT array_to_string(main.reloptions || toast.reloptions, ',') FROM pg_class AS main \
             LEFT JOIN pg_class AS toast ON toast.oid = main.reltoastrelid WHERE main.relname = '{table}'"
        );
        cluster.sql("created_by_role", &sql)
    };
    for (table, settings) in [
        ("limbic_memories", &["autovacuum_vacuum_threshold=200", "autovacuum_vacuum_cost_delay=0"][..]),
        (
            "limbic_pages",
            &[
                "autovacuum_vacuum_scale_factor=0.01",
                "autovacuum_vacuum_threshold=500",
                "autovacuum_vacuum_threshold=1500",
            ],
        ),
    ] {
        let found = options(table)?;
        for setting in settings {
            ensure!(
                found.split(',').any(|option| option == *setting),
                "{table}: {setting} is not in {found}"
            );
        }
    }
    Ok(())
}
