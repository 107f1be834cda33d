//! Passwords in sentences of languages that write no spaces between words: `パスワードは …`, `密码是 …`.

use crate::secrets::literals::Literals;
use crate::secrets::value;

/// Words for a password or a key.
static NAMES: Literals = Literals::new(&[
    "WiFiのキー",
    "Wi-Fiのキー",
    "暗号キー",
    "パスワード",
    "パスフレーズ",
    "合言葉",
    "秘密鍵",
    "トークン",
    "APIキー",
    "アクセスキー",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "令牌",
    "비밀번호",
    "비번",
    "암호",
]);
/// Characters between the name and the value that say that the value follows.
const CONNECTORS: [char; 14] =
    ['は', 'が', 'を', '：', ':', '=', '是', '为', '為', '成', '는', '은', '가', '→'];
/// Maximum number of characters between the name and the value.
const MAX_BETWEEN: usize = 12;
/// Minimum length of a generated value.
const MIN_GENERATED: usize = 16;

/// Minimum length of a generated value directly after the name.
const MIN_BESIDE: usize = 24;

/// Whether the text states a password in such a sentence.
pub(super) fn state_secret(text: &str) -> bool {
    NAMES.matches(text).any(|(index, name)| {
        let rest = &text[index + name.len()..];
        let is_of_value = |letter: char| letter.is_ascii_graphic() && !"\"'`:=".contains(letter);
        let start = rest.char_indices().take(MAX_BETWEEN + 1).find(|(_, letter)| is_of_value(*letter));
        let Some((start, _)) = start else { return false };
        let between = &rest[..start];
        let value = &rest[start..];
        let end = value
            .find(|letter: char| !letter.is_ascii_graphic() || "\"'`".contains(letter))
            .unwrap_or(value.len());
        let value = value[..end].trim_end_matches(['.', ',', ';', ')', '(']);
        // `API 密钥 q8Zr…`: without a connector, only a generated value counts.
        let is_beside = between.trim().is_empty() && value::is_generated(value, MIN_BESIDE);
        (between.contains(CONNECTORS) || is_beside)
            && !between.contains(['。', '\n', '、', '，'])
            && !value::is_reference(value)
            && !value::is_placeholder(value)
            && !value::is_common_example(value)
            && !value::is_product(value)
            && (value::is_chosen(value, false) || value::is_generated(value, MIN_GENERATED))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_passwords_are_found() {
        for text in [
            "本番サーバーのパスワードは Sakura#9921x です",
            "数据库密码是 Panda_8842!q，不要外传",
            "Wi-Fi密碼：Taipei-7788x",
            "API 密钥 q8ZrT2kLmP0vXw4NbY7cJd3s",
            "パスワードを「Kaze!4410」に変更した",
            "서버 비밀번호는 Hanok*5521 입니다",
        ] {
            assert!(state_secret(text), "{text}");
        }
    }

    #[test]
    fn sentences_about_passwords_are_accepted() {
        for text in [
            "パスワードは8文字以上にする",
            "パスワードは金庫に保管する",
            "密码是用 Argon2id 加密的",
            "密码保存在 1Password 中",
            "密码：$DB_PASSWORD",
            "비밀번호는 비밀번호 관리자에 있다",
            "비밀번호: KeePass2에 있음",
        ] {
            assert!(!state_secret(text), "{text}");
        }
    }
}
