//! Credentials in source code are not stored, neither in a table nor in an index.

use std::fs;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::support::Workspace;

/// An invented password.
const PASSWORD: &str = "kestrel-99-Blue";

/// Files with the password, or with an invented token, in the place of `SECRET`.
const FILES: [(&str, &str); 6] = [
    (
        "settings.py",
        "DB_PASSWORD = \"SECRET\"\n\n\ndef connect(password=\"SECRET\"):\n    \"\"\"Connects.\n\n    \
         password = \"SECRET\"\n    \"\"\"\n    options = {\"password\": \"SECRET\"}\n    \"password=SECRET\".strip()\n    \
         return open_port(options)\n",
    ),
    (
        "login.ts",
        "import x from 'https://admin:SECRET@example.org/x.js';\ntype Login = { password: 'SECRET' };\n\
         export const password = 'SECRET';\nexport function login(password = 'SECRET') {\n  return open(password);\n}\n",
    ),
    ("notes.md", "# Access\n\n## password: SECRET\n\nThe password is SECRET.\n"),
    ("app.toml", "[database]\npassword = \"SECRET\"\nport = 5432\n"),
    (".env", "PASSWORD=SECRET\nPORT=5432\n"),
    (
        "main.rs",
        "/// password: SECRET\nconst PASSWORD: &str = \"SECRET\";\n\nfn main() {\n    run(PASSWORD);\n}\n",
    ),
];

#[test]
fn credentials_in_code_are_stored_nowhere() -> Result<()> {
    let token = ["gh", "p_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W"].concat();
    let workspace = Workspace::new()?;
    for (path, text) in FILES {
        workspace.write(path, text.replace("SECRET", PASSWORD))?;
        workspace.write(&format!("other/{path}"), text.replace("SECRET", &token))?;
    }
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    // What else these files have is found.
    for (name, kind) in [("connect", "function"), ("login", "function"), ("DB_PASSWORD", "constant")] {
        let found = server.ask("search_symbols", &json!({ "query": name }))?;
        ensure!(found["results"][0]["symbol_type"] == kind, "{name}: {found}");
    }
    let found = server.ask("search_code", &json!({ "query": "open_port options", "mode": "words" }))?;
    ensure!(found["results"][0]["file_path"] == "settings.py", "{found}");
    let rows = server.ask("query_sql", &json!({ "sql": "SELECT content, header FROM code_chunks" }))?;
    ensure!(rows.to_string().contains("[redacted: "), "{rows}");
    drop(server);
    for name in ["one.db", "one.db-journal"] {
        let Ok(bytes) = fs::read(workspace.project().with_file_name(name)) else { continue };
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        for word in ["kestrel", "q83kzpw1"] {
            let places: Vec<&str> = text
                .match_indices(word)
                .map(|(place, _)| {
                    let start = (0..=place.saturating_sub(60)).rev().find(|at| text.is_char_boundary(*at));
                    &text[start.unwrap_or(0)..place + word.len()]
                })
                .collect();
            ensure!(places.is_empty(), "{name} has {word} {} times: {places:#?}", places.len());
        }
    }
    Ok(())
}
