//! The scripts of a text: which letters the encoder was not trained to read, and which words are written without
//! spaces.

use limbic_protocol::is_latin;
use unicode_normalization::char::is_combining_mark;

/// From this share of foreign letters on, the vector of a text says nothing.
const MAX_FOREIGN: f64 = 0.5;

/// Returns the share of a text's letters that are not Latin, 0 to 1; 0 for a text without letters. Stands for what an
/// encoder cannot read if the encoder does not compute it.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "texts have far fewer than 2^52 letters")]
pub(crate) fn foreign_share(text: &str) -> f64 {
    let (mut letters, mut foreign) = (0_usize, 0_usize);
    for letter in text.chars().filter(|letter| letter.is_alphabetic() && !is_combining_mark(*letter)) {
        letters += 1;
        foreign += usize::from(!is_latin(letter));
    }
    if letters == 0 { 0.0 } else { foreign as f64 / letters as f64 }
}

/// Whether an encoder hardly reads a text, so that its vector says nothing: most letters are foreign to it, or the text
/// has neither letters nor digits, as one of emoji. `foreign` is the share that the encoder computes, if it does.
#[must_use]
pub(crate) fn is_unreadable(text: &str, foreign: Option<f32>) -> bool {
    let share = foreign.map_or_else(|| foreign_share(text), f64::from);
    share >= MAX_FOREIGN || !text.contains(char::is_alphanumeric)
}

/// Whether a letter belongs to a script that puts no spaces between words: Chinese, Japanese, Thai, Lao, Burmese,
/// Khmer. Korean does, but its words have endings, so their parts are compared as well.
#[must_use]
pub(crate) fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a letter is Korean, which has spaces between its words.
#[must_use]
pub(crate) fn is_hangul(letter: char) -> bool {
    matches!(letter, '\u{ac00}'..='\u{d7af}')
}

/// Whether the letters of a run, which are of one kind, belong to such a script.
#[must_use]
pub(crate) fn is_run_unspaced(run: &str) -> bool {
    run.starts_with(is_unspaced)
}

/// Whether a word is one letter of such a script, with or without marks.
#[must_use]
pub(crate) fn is_single_letter(word: &str) -> bool {
    is_run_unspaced(word) && word.chars().filter(|letter| !is_combining_mark(*letter)).nth(1).is_none()
}

/// The last letter of a word, without combining marks.
#[must_use]
pub(crate) fn last_letter(word: &str) -> Option<String> {
    word.chars().rfind(|letter| !is_combining_mark(*letter)).map(String::from)
}

/// Whether a run of letters in a question is a particle: one letter of Hiragana, or one beside other letters or digits,
/// as in `2000年` and `API를`.
#[must_use]
pub(crate) fn is_particle(run: &str, is_alone: bool) -> bool {
    is_single_letter(run)
        && (!is_alone || run.starts_with(|letter| matches!(letter, '\u{3040}'..='\u{309f}')))
}

/// All pairs of neighbouring letters of a word in such a script, without combining marks; the letter itself if there is
/// one only.
#[must_use]
pub(crate) fn bigrams(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().filter(|letter| !is_combining_mark(*letter)).collect();
    match letters.len() {
        0 => Vec::new(),
        1 => vec![letters.iter().collect()],
        _ => letters.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_with_accents_is_not_foreign() {
        assert!(foreign_share("¿Dónde está el Straße Łódź ệ?").abs() < 1e-12);
        assert!(foreign_share("12:30, 50 %").abs() < 1e-12);
        assert!((foreign_share("黑豹队的防守") - 1.0).abs() < 1e-12);
        assert!((foreign_share("ab вг") - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_text_without_letters_that_are_known_is_unreadable() {
        assert!(is_unreadable("ខ្ញុំចូលចិត្តកាហ្វេ", Some(1.0)) && is_unreadable("ყავა მიყვარს", None));
        assert!(is_unreadable("🚀🚀🚀", Some(0.0)) && is_unreadable("👩‍👩‍👧", None));
        assert!(!is_unreadable("Кот спит", Some(0.1)) && !is_unreadable("5432", None));
    }

    #[test]
    fn single_letters_are_words_or_particles() {
        assert!(
            is_single_letter("猫")
                && is_single_letter("ปี")
                && !is_single_letter("黒猫")
                && !is_single_letter("a")
        );
        assert_eq!(["黒猫", "ปี", ""].map(last_letter), [Some("猫".to_owned()), Some("ป".to_owned()), None]);
        assert!(is_particle("は", true) && is_particle("을", false) && is_particle("年", false));
        assert!(!is_particle("책", true) && !is_particle("猫", true) && !is_particle("はい", true));
    }

    #[test]
    fn words_without_spaces_become_pairs() {
        assert_eq!(bigrams("黑豹队"), ["黑豹", "豹队"]);
        assert_eq!(bigrams("队"), ["队"]);
        // The vowel sign above the first letter is a mark.
        assert_eq!(bigrams("กินข้าว"), ["กน", "นข", "ขา", "าว"]);
        assert_eq!(bigrams("佐々木"), ["佐々", "々木"]);
        assert!(is_unspaced('か') && is_unspaced('한') && !is_unspaced('é') && !is_unspaced('я'));
    }
}
