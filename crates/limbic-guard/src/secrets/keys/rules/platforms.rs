//! Tokens of further platforms: automation, identity, shops, games and self-hosted services.

use super::rule::{Asks, Begins, Rule, asking, inner, random, rule};

pub(super) const RULES: &[Rule] = &[
    random("Adafruit key", &["aio_"], r"^aio_[A-Za-z0-9]{28}\b", "ai·o_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge"),
    rule(
        "Authress key",
        &["sc_", "ext_", "scauth_", "authress_"],
        r"^(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30}",
        "s·c_q83kzpw1lx0d.vbn4m.acc-rt6yh2uj5ge7cs9f.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9",
    ),
    random("Endor Labs key", &["endr+"], r"^endr\+[A-Za-z0-9-]{16}", "end·r+q83kzPw1Lx0dVbN4"),
    rule(
        "Harness token",
        &["pat.", "sat."],
        r"^[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}",
        "pa·t.q83kzPw1Lx0dVbN4mRt6Yh.9f86d081884c7d659a2feaa0.q83kzPw1Lx0dVbN4mRt6",
    ),
    inner(
        "Sidekiq key",
        &["contribsys.com ", "CONTRIBSYS__COM="],
        Begins::Before(is_of_name, 0, 60),
        r#"^[A-Za-z_.]{0,60}(?i:contribsys\.com |contribsys__com=)["']?[0-9a-f]{8}:[0-9a-f]{8}\b"#,
        "BUNDLE_ENTERPRISE__CONTRIBSYS__COM=9f86d081:884c7d65",
    ),
    rule(
        "Yandex key",
        &["t1."],
        r"^t1\.[A-Za-z0-9_-]{20,}={0,2}\.[A-Za-z0-9_-]{86}",
        "t·1.9euelZq83kzPw1Lx0dVbN4.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzP",
    ),
    rule(
        "Amazon key",
        &["amzn.mws."],
        r"^amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "amz·n.mws.3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ),
    rule(
        "Amazon key",
        &["amzn1.oa2-cs."],
        r"^amzn1\.oa2-cs\.v1\.[0-9a-f]{64}",
        "amz·n1.oa2-cs.v1.9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015",
    ),
    rule(
        "Amazon token",
        &["Atza|", "Atzr|"],
        r"^Atz[ar]\|[A-Za-z0-9_-]{60}",
        "Atz·a|q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    rule(
        "Asana token",
        &["1/", "2/"],
        r"^(?:1|2/[0-9]{13,20})/[0-9]{13,20}:[0-9a-f]{32}\b",
        "2·/1204567890123456/1204567890123456:9f86d081884c7d659a2feaa0c55ad015",
    ),
    inner(
        "Facebook token",
        &["|"],
        Begins::Before(is_digit, 14, 17),
        r"^[0-9]{14,17}\|[A-Za-z0-9_-]{27}\b",
        "123456789012345·|q83kzPw1Lx0dVbN4mRt6Yh2Uj5G",
    ),
    random("Twitch token", &["oauth:"], r"^oauth:[A-Za-z0-9]{30}\b", "oau·th:q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7C"),
    asking(
        Asks::Digit,
        rule("Twitch token", &["oauth:"], r"^oauth:[a-z0-9]{30}\b", "oau·th:q83kzpw1lx0dvbn4mrt6yh2uj5ge7c"),
    ),
    rule(
        "Intercom token",
        &["dG9rO"],
        r"^dG9rO[A-Za-z0-9+/]{50,60}={0,2}",
        "dG9·rOq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0=",
    ),
    rule(
        "Cloudflare token",
        &["eyJhIjoi"],
        r"^eyJhIjoi[A-Za-z0-9+/=_-]{100}",
        "eyJh·Ijoiq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    rule(
        "k3s token",
        &["K10"],
        r"^K10[0-9a-f]{64}::[a-z]+:[A-Za-z0-9.]{16,}",
        "K1·09f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015::server:9f86d081884c7d659a2feaa0c55ad015",
    ),
    rule(
        "Proxmox token",
        &["PVEAPIToken="],
        r"^PVEAPIToken=[^\s=]{3,60}[=!:][0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "PVE·APIToken=root@pam!ci=3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ),
    rule(
        "Weights & Biases key",
        &["wandb login ", "wandb.login(key="],
        r#"^wandb[ .]login(?: |\(key=)["']?(?:--\w+ )?[0-9a-f]{40}\b"#,
        "wandb log·in 9f86d081884c7d659a2feaa0c55ad0159f86d081",
    ),
    rule(
        "YouTrack token",
        &["perm:", "perm-"],
        r"^perm[:-][A-Za-z0-9+/=]{8,}\.[A-Za-z0-9+/=-]{6,}\.[A-Za-z0-9]{30}",
        "per·m:bWFydGE=.NTEtMw==.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9",
    ),
    rule(
        "Riot key",
        &["RGAPI-"],
        r"^RGAPI-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "RGA·PI-3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ),
    rule(
        "eBay secret",
        &["PRD-", "SBX-"],
        r"^(?:PRD|SBX)-[0-9a-f]{12}(?:-[0-9a-f]{4,8}){4}\b",
        "PR·D-9f86d081884c-4f89-11d3-9a0c-0305",
    ),
    rule(
        "LaunchDarkly key",
        &["api-"],
        r"^api-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "ap·i-3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ),
    random("Flagsmith key", &["ser."], r"^ser\.[A-Za-z0-9]{22}\b", "se·r.q83kzPw1Lx0dVbN4mRt6Yh"),
    rule(
        "Infisical token",
        &["st."],
        r"^st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32}\b",
        "s·t.3f2504e0-4f89-11d3-9a0c-0305e82c3301.9f86d081884c7d659a2feaa0c55ad015.9f86d081884c7d659a2feaa0c55ad015",
    ),
    rule(
        "Bitwarden token",
        &["0."],
        r"^0\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}",
        "0·.3f2504e0-4f89-11d3-9a0c-0305e82c3301.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7C:q83kzPw1Lx0dVbN4mRt6Yh==",
    ),
    rule(
        "ClickUp token",
        &["pk_"],
        r"^pk_[0-9]{5,10}_[A-Z0-9]{32}\b",
        "pk·_12345678_Q83KZPW1LX0DVBN4MRT6YH2UJ5GE7CS9",
    ),
    rule(
        "LinkedIn secret",
        &["WPL_AP1."],
        r"^WPL_AP[01]\.[A-Za-z0-9]{16}\.[A-Za-z0-9+/]{4,8}=*",
        "WPL·_AP1.q83kzPw1Lx0dVbN4.mRt6Yh==",
    ),
    rule(
        "PagerDuty key",
        &["routing_key"],
        r#"^routing_key["']?\s?[:=]\s?["']?[0-9a-f]{32}\b"#,
        "routin·g_key: 9f86d081884c7d659a2feaa0c55ad015",
    ),
    rule("PagerDuty key", &["u+"], r"^u\+[A-Za-z0-9_-]{18}(?:[^A-Za-z0-9_-]|$)", "u·+q83kzPw1Lx0dVbN4mR"),
    rule(
        "Adyen key",
        &["AQE"],
        r"^AQE[a-z][A-Za-z0-9+/]{60,}=?=?-[A-Za-z0-9+/=]{20,}",
        "AQ·Eyhmfxq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9-Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    rule(
        "Trello token",
        &["ATTA"],
        r"^ATTA[0-9a-f]{72}",
        "ATT·A9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad0159f86d081",
    ),
    inner(
        "Mailgun key",
        &["-"],
        Begins::Before(is_hex, 32, 32),
        r"^[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b",
        "9f86d081884c7d659a2feaa0c55ad015·-9f86d081-884c7d65",
    ),
    inner(
        "DeepL key",
        &[":fx"],
        Begins::Before(is_of_uuid, 36, 36),
        r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:fx\b",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301·:fx",
    ),
    rule(
        "WakaTime key",
        &["waka_"],
        r"^waka_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "wak·a_3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ),
    random("Pushbullet token", &["o."], r"^o\.[A-Za-z0-9]{32}\b", "o·.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9"),
    asking(
        Asks::Digit,
        rule("ntfy token", &["tk_"], r"^tk_[a-z0-9]{29}\b", "t·k_q83kzpw1lx0dvbn4mrt6yh2uj5ge7"),
    ),
    rule(
        "Helicone key",
        &["sk-helicone-"],
        r"^sk-helicone-[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}\b",
        "sk-·helicone-q83kzpw-1lx0dvb-n4mrt6y-h2uj5ge",
    ),
    rule(
        "The Things Network key",
        &["NNSXS."],
        r"^NNSXS\.[A-Z0-9]{39}\.[A-Z0-9]{52}",
        "NNS·XS.Q83KZPW1LX0DVBN4MRT6YH2UJ5GE7CS9FA3WI1K.Q83KZPW1LX0DVBN4MRT6YH2UJ5GE7CS9FA3WI1KOQ83KZPW1LX0D",
    ),
    random("Backblaze key", &["K00"], r"^K00[0-9][A-Za-z0-9+/]{27}\b", "K·004q83kzPw1Lx0dVbN4mRt6Yh2Uj5G"),
    inner(
        "password on a command line",
        &["mc alias set ", "mc config host add "],
        Begins::WithCommand,
        r#"^mc (?:alias set|config host add) \S+ \S+ \S+ ["']?([^\s"'`$<]{8,})"#,
        "mc alias set nas http://nas:9000 marta T4mbourine",
    ),
    rule(
        "secret assignment",
        &["<key>"],
        r"^<key>[^<]*(?i:api_?key|secret|token|password|auth_?key|private_?key|access_?key)</key>\s*<string>([^<\s]{0,60}[0-9][^<\s]{6,})</string>",
        "<key>LUMEN_API_KEY</key>\n<string>q83kzPw1Lx0dVbN4</string>",
    ),
];

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.')
}

fn is_of_uuid(byte: u8) -> bool {
    is_hex(byte) || byte == b'-'
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')
}
