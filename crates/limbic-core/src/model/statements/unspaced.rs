//! Where two statements in scripts without spaces differ, by their letters: such a statement has no words to compare.

use crate::model::{formatting, script};

/// Maximum letters of a statement that is compared.
const MAX_LETTERS: usize = 400;

/// Minimum letters that both have in common for another value to be one of the same thing.
const MIN_COMMON: usize = 3;

/// Maximum letters of a Chinese or Japanese word in one place.
const MAX_WORD: usize = 4;

/// Words that negate a statement: Chinese, Japanese, Thai.
const NEGATIONS: [&str; 12] =
    ["不", "不再", "没", "没有", "沒", "沒有", "未", "别", "別", "不要", "ไม่", "ไม่ได้"];

/// Chinese words that may stand for each other, or say nothing.
const FUNCTION_LETTERS: &str = "在是的了于於位也都就已被把将會会有用使";

/// Whether two statements have another value in one place, or one denies the other. `false` if they are in other
/// scripts, or the letters do not decide.
pub(super) fn contradict(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (letters(one), letters(other)) else { return false };
    let (one, other) = (&one[..], &other[..]);
    let is_part = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '.' || *letter == ':';
    let mut begin = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let mut end =
        one[begin..].iter().rev().zip(other[begin..].iter().rev()).take_while(|(a, b)| a == b).count();
    // A number or a Latin word is compared as a whole.
    while begin > 0
        && is_part(&one[begin - 1])
        && [one, other].iter().any(|it| it.get(begin).is_some_and(is_part))
    {
        begin -= 1;
    }
    let starts_inside = |it: &[char], end: usize| it.len() > end && is_part(&it[it.len() - end - 1]);
    while end > 0 && is_part(&one[one.len() - end]) && (starts_inside(one, end) || starts_inside(other, end))
    {
        end -= 1;
    }
    let [mine, theirs] = [one, other].map(|it| it[begin..it.len() - end].iter().collect::<String>());
    let [length, their_length] = [&mine, &theirs].map(|it| it.chars().count());
    if begin + end < MIN_COMMON {
        return false;
    }
    if mine.is_empty() || theirs.is_empty() {
        let added = if mine.is_empty() { theirs } else { mine };
        return NEGATIONS.contains(&&*added);
    }
    let are = |is: fn(&str) -> bool| is(&mine) && is(&theirs);
    are(is_number) || (are(is_word) && begin + end >= length.max(their_length))
}

/// The letters of a statement without marks at the end; `None` if it is too long, or in a script with spaces.
fn letters(text: &str) -> Option<Vec<char>> {
    let is_solid = |letter: char| script::is_unspaced(letter) && !script::is_hangul(letter);
    if text.len() > 4 * MAX_LETTERS || !text.contains(is_solid) {
        return None;
    }
    let plain = formatting::plain(text);
    let plain =
        plain.trim_end_matches(|letter: char| !letter.is_alphanumeric() && !script::is_unspaced(letter));
    let letters: Vec<char> = plain.chars().filter(|letter| !letter.is_whitespace()).collect();
    let solid = letters.iter().filter(|letter| is_solid(**letter)).count();
    (letters.len() <= MAX_LETTERS && 2 * solid >= MIN_COMMON).then_some(letters)
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.' || letter == ':')
}

/// Whether a text may be a Chinese or Japanese word with content, or a Latin one.
fn is_word(text: &str) -> bool {
    let is_content = |letter: char| matches!(letter, '\u{30a0}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}');
    let is_latin = text.chars().all(|letter| letter.is_ascii_alphanumeric());
    let is_short = text.chars().count() <= MAX_WORD && text.chars().all(is_content);
    is_latin || (is_short && !text.chars().all(|letter| FUNCTION_LETTERS.contains(letter)))
}

#[cfg(test)]
mod tests {
    use crate::model::statements::{Relation, relation};

    #[test]
    fn another_value_or_a_negation_is_a_contradiction() {
        for (one, other) in [
            ("服务器使用端口8080", "服务器使用端口9090"),
            ("服务器使用端口8080", "服务器使用端口 8081。"),
            ("我们使用Docker", "我们不使用Docker"),
            ("会議は月曜日です", "会議は火曜日です"),
            ("サーバーは東京にある", "サーバーは大阪にある"),
            ("我们每周二部署", "我们每周四部署"),
            ("安娜住在上海", "安娜住在北京"),
            ("เซิร์ฟเวอร์ใช้พอร์ต 8080", "เซิร์ฟเวอร์ใช้พอร์ต 9090"),
        ] {
            assert_eq!(relation(one, other), Relation::Contradiction, "{one} | {other}");
            assert_eq!(relation(other, one), Relation::Contradiction, "{one} | {other}");
        }
    }

    #[test]
    fn other_statements_are_none() {
        for (one, other) in [
            ("安娜住在上海", "发票由财务部发送"),
            ("服务器在上海", "服务器位于上海"),
            ("本番データベースはポート5432です", "請求書は経理部が送付します"),
            ("แอนนาแพ้ถั่วลิสง", "สายยางรดน้ำอยู่ในห้องใต้ดิน"),
            ("ខ្ញុំចូលចិត្តកាហ្វេ", "ម៉ាស៊ីនមេនៅភ្នំពេញ"),
        ] {
            assert_ne!(relation(one, other), Relation::Contradiction, "{one} | {other}");
        }
    }
}
