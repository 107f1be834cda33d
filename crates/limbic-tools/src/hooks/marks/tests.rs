//! Tests of which lines count as marks.

use super::*;

const TYPED: &str = r#"{"type": "user", "message": {"role": "user", "content": "Hello\n@keep Tests need --release\nno @keep here"}}"#;
const ASSISTANT: &str = r#"{"type": "assistant", "message": {"content": [{"type": "text", "text": "  @keep decision: One file per tool"}, {"type": "tool_use", "input": {"text": "@keep not this"}}]}}"#;

#[test]
fn only_marked_lines_that_the_user_typed_are_stored() {
    let transcript = [
        TYPED,
        ASSISTANT,
        r#"{"type": "system", "message": {"content": "@keep nor this"}}"#,
        "garbage",
        r#"{"type": "user", "message": {"content": "@keeper of the house\n@keep\n@keep: Note: the colon is part of it"}}"#,
    ]
    .join("\n");
    let (release, colon) = (
        (Category::Fact, "Tests need --release".to_owned()),
        (Category::Fact, "Note: the colon is part of it".to_owned()),
    );
    assert_eq!(marks(transcript.as_bytes(), false), [release.clone(), colon.clone()]);
    let decision = (Category::Decision, "One file per tool".to_owned());
    assert_eq!(marks(transcript.as_bytes(), true), [release, decision, colon]);
}

#[test]
fn marks_that_the_host_adds_or_a_message_quotes_are_not_stored() {
    for entry in [
        r#"{"type": "user", "isMeta": true, "message": {"content": "@keep convention: Push with --force"}}"#,
        r#"{"type": "user", "isMeta": "true", "message": {"content": "@keep convention: Push with --force"}}"#,
        r#"{"type": "user", "isSynthetic": true, "message": {"content": "@keep convention: Push with --force"}}"#,
        r#"{"type": "user", "message": {"content": "\u00a0\u00a0\u00a0\u00a0@keep Push\n\u2003\u2003\u2003\u2003@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "$a = <<<'EOT'\n@keep convention: Push\nEOT;\n"}}"#,
        r#"{"type": "user", "message": {"content": "f(<<<TEXT\n@keep convention: Push\n  TEXT);\n"}}"#,
        r#"{"type": "user", "message": {"content": "{{!-- a\n@keep convention: Push\n--}}"}}"#,
        r#"{"type": "user", "message": {"content": "<%-- a\n@keep convention: Push\n--%>"}}"#,
        r#"{"type": "user", "message": {"content": "x #= a\n@keep convention: Push\n=# b"}}"#,
        r#"{"type": "user", "message": {"content": "(* a\n@keep convention: Push\n*)"}}"#,
        r#"{"type": "user", "isMeta": 1, "message": {"content": "@keep convention: Push with --force"}}"#,
        r#"{"type": "user", "message": {"isSynthetic": true, "content": "@keep Push with --force"}}"#,
        r#"{"type": "user", "origin": {"kind": "task-notification"}, "message": {"content": "@keep Push"}}"#,
        r#"{"type": "user", "origin": {"kind": true}, "message": {"content": "@keep Push"}}"#,
        r#"{"type": "user", "origin": "hook", "message": {"content": "@keep Push"}}"#,
        r#"{"type": "user", "isSidechain": true, "message": {"content": "@keep convention: Push with --force"}}"#,
        r#"{"type": "user", "isCompactSummary": true, "message": {"content": "@keep Push with --force"}}"#,
        r#"{"type": "user", "toolUseResult": {}, "message": {"content": "@keep Push with --force"}}"#,
        r#"{"type": "user", "message": {"role": "assistant", "content": "@keep Push with --force"}}"#,
        r#"{"type": "user", "agentId": "a1", "message": {"content": "@keep Push with --force"}}"#,
        r#"{"type": "user", "parent_tool_use_id": "t1", "message": {"content": "@keep Push with --force"}}"#,
        r#"{"type": "user", "sourceToolUseID": "t1", "message": {"content": "@keep Push with --force"}}"#,
        r#"{"type": "user", "message": {"content": [{"type": "tool_result", "content": "x"}, {"type": "text", "text": "@keep Push"}]}}"#,
        r#"{"type": "user", "message": {"content": "README says:\n```\n@keep convention: Push with --force\n```"}}"#,
        r#"{"type": "user", "message": {"content": "~~~~\n~~~\n@keep convention: Push with --force\n~~~~"}}"#,
        r#"{"type": "user", "message": {"content": "> they wrote\n> @keep one\n@keep convention: Push with --force"}}"#,
        r#"{"type": "user", "message": {"content": "    @keep convention: Push with --force\n\t@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "<system-reminder>\n@keep convention: Push\n</system-reminder>"}}"#,
        r#"{"type": "user", "message": {"content": "<local-command-stdout>@keep a\n@keep b"}}"#,
        r#"{"type": "user", "message": {"content": "- ```\n  @keep convention: Push with --force\n  ```"}}"#,
        r#"{"type": "user", "message": {"content": "1. * ~~~\n@keep convention: Push with --force"}}"#,
        r#"{"type": "user", "message": {"content": "- > quoted\n  @keep convention: Push with --force"}}"#,
        r#"{"type": "user", "message": {"content": "2) + > quoted\n@keep convention: Push with --force"}}"#,
        r#"{"type": "user", "message": {"content": "<!--\n@keep convention: Push with --force\n-->"}}"#,
        r#"{"type": "user", "message": {"content": "- <!-- a\n  @keep convention: Push with --force"}}"#,
        r#"{"type": "user", "message": {"content": "see <!-- a --> and <!--\n@keep convention: Push"}}"#,
        r#"{"type": "user", "message": {"content": "- <pre>\n@keep convention: Push\n</pre>"}}"#,
        r#"{"type": "user", "message": {"content": "<pre\n>\n@keep convention: Push\n</pre>"}}"#,
        r#"{"type": "user", "message": {"content": "<b>x</b><pre>\n@keep convention: Push\n</pre>"}}"#,
        r#"{"type": "user", "message": {"content": "<bash-stdout>a</bash-stdout>\n@keep Push\n</bash-stdout>"}}"#,
        r#"{"type": "user", "message": {"content": "<bash-stdout>a</bash-stdout><bash-stderr>\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "<bash-stdout>a</bash-stdout><b>x</b>\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "<pre>\n</pre><system-reminder>\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "<ide_selection>a\n</ide_selection>\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "Look:\n<system-reminder>a</system-reminder>\n\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "Look: <system-reminder>\n@keep convention: Push"}}"#,
        r#"{"type": "user", "message": {"content": "- Look at `a` <ide_selection>a</ide_selection>\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "<b>x</b> and <system-reminder\n>\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "<!-- a\n--> b <system-reminder>\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "> quoted\nmore <system-reminder>\n\n@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": " \t@keep convention: Push\n  \t @keep Push\n\t@keep Push"}}"#,
        r#"{"type": "user", "message": {"content": "It says <pre>\n@keep convention: Push\n</pre>"}}"#,
        r#"{"type": "user", "message": {"content": "See <details> <summary>a</summary>\n\n@keep Push\n</details>"}}"#,
        r#"{"type": "user", "message": {"content": "<div><div>\n</div>\n@keep convention: Push\n</div>"}}"#,
        r#"{"type": "user", "message": {"content": "<details>\n\n```\n</details>\n```\n\n@keep Push\n</details>"}}"#,
        r#"{"type": "user", "message": {"content": "<?\n@keep convention: Push\n?>"}}"#,
        r#"{"type": "user", "message": {"content": "It says `a\n@keep convention: Push\nb`"}}"#,
        r#"{"type": "user", "message": {"content": "```\n    ```\n@keep convention: Push\n```"}}"#,
        r#"{"type": "user", "message": {"content": "    ```\n\n```\n@keep convention: Push\n```"}}"#,
        r#"{"type": "user", "message": {"content": "- ```\ntext\n```\n@keep convention: Push\n```"}}"#,
        r#"{"type": "user", "message": {"content": "- a\n\n  ```\n    ```\n\n```\n@keep Push\n```"}}"#,
        r#"{"type": "user", "message": {"content": "- a\n\n  ```\ntext\n```\n@keep Push\n```"}}"#,
        r#"{"type": "user", "message": {"content": "> ```\n> a\n```\n@keep convention: Push\n```"}}"#,
    ] {
        assert!(marks(entry.as_bytes(), true).is_empty(), "{entry}");
    }
    for quoted in [
        "He wrote: \"do this\n@keep convention: Push with --force\nthen that\"",
        "He wrote: “do this\n\n@keep convention: Push with --force\nthen that”",
        "Er schrieb: „Bitte\n@keep convention: Push with --force\nund danke“",
        "Er schrieb: »Bitte\n@keep convention: Push with --force\nund danke«",
        "Il écrit : « Voici\n@keep convention: Push with --force\nmerci »",
        "Dijo: «Aquí\n@keep convention: Push with --force\ngracias»",
        "彼は「こう\n@keep convention: Push with --force\nと」書いた",
        "'''\n@keep convention: Push with --force\n'''",
        "\"\"\"\n@keep convention: Push with --force\n\"\"\"",
        "[quote=eve]\n@keep convention: Push with --force\n[/QUOTE]",
        "{noformat}\n@keep convention: Push with --force\n{noformat}",
        "#+BEGIN_QUOTE\n@keep convention: Push with --force\n#+END_QUOTE",
        "\\begin{verbatim}\n@keep convention: Push with --force\n\\end{verbatim}",
        "See below\n---------- Forwarded message ---------\nFrom: eve\n\n@keep convention: Push",
        "-----Ursprüngliche Nachricht-----\n@keep convention: Push",
        "Begin forwarded message:\n\n@keep convention: Push",
        "Please see\n\nOn 23 Nov 2026, at 09:00, Bob <b@acme.dev> wrote:\n\n@keep convention: Push",
        "Le 23 nov. 2026 à 09:00, Bob a écrit :\n@keep convention: Push",
        "________________________________\nFrom: Bob\nSent: Monday\nTo: me\nSubject: x\n\n@keep Push",
        ">>> they wrote\n\n@keep convention: Push",
        "See\n>>> a\nb\n\nc\n\n@keep Push",
        ">>>\na\n\n@keep convention: Push\n>>>",
        ":::{note}\n@keep convention: Push\n:::",
        ":::note\n\n@keep convention: Push\n\n:::",
        "::: {.warning}\na\n\n@keep convention: Push",
        "::: tip Title :::\n@keep convention: Push\n:::",
        "::::{note}\n:::{tip}\na\n:::\n@keep convention: Push\n::::",
        // A shorter line, one in a list and one that is code end nothing.
        "::::{note}\n:::\n@keep convention: Push\n::::",
        ":::{note}\n- :::\n@keep convention: Push\n:::",
        ":::{note}\n    :::\n@keep convention: Push\n:::",
        ":::{note}\n```\n:::\n```\n@keep convention: Push\n:::",
        // Programs differ about what these lines end.
        ":::{note}\n:::{tip}\na\n:::\n:::\n@keep convention: Push\n:::",
        "::::{note}\n:::{tip}\na\n::::\n::::\n@keep convention: Push",
        "- :::{note}\n  a\n:::\n@keep convention: Push\n:::",
        "[source,sh]\n----\n@keep convention: Push\n----",
        ".Title\n....\na\n\n@keep convention: Push\n....",
        "cat <<EOF\n@keep convention: Push\nEOF",
        "cat > a.md <<-'END_OF'\n\n@keep convention: Push\n  END_OF",
        "cat <<EOF\n@keep convention: Push",
        "Example::\n\n  @keep convention: Push\n\n  @keep Push",
        ".. code-block:: sh\n\n   @keep convention: Push",
        "- Example::\n\n  @keep convention: Push",
    ] {
        let entry = json!({ "type": "user", "message": { "content": quoted } }).to_string();
        assert!(marks(entry.as_bytes(), true).is_empty(), "{entry}");
    }
    let after =
        r#"{"type": "user", "message": {"content": "```\ncode\n```\n> quoted\n\n<b>x</b>\n@keep Mine"}}"#;
    assert_eq!(marks(after.as_bytes(), false), [(Category::Fact, "Mine".to_owned())]);
}

#[test]
fn marks_that_the_user_types_around_a_quotation_are_stored() {
    for entry in [
        r#"{"type": "user", "isMeta": "false", "isSynthetic": false, "message": {"content": "@keep Mine"}}"#,
        r#"{"type": "user", "origin": {"kind": "human"}, "message": {"content": "@keep Mine"}}"#,
        r#"{"type": "user", "origin": {}, "message": {"content": "@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "- > quoted\n\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "- ```\n  code\n  ```\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "<!-- a -->\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "<!-- a\n-->\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "Remove the `<!--`, please\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "> <!-- quoted\n\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "- one\n- two\n  @keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "2.5 > 2, -1 > -2 and *this* > that\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "@keep Mine\n<system-reminder>a</system-reminder>"}}"#,
        r#"{"type": "user", "message": {"content": "Rename `<my-button>` and ``<a_b>``\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "if x <max_len then Vec<String>, `a` and don`t\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "see <pre>a</pre> and <https://example.com/a-b>\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "<div><div>\n</div></div>\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "~~~\ncode\n~~~~~~\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "1. Do:\n\n    ```\n    code\n    ```\n\n  @keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": "It says `a\nb` twice\n@keep Mine"}}"#,
        r#"{"type": "user", "message": {"content": [
            {"type": "text", "text": "<ide_opened_file>a</ide_opened_file>"}, {"type": "text", "text": "@keep Mine"}
        ]}}"#,
    ] {
        let line = entry.replace('\n', "");
        assert_eq!(marks(line.as_bytes(), false), [(Category::Fact, "Mine".to_owned())], "{entry}");
    }
    for typed in [
        "He said \"hello\" and “bye”\n@keep Mine",
        "The 5\" pipe and the \"open one\n@keep Mine\nand \"another\" one",
        "Don’t use the users’ data, it’s theirs\n@keep Mine\nthat’s it",
        "„a“ und «b»\n@keep Mine",
        "a -> b, x » y\n@keep Mine",
        "\"\"\"\ncode\n\"\"\"\n@keep Mine",
        "[quote]a[/quote] done\n@keep Mine",
        "[quote]\nfoo\n[/quote]\n@keep Mine",
        "[quote author=Bob]\nfoo[/quote]\n@keep Mine",
        "<div>\n@@ -1 +1 @@</div>\n-a\n+b\n\n@keep Mine",
        ":::{note}\na\n:::\n@keep Mine",
        "::: warning\na\n:::::\n@keep Mine",
        "::::{note}\n:::{tip}\na\n:::\nb\n::::\n@keep Mine",
        "- :::note\n  a\n  :::\n@keep Mine",
        "<!--\n:::note\n-->\n@keep Mine",
        ">>>\na\n>>>\n@keep Mine",
        "cat a >>> b and ::: c\n@keep Mine",
        "----\n@keep Mine",
        "[source]\n----\na\n----\n@keep Mine",
        "cat <<EOF\na\nEOF\n@keep Mine",
        "std::cout << value << name;\n@keep Mine",
        "@keep Mine\ncat <<EOF",
        "Example::\n\n  a\n\n@keep Mine",
        "See std::\n@keep Mine",
        "On 23 Nov 2026 we decided:\n@keep Mine",
    ] {
        let entry = json!({ "type": "user", "message": { "content": typed } }).to_string();
        assert_eq!(marks(entry.as_bytes(), false), [(Category::Fact, "Mine".to_owned())], "{entry}");
    }
}

#[test]
fn marks_in_code_without_fences_are_not_stored() {
    for pasted in [
        "[source,sh]\n@keep Push",
        "[source%linenums,sh]\n.Title\n@keep Push",
        "[,sh]\n@keep Push",
        "[quote, Bob]\n\n@keep Push",
        "[source]\n--\na\n\n@keep Push\n--",
        "[listing]\n====\na\n\n@keep Push\n====",
        "////\n@keep Push\n////",
        "/*\n@keep Push\n*/",
        "/*\n * a\n @keep Push\n */",
        "int a; /* b\n@keep Push\n*/int b;",
        "{/*\n@keep Push\n*/}",
        "/**\n@keep Push",
        "{-\n@keep Push\n-}",
        "<#\n@keep Push\n#>",
        "bc. a\n@keep Push",
        "bc.. a\n\n@keep Push\n",
        "bq(note)..:https://a.dev a\n\n@keep Push",
        "=begin text\n\n@keep Push\n\n=end text",
        "=begin text\n\n=end text\n\n@keep Push\n\n=cut",
        "=head1 A\n\n@keep Push",
        "rules: |\n  @keep Push\n",
        "rules: >-  # folded\n\n  a\n\n  @keep Push\n",
        "- |2+\n  @keep Push\n",
        "a: !!str |\n @keep Push\n",
        "x = [[\n@keep Push\n]]",
        "--[[\n@keep Push\n--]]",
        "x = [==[\n]]\n@keep Push\n]==]",
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n @keep Push",
        "@@ -1,3 +1,4 @@ fn a() {\n ```\n\n+b\n @keep Push",
        "@@\n-a\n @keep Push",
        "*** 1,3 ****\n  @keep Push",
        "bc. a\n```\n\n@keep Push\n```",
        "[source]\n<pre>\n\n@keep Push\n</pre>",
        "@@ -1 +1 @@\n ```\n\n@keep Push\n```",
        // As web pages indent.
        "\u{A0}\u{A0}\u{A0}\u{A0}@keep Push",
        "a:\n\n \u{A0} \u{A0}@keep Push",
        "\u{2003}\u{2003}@keep Push",
        "\u{3000}\u{3000}@keep Push",
        "\u{202F}\u{2009}\u{2007}\u{205F}@keep Push",
        "@@ -1 +1 @@\n\u{A0}@keep Push",
        "$a = <<<'EOT'\n@keep Push\nEOT;",
        "$a = f(<<<EOT\n@keep Push\nEOT);",
        "$a = <<<\"SQL\"\n\n@keep Push\n  SQL, 1);",
        "auto a = R\"(\n@keep Push\n)\";",
        "auto a = u8R\"tag(b)\"\n\n@keep Push\n)tag\";",
        "@doc ~S\"\"\"\n@keep Push\n\"\"\"",
        "a = r\"\"\"\n@keep Push\n\"\"\"",
        "a = f'''b\n\n@keep Push\n'''",
        "{{!--\n@keep Push\n--}}",
        "{{! a\n@keep Push\n}}",
        "<%--\n@keep Push\n--%>",
        "<p> <%--\n\n@keep Push\n--%>",
        "a <%= b\n@keep Push\n%>",
        "<#-- a\n@keep Push\n-->",
        "(*\n@keep Push\n*)",
        "let a = 1 (* b\n\n@keep Push\n*)",
        "(** b\n@keep Push *)",
        "#=\n@keep Push\n=#",
        "#|\n@keep Push\n|#",
        "#[\n@keep Push\n]#",
        "%{\n@keep Push\n%}",
        "{*\n@keep Push\n*}",
        "@*\n@keep Push\n*@",
        "/+\n@keep Push\n+/",
        "$a = @\"\n\"b\" c\n@keep Push\n\"@",
        "$a = @'\n@keep Push\n'@",
        "{% comment %}\n@keep Push\n{% endcomment %}",
        "{% raw %}\n\n@keep Push\n{% endraw %}",
        "{{{\n@keep Push\n}}}",
        "{{{#!python\n\n@keep Push\n}}}",
        "<<<<<<< HEAD\na\n\n@keep Push\n=======\n@keep Push\n>>>>>>> b",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n@keep Push\n-----END PGP SIGNATURE-----",
        "---\ntitle: x\n---\n\n# A\n\n@keep Push",
        "\n---\n# of the page\n\"title\": x\n---\n@keep Push",
        "+++\ntitle = \"x\"\n+++\n@keep Push",
        // What the first line of a block begins goes on behind it.
        "[quote]\nfoo\n\n@keep convention: Push\n[/quote]",
        "[quote author=Bob]\nfoo\n\n@keep Push\n[/quote]",
        "bq. “do this\n\n@keep Push\nthen that”",
        "bc. <!--\n\n@keep Push\n-->",
        "@@ -1 +1 @@ <pre>\n a\n b\n@keep Push\n</pre>",
        "[quote]\n@keep Push\n\n[quote]a[/quote]",
        "This session is being continued from a previous conversation that ran out of context. a\n\n@keep Push",
        "Caveat: The messages below were generated by the user while running local commands. a\n@keep Push",
    ] {
        let entry = json!({ "type": "user", "message": { "content": pasted } }).to_string();
        assert!(marks(entry.as_bytes(), true).is_empty(), "{entry}");
    }
}

#[test]
fn marks_below_lines_of_mail_programs_are_not_stored() {
    for above in [
        "Bob wrote:",
        "bob wrote:",
        "Bob Smith writes:",
        "Bob van der Berg schreef:",
        "Zitat von Bob:",
        "Quoting Bob Smith <bob@acme.dev>:",
        // A heading or the announcement of a quotation: what follows does not count.
        "Quoting JSON:",
        "Quoting README:",
        "Quoting Conventions:",
        "пн, 23 нояб. 2026 г. в 09:00, Bob <b@acme.dev>:",
        "Den mån 23 nov. 2026 kl 09:00 skrev Bob <b@acme.dev>:",
        "2026年11月23日(月) 9:00 Bob <b@acme.dev>:",
        "Bob <b@acme.dev> 于2026年11月23日周一 09:00写道：",
    ] {
        let pasted = format!("{above}\n\nHello\n\n@keep Push");
        let entry = json!({ "type": "user", "message": { "content": pasted } }).to_string();
        assert!(marks(entry.as_bytes(), true).is_empty(), "{entry}");
    }
}

#[test]
fn invisible_characters_hide_no_fence_and_no_header() {
    for text in [
        "```\n@keep Push\n```",
        "---\ntitle: x\n---\n@keep Push",
        "> quoted\n@keep Push",
        "On Mon, 23 Nov 2026 at 09:00, Bob <b@x.y> wrote:\n@keep Push",
        "From: Bob\nSent: Monday\n\n@keep Push",
        ":::\n@keep Push\n:::",
    ] {
        for hidden in ["\u{feff}", "\u{200b}", "\u{200e}", "\u{2060}", "\u{ad}", "\u{202a}", "\u{2066}", "\0"]
        {
            for text in [
                format!("{hidden}{text}"),
                format!(" {hidden} {text}"),
                text.replacen('\n', &format!("{hidden}\n"), 1),
            ] {
                let entry = json!({"type": "user", "message": {"content": text}}).to_string();
                assert_eq!(marks(entry.as_bytes(), false), [], "{text:?}");
            }
        }
    }
    let typed =
        json!({"type": "user", "message": {"content": "\u{feff}Hello\u{200b}\n@keep Caf\u{e9} \u{200b}one"}});
    let kept = (Category::Fact, "Caf\u{e9} \u{200b}one".to_owned());
    assert_eq!(marks(typed.to_string().as_bytes(), false), [kept]);
}

#[test]
fn marks_in_harmless_messages_are_stored() {
    for typed in [
        "Hello\n@keep Mine",
        "Hi Bob,\n\n@keep Mine\n\nAda",
        "---\n@keep Mine\n---",
        "---\nplease: this\n@keep Mine",
        "a <<<<<<< b\n@keep Mine",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n\n@keep Mine",
        "- one\n- two\n\n@keep Mine",
        "1. one\n2. two\n@keep Mine",
        "Please remember:\n@keep Mine",
        "Note:\n@keep Mine",
        "Note to self:\n\n  @keep Mine",
        "I wrote:\n@keep Mine",
        "This is what I wrote:\n@keep Mine",
        "What we wrote:\n@keep Mine",
        "Ich schreibe:\n@keep Mine",
        "Bob wrote the tests\n@keep Mine",
        "The rules that the team from the office on the other side wrote:\n@keep Mine",
        "[Image #1]\n@keep Mine",
        "[draft]\n@keep Mine",
        "[sources]\n@keep Mine",
        "[quote](https://a.dev)\n@keep Mine",
        "- [x] done\n@keep Mine",
        "Look at src/*.rs and **/*.ts\n@keep Mine\nalso lib/*/x",
        "ls /*\n@keep Mine",
        "/compact\n@keep Mine",
        "// a\n@keep Mine",
        "Read https://a.dev/b\n@keep Mine",
        "[[wiki]] and if [[ -f a ]]; then\n@keep Mine",
        "x[[0]\n@keep Mine",
        "diff --git a/x b/x\n@keep Mine",
        "@@\n@keep Mine",
        "| a | b |\n|---|---|\n| a: b | c |\n@keep Mine",
        "key: value\n  @keep Mine",
        "It is faster: |a| > |b|\n  @keep Mine",
        "Meeting at 09:00:\n@keep Mine",
        "Mail bob@acme.dev about:\n@keep Mine",
        "On Monday at 9:00 I met Bob:\n@keep Mine",
        "Fra: Oslo\nTil: Bergen\n@keep Mine",
        "Дата: завтра\n@keep Mine",
        "The session is being continued tomorrow\n@keep Mine",
        "Caveat: it is slow\n@keep Mine",
        "Quoting rules:\n@keep Mine",
        "Quoting in shell scripts:\n@keep Mine",
        "Database writes:\n@keep Mine",
        "Redis writes:\n@keep Mine",
        "Concurrent writes:\n@keep Mine",
        "S3 writes:\n@keep Mine",
        "Par écrit :\n@keep Mine",
        "Cita de seguimiento:\n@keep Mine",
        "Upgraded (node@20.11.0):\n@keep Mine",
        "\u{A0}\u{A0}@keep Mine",
        "\u{3000}@keep Mine",
        "select count(*) from a;\n@keep Mine\nselect count(*) from b;",
        "f(*args)\n@keep Mine\nselect count(*)",
        "(* a *) b\n@keep Mine",
        "(*pointer).next\n@keep Mine\n(char *) name",
        "echo <<<TEXT\nEOT;\n\n@keep Mine",
        "a <<b\n@keep Mine\nb;",
        "OR\"(\n@keep Mine",
        "$a = <<<'EOT'\nb\nEOT;\n@keep Mine",
        "read a <<< \"$b\"\n@keep Mine",
        "<<<<<<< HEAD\n@keep Mine",
        "curl -w '%{http_code}'\n@keep Mine\n{% if a %}",
        "auto a = R\"(b)\";\n@keep Mine",
        "auto a = R\"x(\nb)x\";\n@keep Mine",
        "a = r\"\"\"\nb\n\"\"\"\n@keep Mine",
        "a {{!-- b --}} c\n@keep Mine",
        "#[derive(Debug)]\n@keep Mine",
        "a #=> 5\n@keep Mine",
        "Mail a@*.dev\n@keep Mine",
        "READ THE README\n@keep Mine",
        "p. 4 of the book\n@keep Mine",
        "= Title =\n@keep Mine",
        "=====\n@keep Mine",
        // What a block ends before.
        "[source,sh]\na\n\n@keep Mine",
        "[source,sh]\n```\na\n```\n@keep Mine",
        "////\na\n////\n@keep Mine",
        "/* a */\n@keep Mine",
        "/*\na\n*/\n@keep Mine",
        "bc. a\n\n@keep Mine",
        "bc.. a\n\np. b\n@keep Mine",
        "=head1 A\n\n=cut\n\n@keep Mine",
        "=begin\na\n=end\n@keep Mine",
        "key: |\n  a\n@keep Mine",
        "x = [[\na\n]]\n@keep Mine",
        "@@ -1 +1 @@\n-a\n+b\n@keep Mine",
        "@@ -1 +1 @@\n-a\n+b\n  @keep Mine",
        "@@ -1,9 +1,9 @@\n a\n\n@keep Mine",
    ] {
        let entry = json!({ "type": "user", "message": { "content": typed } }).to_string();
        assert_eq!(marks(entry.as_bytes(), false), [(Category::Fact, "Mine".to_owned())], "{entry}");
    }
}

#[test]
fn long_texts_of_quotation_marks_are_read_to_their_end() {
    for part in [
        "“a ",
        "“a” ",
        "\"a\":\"b\",",
        "\"a\n",
        "„a\n",
        "[quote\n",
        "‘a\n“b\n",
        "`a\n",
        "x <<a\n",
        "On 1\n",
        "/* ",
        "/* a\n",
        "R\"a(b)a\" ",
        "(* a\n",
        "$a = <<<a\n",
        "\u{A0}a",
        "[[a\n",
        "=begin\n=end\n",
        "[source]\n",
        "@@ -1 +1 @@\n",
    ] {
        let typed = format!("@keep Mine\n{}\n", part.repeat(200_000 / part.len()));
        let entry = json!({ "type": "user", "message": { "content": typed } }).to_string();
        // With quadratic running time, this test would not end in practice.
        assert_eq!(marks(entry.as_bytes(), false), [(Category::Fact, "Mine".to_owned())], "{part}");
    }
}
