//! Keys of cloud providers.

use super::rule::{Begins, Rule, inner, is_of_azure, rule};

pub(super) const RULES: &[Rule] = &[
    rule(
        "AWS access key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"^A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}\b",
        "AK·IAQ3EGTRWZ5LMN2PXV",
    ),
    rule(
        "AWS secret key",
        &[
            "aws_secret_access_key",
            "AWS_SECRET_ACCESS_KEY",
            "SecretAccessKey",
            "secretAccessKey",
            "secret_access_key",
        ],
        r#"^[A-Za-z_]+["']?\s{0,3}[=:]\s{0,3}["']?([A-Za-z0-9/+]{40})\b"#,
        "aws_secret_·access_key = q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko",
    ),
    rule("Google API key", &["AIza"], r"^AIza[A-Za-z0-9_-]{35}", "AI·zaq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3"),
    rule(
        "Google API key",
        &["AQ.Ab"],
        r"^AQ\.Ab[A-Za-z0-9_-]{40,}",
        "AQ·.Abq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
    // The key of a server for Firebase's messages: the number of the project, then the key.
    rule(
        "Firebase key",
        &["AAAA"],
        r"^AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,}",
        "AA·AAq83kzPw:APA91bq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    // Of Bedrock: a key that lasts, and the start of one that is signed for some hours.
    rule(
        "AWS Bedrock key",
        &["ABSK", "bedrock-api-key-"],
        r"^(?:ABSK[A-Za-z0-9+/]{80,}|bedrock-api-key-[A-Za-z0-9+/]{40,})",
        "AB·SKq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83k",
    ),
    rule(
        "Google OAuth secret",
        &["GOCSPX-"],
        r"^GOCSPX-[A-Za-z0-9_-]{28}",
        "GOC·SPX-q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge",
    ),
    rule(
        "Google OAuth secret",
        &["ya29."],
        r"^ya29\.[A-Za-z0-9_-]{30}",
        "ya·29.a0q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9",
    ),
    rule(
        "Azure storage key",
        &["AccountKey="],
        r"^AccountKey=[A-Za-z0-9+/]{86}==",
        "Account·Key=q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbCdEf==",
    ),
    rule(
        "Azure shared access key",
        &["SharedAccessKey="],
        r"^SharedAccessKey=[A-Za-z0-9+/]{40,}=",
        "SharedAccess·Key=q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc=",
    ),
    rule(
        "Azure shared access signature",
        &["sig="],
        r"^sig=[A-Za-z0-9%+/_-]{40,}",
        "s·ig=q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAb%3D",
    ),
    inner(
        "Azure client secret",
        &["Q~"],
        Begins::Before(is_of_azure, 4, 4),
        r"^[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
        "abc8Q·~q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa",
    ),
    rule("Alibaba access key", &["LTAI"], r"^LTAI[A-Za-z0-9]{17,21}\b", "LT·AIq83kzPw1Lx0dVbN4mRt6"),
    rule(
        "DigitalOcean token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"^do[opr]_v1_[a-f0-9]{64}",
        "do·p_v1_9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015",
    ),
];
