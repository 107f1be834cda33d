//! Tokens of forges and package registries.

use super::rule::{Rule, random, rule};

pub(super) const RULES: &[Rule] = &[
    rule(
        "GitHub token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"^gh[pousr]_[A-Za-z0-9]{36}",
        "gh·p_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W",
    ),
    rule(
        "GitHub token",
        &["github_pat_"],
        r"^github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
        "git·hub_pat_q83kzPw1Lx0dVbN4mRt6Yh_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbCdEfGhIjKlMnOpQrS",
    ),
    rule(
        "GitLab token",
        &["glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glcbt-", "glimt-", "glffct-"],
        r"^gl(?:pat|dt|rt|ft|soat|cbt|imt|ffct)-[A-Za-z0-9_.-]{20}",
        "glp·at-q83kzPw1Lx0dVbN4mRt6",
    ),
    rule(
        "GitLab token",
        &["glptt-", "glagent-", "gloas-"],
        r"^gl(?:ptt|agent|oas)-[A-Za-z0-9_-]{40}",
        "glp·tt-9f86d081884c7d659a2feaa0c55ad0159f86d081",
    ),
    rule("GitLab token", &["GR1348941"], r"^GR1348941[A-Za-z0-9_-]{20}", "GR13·48941q83kzPw1Lx0dVbN4mRt6"),
    rule(
        "Atlassian token",
        &["ATATT3"],
        r"^ATATT3[A-Za-z0-9_=-]{60}",
        "ATA·TT3q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6",
    ),
    random(
        "Bitbucket password",
        &["ATBB"],
        r"^ATBB[A-Za-z0-9]{20,}",
        "AT·BBq83kzPw1Lx0dVbN4mRt6Yh2UE7C59FA3",
    ),
    rule("npm token", &["npm_"], r"^npm_[A-Za-z0-9]{36}", "np·m_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W"),
    rule(
        "PyPI token",
        &["pypi-AgE"],
        r"^pypi-AgE[A-Za-z0-9_-]{50}",
        "py·pi-AgEIcHlwaS5vcmcq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko",
    ),
    rule(
        "RubyGems key",
        &["rubygems_"],
        r"^rubygems_[a-f0-9]{48}",
        "ruby·gems_9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d65",
    ),
    rule(
        "Docker token",
        &["dckr_pat_", "dckr_oat_"],
        r"^dckr_[po]at_[A-Za-z0-9_-]{27}",
        "dck·r_pat_q83kzPw1Lx0dVbN4mRt6Yh2Uj5G",
    ),
    rule(
        "Artifactory token",
        &["AKCp", "cmVmd"],
        r"^(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})\b",
        "AK·Cpq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7",
    ),
];
