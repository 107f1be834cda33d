//! Questions in a text, recognised by their marks. In a conversation, a text that asks is rarely the answer to a query,
//! and a text that follows a question often is.

/// What ends a sentence if a space, a quotation mark, a bracket or the end of the text follows.
const ENDS: [char; 10] = ['.', '!', '?', '…', '؟', '۔', '।', '॥', '။', '።'];

/// What ends a sentence in scripts without spaces, whatever follows.
const WIDE_ENDS: [char; 4] = ['。', '．', '！', '？'];

/// The questions of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Questions {
    /// Share of the text that is questions, 0 to 1.
    pub share: f64,
    /// Whether the last sentence with a mark at its end is a question.
    pub are_last: bool,
}

impl Questions {
    /// Reads the questions of a text.
    #[allow(clippy::cast_precision_loss, reason = "texts have far fewer than 2^52 characters")]
    pub(crate) fn of(text: &str) -> Self {
        let (mut all, mut asking, mut sentence) = (0_usize, 0_usize, 0_usize);
        let mut are_last = false;
        let mut letters = text.trim().chars().peekable();
        while let Some(letter) = letters.next() {
            all += 1;
            sentence += 1;
            let is_end = WIDE_ENDS.contains(&letter)
                || ENDS.contains(&letter)
                    && letters.peek().is_none_or(|next| !next.is_alphanumeric() && *next != '_');
            if is_end {
                let mut is_question = is_question_mark(letter);
                // `?!` and `?..` are one end.
                while let Some(more) = letters.next_if(|next| ENDS.contains(next) || WIDE_ENDS.contains(next))
                {
                    is_question |= is_question_mark(more);
                    all += 1;
                    sentence += 1;
                }
                are_last = is_question;
                asking += if is_question { sentence } else { 0 };
                sentence = 0;
            } else if letter == '\n' {
                sentence = 0;
            }
        }
        Self { share: crate::model::numbers::round(asking as f64 / all.max(1) as f64, 6), are_last }
    }
}

fn is_question_mark(letter: char) -> bool {
    matches!(letter, '?' | '？' | '؟')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_a_share_of_a_text() {
        for (text, share, are_last) in [
            ("", 0.0, false),
            ("No mark", 0.0, false),
            ("We moved.", 0.0, false),
            ("Why?", 1.0, true),
            ("Fine. Why?", 0.5, true),
            ("Fine. Why? Hm.", 5.0 / 14.0, false),
            ("Why?!", 1.0, true),
            ("Ada said, \"Why?\"", 15.0 / 16.0, true),
            // What follows a question without a mark does not answer it.
            ("Why? and shared a map", 4.0 / 21.0, true),
            ("Costs 3.5 km?", 1.0, true),
            ("See http://a.example/?page=2 there", 0.0, false),
            ("A title\nWhy?", 4.0 / 12.0, true),
            ("好。为什么？", 4.0 / 6.0, true),
            ("لماذا؟", 1.0, true),
            ("क्यों? गए।", 6.0 / 10.0, false),
        ] {
            let found = Questions::of(text);
            assert!((found.share - share).abs() < 1e-6, "{text}: {found:?}");
            assert_eq!(found.are_last, are_last, "{text}");
        }
    }
}
