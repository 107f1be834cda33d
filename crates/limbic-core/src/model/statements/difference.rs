//! Where two statements differ: a contradiction changes one slot (a number, a name, the object of a verb) or a word
//! that reverses the meaning; an extension only adds words.

use super::{
    compatible,
    gap::{Gap, MAX_SLOT},
    lexicon,
    term::{Parts, Term},
    word::{Class, Word},
};

/// Maximum content words of a statement that is compared.
const MAX_WORDS: usize = 100;

/// How two statements that are not known to be the same differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// One denies what the other says, or has another value in one slot.
    Contradiction,
    /// One has all content words of the other, in their order, and more of them.
    Extension,
    /// Another word in one place, and one word in common: both may be true of one thing.
    OtherWord,
    /// Of two things or events: `Sprint 41 ended with 12 open tickets`, and sprint 42 with 9; or both can be true, as
    /// [`compatible`] says.
    OtherThing,
    /// None of these is certain.
    Unclear,
}

/// Stems of words by which a text says that something is over, as in `We stopped using Redis`.
const ENDING: [&str; 9] =
    ["stop", "ceas", "cancel", "abandon", "deprec", "remov", "former", "previous", "drop"];

/// Whether two statements share about half of the content words of the one that has fewer.
pub(super) fn share_half(one: &[Term], other: &[Term]) -> bool {
    let (shorter, longer) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    // The time grows with the product of both lengths.
    if longer.len() > MAX_WORDS {
        return false;
    }
    let mut others: Vec<&str> = longer.iter().map(|term| term.stem.as_str()).collect();
    let mut shared = 0;
    for term in shorter {
        if let Some(index) = others.iter().position(|stem| *stem == term.stem) {
            others.swap_remove(index);
            shared += 1;
        }
    }
    2 * shared + 1 >= shorter.len() && shared > 0
}

/// Returns how two statements differ.
pub(super) fn between(one: Parts<'_>, other: Parts<'_>) -> Difference {
    fn order<'a>((words, terms): Parts<'a>) -> (usize, usize, Vec<&'a str>) {
        (terms.len(), words.len(), words.iter().map(|word| word.text.as_str()).collect())
    }
    let (shorter, longer) = if order(one) <= order(other) { (one, other) } else { (other, one) };
    if shorter.1.is_empty() || longer.1.len() > MAX_WORDS {
        return Difference::Unclear;
    }
    let difference = Alignment::of(shorter.1, longer.1).difference();
    let is_one_value = matches!(difference, Difference::Contradiction | Difference::OtherWord);
    if is_one_value && compatible::are_entries(shorter, longer) {
        return Difference::OtherThing;
    }
    let is_reversed = || are_reversed(shorter, longer) || have_exclusive_conjunctions(shorter, longer);
    match difference {
        Difference::Unclear if is_reversed() => Difference::Contradiction,
        // Only function words differ.
        Difference::Extension if longer.0.len() <= shorter.0.len() => Difference::Unclear,
        difference => difference,
    }
}

/// Whether two statements have the same content words, and conjunctions that exclude each other.
fn have_exclusive_conjunctions(one: Parts<'_>, other: Parts<'_>) -> bool {
    let conjunctions = |words: &[Word]| -> Vec<String> {
        words.iter().filter(|word| word.class == Class::Conjunction).map(|word| word.text.clone()).collect()
    };
    let is_same_content =
        one.1.len() == other.1.len() && one.1.iter().zip(other.1).all(|(a, b)| a.stem == b.stem);
    is_same_content
        && conjunctions(one.0)
            .iter()
            .zip(&conjunctions(other.0))
            .any(|(a, b)| lexicon::are_exclusive_conjunctions(a, b))
}

/// Whether two statements have the same words in another order, and the same words without content between them: `Alice
/// reports to Bob`.
pub(super) fn are_reversed(one: Parts<'_>, other: Parts<'_>) -> bool {
    let stems = |terms: &[Term]| -> Vec<String> {
        let mut stems: Vec<String> = terms.iter().map(|term| term.stem.clone()).collect();
        stems.sort_unstable();
        stems
    };
    let skeleton = |words: &[Word]| -> Vec<Option<String>> {
        words.iter().map(|word| (word.class != Class::Content).then(|| word.text.clone())).collect()
    };
    let is_ordered = one.1.iter().zip(other.1).all(|(a, b)| a.stem == b.stem);
    !is_ordered && stems(one.1) == stems(other.1) && skeleton(one.0) == skeleton(other.0)
}

/// Words of two statements that correspond.
struct Alignment<'a> {
    shorter: &'a [Term],
    longer: &'a [Term],
    /// Indices of equal words in the same order.
    pairs: Vec<(usize, usize)>,
    /// Indices of equal words elsewhere.
    moved: Vec<(usize, usize)>,
}

impl<'a> Alignment<'a> {
    fn of(shorter: &'a [Term], longer: &'a [Term]) -> Self {
        let pairs = longest_common(shorter, longer);
        let mut moved: Vec<(usize, usize)> = Vec::new();
        for (index, term) in shorter.iter().enumerate() {
            if pairs.iter().any(|(mine, _)| *mine == index) {
                continue;
            }
            let there = (0..longer.len()).find(|there| {
                longer[*there].stem == term.stem
                    && pairs.iter().chain(&moved).all(|(_, theirs)| theirs != there)
            });
            moved.extend(there.map(|there| (index, there)));
        }
        Self { shorter, longer, pairs, moved }
    }

    fn gaps(&self) -> Vec<Gap<'a>> {
        let ends = [(self.shorter.len(), self.longer.len())];
        let mut start = (0, 0);
        let mut gaps = Vec::new();
        for (mine, theirs) in self.pairs.iter().copied().chain(ends) {
            let shorter: Vec<&Term> = (start.0..mine)
                .filter(|it| self.moved.iter().all(|(a, _)| a != it))
                .map(|it| &self.shorter[it])
                .collect();
            let longer: Vec<&Term> = (start.1..theirs)
                .filter(|it| self.moved.iter().all(|(_, b)| b != it))
                .map(|it| &self.longer[it])
                .collect();
            if !shorter.is_empty() || !longer.is_empty() {
                gaps.push(Gap { at: start.0, shorter, longer });
            }
            start = (mine + 1, theirs + 1);
        }
        if !self.moved.is_empty() {
            // Another order: what is left over on both sides is compared as one slot.
            gaps = vec![Gap {
                at: 0,
                shorter: gaps.iter().flat_map(|gap| gap.shorter.iter().copied()).collect(),
                longer: gaps.iter().flat_map(|gap| gap.longer.iter().copied()).collect(),
            }];
            gaps.retain(|gap| !gap.shorter.is_empty() || !gap.longer.is_empty());
        }
        gaps
    }

    fn difference(&self) -> Difference {
        let matched = self.pairs.len() + self.moved.len();
        let gaps = self.gaps();
        let rest: usize = gaps.iter().map(|gap| gap.shorter.len()).sum();
        if matched == 0 || rest > MAX_SLOT || 2 * rest > self.shorter.len() + 1 {
            return Difference::Unclear;
        }
        let all_pairs =
            || self.pairs.iter().chain(&self.moved).map(|(a, b)| (&self.shorter[*a], &self.longer[*b]));
        let opposites = gaps.iter().filter(|gap| gap.is_opposite()).count();
        let denied = all_pairs().filter(|(a, b)| a.is_negated != b.is_negated).count();
        let is_excluded = self.pairs.iter().any(|(a, b)| {
            match (&self.shorter[*a].preposition, &self.longer[*b].preposition) {
                (Some(one), Some(other)) => lexicon::exclude_each_other(one, other),
                _ => false,
            }
        });
        let slots: Vec<&Gap<'_>> = gaps.iter().filter(|gap| gap.is_slot()).collect();
        let values = slots.iter().filter(|gap| gap.is_typed() || gap.is_opposite()).count();
        let is_reversed = (denied + opposites) % 2 == 1 || is_excluded || gaps.iter().any(Gap::is_typed);
        let identifying = slots.iter().filter(|gap| gap.identifies()).count();
        if identifying > 0 && (slots.len() > identifying || denied + opposites > 0) {
            return Difference::OtherThing;
        }
        if denied == 0 && self.moved.is_empty() && self.are_compatible(&gaps) {
            return Difference::OtherThing;
        }
        if (is_reversed && values == slots.len()) || self.is_replaced() {
            return Difference::Contradiction;
        }
        if rest == 0 {
            let is_content = |term: &&Term| term.class != Class::Modal && term.stem != "have";
            let adds = gaps.iter().any(|gap| gap.longer.iter().any(is_content));
            let is_other_time = all_pairs().any(|(a, b)| a.is_past != b.is_past);
            let ends = gaps.iter().any(|gap| gap.longer.iter().any(|term| ENDING.contains(&&*term.stem)));
            return match (adds, is_other_time) {
                (true, _) if ends => Difference::Contradiction,
                (true, false) => Difference::Extension,
                (false, true) if self.moved.is_empty() => Difference::Contradiction,
                _ => Difference::Unclear,
            };
        }
        let context = all_pairs().filter(|(term, _)| term.stem != "have").count();
        let is_one_slot = slots.len() == 1
            && gaps.len() == 1
            && gaps[0].longer.len() <= MAX_SLOT
            && (self.moved.is_empty() || gaps[0].is_of_one_role());
        match context {
            _ if !is_one_slot || denied > 0 => Difference::Unclear,
            0 | 1 => Difference::OtherWord,
            _ => Difference::Contradiction,
        }
    }

    fn are_compatible(&self, gaps: &[Gap<'_>]) -> bool {
        let before = |gap: &Gap<'_>| gap.at.checked_sub(1).map(|before| &self.shorter[before]);
        compatible::have_two_subjects(gaps, gaps.first().and_then(before))
            || matches!(gaps, [gap] if gap.is_slot() && before(gap).is_some_and(|it| compatible::are_both_possible(gap, it)))
    }

    /// Whether the longer statement says that a word of the shorter one was replaced: `we switched from X to Y`, `we
    /// replaced X`.
    fn is_replaced(&self) -> bool {
        let changes = |stem: &str| ["switch", "migrat", "move", "chang"].contains(&stem);
        let has_change = self.longer.iter().any(|term| changes(&term.stem));
        self.pairs.iter().any(|(mine, theirs)| {
            let (mine, its) = (&self.shorter[*mine], &self.longer[*theirs]);
            let is_left = has_change
                && its.preposition.as_deref() == Some("from")
                && mine.preposition.as_deref() != Some("from");
            let is_replaced = *theirs > 0 && self.longer[theirs - 1].stem == "replac";
            is_left || (is_replaced && !self.shorter.iter().any(|term| term.stem == "replac"))
        })
    }
}

/// The longest common subsequence of two lists of words.
fn longest_common(one: &[Term], other: &[Term]) -> Vec<(usize, usize)> {
    let width = other.len() + 1;
    let mut lengths = vec![0_u16; (one.len() + 1) * width];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            lengths[i * width + j] = if one[i].stem == other[j].stem {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < one.len() && j < other.len() {
        if one[i].stem == other[j].stem {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
