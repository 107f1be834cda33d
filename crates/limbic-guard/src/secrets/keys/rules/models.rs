//! Keys of model providers.

use super::rule::{Asks, Rule, asking, random, rule};

pub(super) const RULES: &[Rule] = &[
    rule(
        "Anthropic key",
        &["sk-ant-"],
        r"^sk-ant-[a-z]{2,8}[0-9]{2}-[A-Za-z0-9_-]{60}",
        "sk-a·nt-api03-q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    rule(
        "OpenRouter key",
        &["sk-or-v1-"],
        r"^sk-or-v1-[a-f0-9]{64}",
        "sk-·or-v1-9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015",
    ),
    asking(
        Asks::Digit,
        rule(
            "OpenAI key",
            &["sk-"],
            r"^sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40}|[A-Za-z0-9]{20}T3BlbkFJ|[A-Za-z0-9]{40})",
            "s·k-q83kzPw1Lx0dVbN4mRt6T3Blb·kFJq83kzPw1Lx0dVbN4mRt6",
        ),
    ),
    asking(
        Asks::NoIdBefore,
        rule("DeepSeek key", &["sk-"], r"^sk-[a-f0-9]{32}\b", "s·k-9f86d081884c7d659a2feaa0c55ad015"),
    ),
    random(
        "NVIDIA key",
        &["nvapi-"],
        r"^nvapi-[A-Za-z0-9_-]{40,}",
        "nv·api-q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    random(
        "Voyage key",
        &["pa-"],
        r"^pa-[A-Za-z0-9_-]{40,48}\b",
        "pa·-q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
    asking(
        Asks::Digit,
        rule(
            "Cerebras key",
            &["csk-"],
            r"^csk-[a-z0-9]{40,}\b",
            "cs·k-q83kzpw1lx0dvbn4mrt6yh2uj5ge7cs9fa3wi1koq83kzpw1",
        ),
    ),
    random("Fireworks key", &["fw_"], r"^fw_[A-Za-z0-9]{20,32}\b", "fw·_q83kzPw1Lx0dVbN4mRt6Yh2U"),
    rule(
        "Hugging Face token",
        &["hf_", "api_org_"],
        r"^(?:hf|api_org)_[A-Za-z0-9]{34}\b",
        "h·f_qbdkzPwxLxcdVbNgmRtfYhaUjeGecCsjFa",
    ),
    asking(
        Asks::Digit,
        rule(
            "Groq key",
            &["gsk_"],
            r"^gsk_[A-Za-z0-9]{48,}",
            "gs·k_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0d",
        ),
    ),
    asking(
        Asks::Digit,
        rule(
            "Perplexity key",
            &["pplx-"],
            r"^pplx-[A-Za-z0-9]{40,}",
            "pp·lx-q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1",
        ),
    ),
    rule("Replicate token", &["r8_"], r"^r8_[A-Za-z0-9]{37}\b", "r·8_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi"),
    asking(
        Asks::Digit,
        rule(
            "xAI key",
            &["xai-"],
            r"^xai-[A-Za-z0-9]{70,}",
            "xa·i-q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7C",
        ),
    ),
];
