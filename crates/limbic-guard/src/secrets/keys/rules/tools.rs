//! Tokens of tools for development and operations.

use super::rule::{Begins, Rule, inner, is_of_key, rule};

pub(super) const RULES: &[Rule] = &[
    rule("Databricks token", &["dapi"], r"^dapi[a-f0-9]{32}\b", "da·pi9f86d081884c7d659a2feaa0c55ad015"),
    rule(
        "Linear key",
        &["lin_api_"],
        r"^lin_api_[A-Za-z0-9]{40}",
        "lin·_api_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko",
    ),
    rule(
        "Notion token",
        &["ntn_"],
        r"^ntn_[0-9]{11}[A-Za-z0-9]{35}",
        "nt·n_12345678901q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3",
    ),
    rule(
        "Notion token",
        &["secret_"],
        r"^secret_[A-Za-z0-9]{43}\b",
        "sec·ret_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
    rule(
        "Postman key",
        &["PMAK-"],
        r"^PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
        "PM·AK-9f86d081884c7d659a2feaa0-9f86d081884c7d659a2feaa0c55ad0159f",
    ),
    rule(
        "Grafana token",
        &["glsa_"],
        r"^glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}",
        "gl·sa_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9_9f86d081",
    ),
    rule("Grafana token", &["glc_"], r"^glc_[A-Za-z0-9+/]{32}", "gl·c_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9"),
    rule("Vault token", &["hvs.", "hvb."], r"^hv[sb]\.[A-Za-z0-9_-]{24}", "hv·s.q83kzPw1Lx0dVbN4mRt6Yh2U"),
    inner(
        "Terraform token",
        &[".atlasv1."],
        Begins::Before(is_of_key, 14, 14),
        r"^[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60}",
        "q83kzPw1Lx0dVb.atlas·v1.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6",
    ),
    rule(
        "New Relic key",
        &["NRAK-", "NRII-"],
        r"^NR(?:AK|II)-[A-Za-z0-9_-]{27}",
        "NR·AK-Q83KZPW1LX0DVBN4MRT6YH2UJ5G",
    ),
    rule(
        "Sentry token",
        &["sntryu_", "sntrys_"],
        r"^sntry(?:u_[a-f0-9]{64}|s_eyJ[A-Za-z0-9+/=_]{40})",
        "sn·tryu_9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015",
    ),
    rule(
        "Figma token",
        &["figd_"],
        r"^figd_[A-Za-z0-9_-]{40}",
        "fi·gd_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko",
    ),
    rule(
        "Doppler token",
        &["dp."],
        r"^dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40}",
        "dp·.pt.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
    rule(
        "PlanetScale token",
        &["pscale_"],
        r"^pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32}",
        "ps·cale_tkn_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9",
    ),
    rule("Pulumi token", &["pul-"], r"^pul-[a-f0-9]{40}", "p·ul-9f86d081884c7d659a2feaa0c55ad0159f86d081"),
    rule(
        "Fly.io token",
        &["fm2_", "fo1_"],
        r"^(?:fm2_[A-Za-z0-9+/=]{60}|fo1_[A-Za-z0-9_-]{43})",
        "f·m2_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6",
    ),
    rule(
        "Airtable token",
        &["pat"],
        r"^pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
        "pa·tq83kzPw1Lx0dVb.9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015",
    ),
    rule(
        "1Password secret key",
        &["A3-"],
        r"^A3-[A-Z0-9]{6}-(?:[A-Z0-9]{6}-[A-Z0-9]{5}|[A-Z0-9]{11})(?:-[A-Z0-9]{5}){3}\b",
        "A·3-Q83KZP-W1LX0D-VBN4M-RT6YH-2UJ5G-E7CS9",
    ),
];
