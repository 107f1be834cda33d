//! Closed classes of English words, and word lists for the comparison of statements.

/// Past and participle of irregular verbs, and their base form. Forms that are more often another word (`left`, `found`
/// as a base, `saw`) are omitted.
const IRREGULAR: [(&str, &str, &str); 83] = [
    ("become", "became", "become"),
    ("begin", "began", "begun"),
    ("bend", "bent", "bent"),
    ("bind", "bound", "bound"),
    ("bite", "bit", "bitten"),
    ("break", "broke", "broken"),
    ("bring", "brought", "brought"),
    ("build", "built", "built"),
    ("buy", "bought", "bought"),
    ("catch", "caught", "caught"),
    ("choose", "chose", "chosen"),
    ("come", "came", "come"),
    ("deal", "dealt", "dealt"),
    ("dig", "dug", "dug"),
    ("do", "did", "done"),
    ("draw", "drew", "drawn"),
    ("drink", "drank", "drunk"),
    ("drive", "drove", "driven"),
    ("eat", "ate", "eaten"),
    ("fall", "fell", "fallen"),
    ("feed", "fed", "fed"),
    ("fight", "fought", "fought"),
    ("find", "found", "found"),
    ("fly", "flew", "flown"),
    ("forbid", "forbade", "forbidden"),
    ("forget", "forgot", "forgotten"),
    ("freeze", "froze", "frozen"),
    ("get", "got", "gotten"),
    ("give", "gave", "given"),
    ("go", "went", "gone"),
    ("grow", "grew", "grown"),
    ("hang", "hung", "hung"),
    ("have", "had", "had"),
    ("hear", "heard", "heard"),
    ("hide", "hid", "hidden"),
    ("hold", "held", "held"),
    ("keep", "kept", "kept"),
    ("know", "knew", "known"),
    ("lay", "laid", "laid"),
    ("lead", "led", "led"),
    ("lend", "lent", "lent"),
    ("lose", "lost", "lost"),
    ("make", "made", "made"),
    ("mean", "meant", "meant"),
    ("meet", "met", "met"),
    ("override", "overrode", "overridden"),
    ("pay", "paid", "paid"),
    ("prove", "proved", "proven"),
    ("rebuild", "rebuilt", "rebuilt"),
    ("rewrite", "rewrote", "rewritten"),
    ("ride", "rode", "ridden"),
    ("ring", "rang", "rung"),
    ("rise", "rose", "risen"),
    ("run", "ran", "run"),
    ("say", "said", "said"),
    ("seek", "sought", "sought"),
    ("see", "saw", "seen"),
    ("sell", "sold", "sold"),
    ("send", "sent", "sent"),
    ("sew", "sewed", "sewn"),
    ("show", "showed", "shown"),
    ("sing", "sang", "sung"),
    ("sit", "sat", "sat"),
    ("sleep", "slept", "slept"),
    ("speak", "spoke", "spoken"),
    ("spend", "spent", "spent"),
    ("stand", "stood", "stood"),
    ("steal", "stole", "stolen"),
    ("stick", "stuck", "stuck"),
    ("strike", "struck", "struck"),
    ("sweep", "swept", "swept"),
    ("swim", "swam", "swum"),
    ("take", "took", "taken"),
    ("teach", "taught", "taught"),
    ("tell", "told", "told"),
    ("think", "thought", "thought"),
    ("throw", "threw", "thrown"),
    ("understand", "understood", "understood"),
    ("wear", "wore", "worn"),
    ("weave", "wove", "woven"),
    ("win", "won", "won"),
    ("withdraw", "withdrew", "withdrawn"),
    ("write", "wrote", "written"),
];

/// Verbs whose past and participle are their base form.
const UNCHANGED: [&str; 11] =
    ["cut", "hit", "put", "read", "reset", "set", "shut", "split", "spread", "cast", "let"];

/// The time of a verb's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    /// `leads`, `is led`.
    Present,
    /// `led`, `was led`.
    Past,
    /// A form with both meanings: `cut`, `put`.
    Either,
}

impl Tense {
    /// Whether two forms may have the same time.
    pub(super) fn agrees(self, other: Self) -> bool {
        self == other || self == Self::Either || other == Self::Either
    }
}

/// The base form of an irregular verb's form, or the word itself.
pub(super) fn base_form(word: &str) -> &str {
    if word == "has" {
        return "have";
    }
    IRREGULAR
        .iter()
        .find(|(_, past, participle)| *past == word || *participle == word)
        .map_or(word, |(base, ..)| base)
}

/// The time of a word that is the verb of a sentence without an auxiliary.
pub(super) fn tense(word: &str) -> Tense {
    if UNCHANGED.contains(&word) {
        Tense::Either
    } else if IRREGULAR.iter().any(|(base, past, _)| *past == word && *base != word) || is_regular_past(word)
    {
        Tense::Past
    } else {
        Tense::Present
    }
}

fn is_regular_past(word: &str) -> bool {
    word.len() >= 4 && word.ends_with("ed") && !word.ends_with("eed")
}

/// Whether a word behind a form of `be` is a participle: `led`, `stored`.
pub(super) fn is_participle(word: &str) -> bool {
    is_regular_past(word)
        || UNCHANGED.contains(&word)
        || IRREGULAR.iter().any(|(.., participle)| *participle == word)
}

/// Words with one meaning in statements, and the word that replaces them.
const SYNONYMS: [(&str, &str); 63] = [
    ("above", "over"),
    ("resides", "lives"),
    ("reside", "live"),
    ("grey", "gray"),
    ("licence", "license"),
    ("till", "until"),
    ("beneath", "under"),
    ("start", "begin"),
    ("starts", "begins"),
    ("started", "began"),
    ("halt", "stop"),
    ("halts", "stops"),
    ("halted", "stopped"),
    ("finish", "end"),
    ("finishes", "ends"),
    ("finished", "ended"),
    ("happens", "occurs"),
    ("happen", "occur"),
    ("happened", "occurred"),
    ("big", "large"),
    ("bigger", "larger"),
    ("purchase", "buy"),
    ("purchases", "buys"),
    ("purchased", "bought"),
    ("require", "need"),
    ("requires", "needs"),
    ("required", "needed"),
    ("permit", "allow"),
    ("permits", "allows"),
    ("permitted", "allowed"),
    ("forbidden", "prohibited"),
    ("banned", "prohibited"),
    ("utilise", "use"),
    ("utilize", "use"),
    ("automobile", "car"),
    ("e-mail", "email"),
    ("telephone", "phone"),
    ("photograph", "photo"),
    ("suited", "suitable"),
    ("manually", "by-hand"),
    ("automatically", "by-itself"),
    ("located", "situated"),
    ("max", "maximum"),
    ("repo", "repository"),
    ("repos", "repositories"),
    ("docs", "documentation"),
    ("config", "configuration"),
    ("configs", "configurations"),
    ("db", "database"),
    ("dbs", "databases"),
    ("prod", "production"),
    ("env", "environment"),
    ("auth", "authentication"),
    ("admin", "administrator"),
    ("admins", "administrators"),
    ("app", "application"),
    ("apps", "applications"),
    ("info", "information"),
    ("spec", "specification"),
    ("specs", "specifications"),
    ("dir", "directory"),
    ("dirs", "directories"),
    ("may", "can"),
];

/// The word that stands for a word and its synonyms.
pub(super) fn synonym(word: &str) -> &str {
    SYNONYMS.iter().find(|(from, _)| *from == word).map_or(word, |(_, to)| to)
}

/// Pairs of opposites, as stems of [`crate::model::stems::of_english`] or as they are written.
const OPPOSITES: [(&str, &str); 109] = [
    ("accept", "reject"),
    ("am", "pm"),
    ("accept", "refuse"),
    ("accept", "declin"),
    ("add", "remov"),
    ("add", "delet"),
    ("agre", "disagre"),
    ("allow", "block"),
    ("allow", "forbid"),
    ("allow", "deni"),
    ("allow", "prohibit"),
    ("alway", "sometim"),
    ("allow", "prevent"),
    ("alon", "togeth"),
    ("approv", "reject"),
    ("ascend", "descend"),
    ("begin", "end"),
    ("big", "small"),
    ("black", "white"),
    ("bottom", "top"),
    ("broken", "repair"),
    ("broken", "intact"),
    ("buy", "sell"),
    ("cheap", "expens"),
    ("clean", "dirti"),
    ("client", "server"),
    ("close", "open"),
    ("cold", "hot"),
    ("cold", "warm"),
    ("connect", "disconnect"),
    ("correct", "wrong"),
    ("correct", "incorrect"),
    ("dark", "light"),
    ("dead", "aliv"),
    ("deep", "shallow"),
    ("dri", "wet"),
    ("dynam", "static"),
    ("earli", "late"),
    ("easi", "hard"),
    ("easi", "difficult"),
    ("east", "west"),
    ("empti", "full"),
    ("enabl", "disabl"),
    ("enter", "leav"),
    ("even", "odd"),
    ("exclud", "includ"),
    ("explicit", "implicit"),
    ("export", "import"),
    ("extern", "intern"),
    ("fail", "succeed"),
    ("fail", "pass"),
    ("failur", "success"),
    ("fals", "true"),
    ("fast", "slow"),
    ("first", "last"),
    ("forward", "backward"),
    ("free", "paid"),
    ("front", "back"),
    ("global", "local"),
    ("good", "bad"),
    ("grow", "shrink"),
    ("guilti", "innoc"),
    ("heavi", "light"),
    ("high", "low"),
    ("hide", "show"),
    ("hire", "fire"),
    ("ignor", "warn"),
    ("ignor", "reject"),
    ("increas", "decreas"),
    ("increas", "reduc"),
    ("insid", "outsid"),
    ("inward", "outward"),
    ("keep", "delet"),
    ("keep", "drop"),
    ("keep", "remov"),
    ("keep", "strip"),
    ("landlord", "tenant"),
    ("larg", "small"),
    ("left", "right"),
    ("like", "dislik"),
    ("like", "hate"),
    ("lock", "unlock"),
    ("long", "short"),
    ("lose", "win"),
    ("love", "hate"),
    ("maximum", "minimum"),
    ("mandatori", "option"),
    ("manual", "automat"),
    ("marri", "singl"),
    ("marri", "divorc"),
    ("near", "far"),
    ("new", "old"),
    ("newest", "oldest"),
    ("north", "south"),
    ("on", "off"),
    ("onlin", "offlin"),
    ("option", "requir"),
    ("option", "need"),
    ("primari", "secondari"),
    ("privat", "public"),
    ("push", "pull"),
    ("read-on", "writabl"),
    ("rise", "fall"),
    ("safe", "danger"),
    ("sooner", "later"),
    ("start", "stop"),
    ("strong", "weak"),
    ("synchron", "asynchron"),
    ("upload", "download"),
];

/// Prefixes that negate the rest of a word.
const NEGATING_PREFIXES: [&str; 7] = ["un", "in", "im", "ir", "dis", "non", "non-"];

/// Whether two stems are opposites: listed, or one is the other one with a prefix that negates.
pub(super) fn are_opposites(one: &str, other: &str) -> bool {
    let is_pair = |a: &str, b: &str| OPPOSITES.iter().any(|(c, d)| (*c, *d) == (a, b));
    let negates = |a: &str, b: &str| {
        b.len() >= 3 && NEGATING_PREFIXES.iter().any(|prefix| a.strip_prefix(prefix) == Some(b))
    };
    is_pair(one, other) || is_pair(other, one) || negates(one, other) || negates(other, one)
}

/// Prepositions, and the pairs of them that say the opposite or another time.
pub(super) const PREPOSITIONS: [&str; 46] = [
    "about",
    "above",
    "across",
    "after",
    "against",
    "along",
    "around",
    "as",
    "at",
    "before",
    "behind",
    "below",
    "beside",
    "between",
    "beyond",
    "by",
    "down",
    "during",
    "for",
    "from",
    "in",
    "inside",
    "into",
    "near",
    "of",
    "off",
    "on",
    "onto",
    "out",
    "outside",
    "over",
    "per",
    "past",
    "since",
    "through",
    "throughout",
    "to",
    "toward",
    "towards",
    "under",
    "until",
    "up",
    "via",
    "with",
    "within",
    "without",
];

/// Groups of prepositions that exclude each other.
const EXCLUSIVE_PREPOSITIONS: [&[&str]; 8] = [
    &["before", "after", "during"],
    &["over", "under", "below"],
    &["above", "below", "under"],
    &["with", "without"],
    &["inside", "outside"],
    &["on", "off"],
    &["up", "down"],
    &["until", "from", "after", "since"],
];

/// Whether a sentence with one of two prepositions excludes the same sentence with the other one.
pub(super) fn exclude_each_other(one: &str, other: &str) -> bool {
    one != other && EXCLUSIVE_PREPOSITIONS.iter().any(|group| group.contains(&one) && group.contains(&other))
}

/// Words that join clauses or list items.
pub(super) const CONJUNCTIONS: [&str; 22] = [
    "and", "or", "but", "nor", "if", "unless", "when", "whenever", "because", "although", "though", "while",
    "so", "that", "which", "who", "whose", "where", "than", "then", "except", "until",
];

/// Pairs of conjunctions of which one statement excludes the other.
const EXCLUSIVE_CONJUNCTIONS: [(&str, &str); 4] =
    [("and", "or"), ("if", "unless"), ("because", "although"), ("when", "unless")];

/// Whether a sentence with one of two conjunctions excludes the same sentence with the other one.
pub(super) fn are_exclusive_conjunctions(one: &str, other: &str) -> bool {
    EXCLUSIVE_CONJUNCTIONS.iter().any(|(a, b)| (one, other) == (*a, *b) || (one, other) == (*b, *a))
}

/// Words that negate what follows, of all languages with stop words.
pub(super) const NEGATIONS: [&str; 29] = [
    "not", "never", "no", "none", "nobody", "nothing", "hardly", "neither", "nunca", "jamás", "sin",
    "ningún", "ninguna", "nicht", "nie", "niemals", "kein", "keine", "keinen", "keiner", "pas", "jamais",
    "aucun", "non", "mai", "não", "niet", "geen", "не",
];

/// Modal verbs.
pub(super) const MODALS: [&str; 11] =
    ["must", "need-not", "may", "might", "can", "could", "should", "would", "shall", "will", "ought"];

/// Groups of quantities that exclude each other; a word of each may stand for the others of its group.
pub(super) const QUANTITIES: [&str; 17] = [
    "all",
    "every",
    "each",
    "some",
    "any",
    "most",
    "many",
    "few",
    "several",
    "both",
    "only",
    "half",
    "always",
    "often",
    "sometimes",
    "rarely",
    "once",
];

/// Units of time, with the word for "every unit" as an adverb.
pub(super) const TIME_UNITS: [(&str, &[&str]); 10] = [
    ("second", &[]),
    ("minute", &[]),
    ("hour", &["hourly"]),
    ("day", &["daily"]),
    ("night", &["nightly"]),
    ("week", &["weekly"]),
    ("fortnight", &["fortnightly"]),
    ("month", &["monthly"]),
    ("quarter", &["quarterly"]),
    ("year", &["yearly", "annually", "annual"]),
];

/// Months and days of the week. `May` is missing, because it is a modal verb, too.
pub(super) const CALENDAR: [&str; 18] = [
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
