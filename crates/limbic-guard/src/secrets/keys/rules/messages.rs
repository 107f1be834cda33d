//! Tokens of chat and mail services.

use super::rule::{Begins, Rule, inner, is_digit, is_of_key, rule};

pub(super) const RULES: &[Rule] = &[
    rule(
        "Slack token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe."],
        r"^xox[abeoprs][.-][A-Za-z0-9.-]{20,}",
        "xo·xb-123456789012-1234567890123-q83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    rule(
        "Slack token",
        &["xapp-"],
        r"^xapp-[0-9]-[A-Za-z0-9]+-[0-9]+-[a-z0-9]{20}",
        "xa·pp-1-A0Q3EGTRWZ5-1234567890123-9f86d081884c7d659a2feaa0c55ad015",
    ),
    rule(
        "Slack token",
        &["hooks.slack.com/"],
        r"^hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,}",
        "hooks.sl·ack.com/services/T0Q3EGTRW/B0Q3EGTRW/q83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    rule(
        "Discord token",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        r"^discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60}",
        "discord.com/api/web·hooks/123456789012345678/q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    inner(
        "Discord token",
        &["."],
        Begins::Before(is_of_key, 24, 27),
        r"^[MNO][A-Za-z0-9_-]{23,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
        "MTq83kzPw1Lx0dVbN4mRt6Yh.Gq83kz.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge",
    ),
    inner(
        "Telegram token",
        &[":AA"],
        Begins::Before(is_digit, 8, 10),
        r"^[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
        "1234567890:A·Aq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9F",
    ),
    rule(
        "SendGrid key",
        &["SG."],
        r"^SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}",
        "S·G.q83kzPw1Lx0dVbN4mRt6Yh.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
    rule("Mailgun key", &["key-"], r"^key-[a-f0-9]{32}\b", "ke·y-9f86d081884c7d659a2feaa0c55ad015"),
    inner(
        "Mailchimp key",
        &["-us"],
        Begins::Before(is_of_key, 32, 32),
        r"^[a-f0-9]{32}-us[0-9]{1,2}\b",
        "9f86d081884c7d659a2feaa0c55ad015-u·s14",
    ),
    rule(
        "Brevo key",
        &["xkeysib-", "xsmtpsib-"],
        r"^x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
        "xk·eysib-9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015-q83kzPw1Lx0dVbN4",
    ),
    rule("Twilio key", &["SK"], r"^SK[a-f0-9]{32}\b", "S·K9f86d081884c7d659a2feaa0c55ad015"),
];
