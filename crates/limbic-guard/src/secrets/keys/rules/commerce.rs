//! Keys of payment and commerce. Publishable keys, `pk_`, are public.

use super::rule::{Rule, rule};

pub(super) const RULES: &[Rule] = &[
    rule(
        "Stripe key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        r"^[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        "sk·_live_q83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    rule("Stripe key", &["whsec_"], r"^whsec_[A-Za-z0-9+/]{32}", "wh·sec_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9"),
    rule(
        "Shopify token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"^shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
        "sh·pat_9f86d081884c7d659a2feaa0c55ad015",
    ),
    rule(
        "Square token",
        &["sq0atp-", "sq0csp-"],
        r"^sq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43})",
        "sq·0atp-q83kzPw1Lx0dVbN4mRt6Yh",
    ),
    rule(
        "Facebook token",
        &["EAACEdEose0cBA"],
        r"^EAACEdEose0cBA[A-Za-z0-9]{20}",
        "EA·ACEdEose0cBAq83kzPw1Lx0dVbN4mRt6",
    ),
];
