//! The stop words of each language, in lower case and without accents, sorted.

#[rustfmt::skip]
pub(super) const GERMAN: &[&str] = &[
    "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "andere", "anderen",
    "anderer", "anderes", "auch", "auf", "aus", "bei", "beim", "bin", "bis", "bist", "da", "dabei", "damit",
    "dann", "das", "dass", "dein", "deine", "deinem", "deinen", "deiner", "dem", "den", "denn", "der", "deren",
    "des", "dessen", "dich", "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses", "dir", "doch",
    "dort", "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "etwas", "euch",
    "euer", "eure", "fur", "gab", "gegen", "gewesen", "gibt", "habe", "haben", "hat", "hatte", "hatten",
    "hattest", "hier", "hin", "hinter", "ich", "ihm", "ihn", "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer",
    "ihres", "im", "in", "indem", "ins", "ist", "ja", "jede", "jedem", "jeden", "jeder", "jedes", "jene",
    "jetzt", "kann", "kein", "keine", "keinem", "keinen", "keiner", "konnen", "konnte", "konnten", "man",
    "manche", "mehr", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir", "mit", "muss", "mussen",
    "musste", "nach", "nicht", "nichts", "noch", "nun", "nur", "ob", "oder", "ohne", "schon", "sehr", "sein",
    "seine", "seinem", "seinen", "seiner", "seit", "selbst", "sich", "sie", "sind", "so", "solche", "soll",
    "sollen", "sollte", "sondern", "sonst", "sowie", "uber", "um", "und", "uns", "unser", "unsere", "unserem",
    "unseren", "unter", "viel", "viele", "vom", "von", "vor", "wahrend", "wann", "war", "waren", "warum", "was",
    "weil", "welche", "welchem", "welchen", "welcher", "welches", "wem", "wen", "wenn", "wer", "werde",
    "werden", "wessen", "wie", "wieder", "will", "wir", "wird", "wo", "wohin", "wollen", "wollte", "worden",
    "wurde", "wurden", "zu", "zum", "zur", "zwar", "zwischen",
];

#[rustfmt::skip]
pub(super) const FRENCH: &[&str] = &[
    "afin", "ai", "ainsi", "alors", "apres", "au", "aucun", "aucune", "aussi", "autre", "autres", "aux",
    "avaient", "avais", "avait", "avant", "avec", "avez", "avoir", "avons", "beaucoup", "c", "car", "ce",
    "ceci", "cela", "celle", "celles", "celui", "cependant", "ces", "cet", "cette", "ceux", "chaque", "chez",
    "comme", "comment", "d", "dans", "de", "depuis", "des", "donc", "dont", "du", "elle", "elles", "en",
    "encore", "entre", "es", "est", "et", "etaient", "etais", "etait", "ete", "etes", "etre", "eu", "eux",
    "fait", "font", "furent", "fut", "il", "ils", "j", "je", "jusqu", "l", "la", "laquelle", "le", "lequel",
    "les", "lesquelles", "lesquels", "leur", "leurs", "lors", "lorsque", "lui", "m", "ma", "mais", "me", "meme",
    "memes", "mes", "moi", "moins", "mon", "n", "ne", "ni", "nos", "notre", "nous", "on", "ont", "ou", "par",
    "parce", "pas", "pendant", "peu", "peut", "peuvent", "plus", "pour", "pourquoi", "pres", "puis", "qu",
    "quand", "que", "quel", "quelle", "quelles", "quels", "qui", "quoi", "s", "sa", "sans", "se", "selon",
    "sera", "seront", "ses", "si", "soit", "sommes", "son", "sont", "sous", "suis", "sur", "t", "ta", "te",
    "tel", "telle", "tes", "toi", "ton", "tous", "tout", "toute", "toutes", "tres", "tu", "un", "une", "vers",
    "voici", "voila", "vos", "votre", "vous", "y",
];

#[rustfmt::skip]
pub(super) const PORTUGUESE: &[&str] = &[
    "a", "ainda", "ao", "aos", "apenas", "apos", "aquela", "aquelas", "aquele", "aqueles", "aquilo", "as",
    "assim", "ate", "cada", "com", "como", "contra", "cuja", "cujo", "da", "das", "de", "dela", "delas", "dele",
    "deles", "depois", "desde", "dessa", "desse", "desta", "deste", "disso", "do", "dos", "durante", "e", "ela",
    "elas", "ele", "eles", "em", "enquanto", "entre", "era", "eram", "essa", "essas", "esse", "esses", "esta",
    "estamos", "estao", "estar", "estas", "estava", "estavam", "este", "estes", "estou", "eu", "foi", "foram",
    "ha", "isso", "isto", "ja", "la", "lhe", "lhes", "mais", "mas", "me", "mesma", "mesmo", "meu", "meus",
    "minha", "minhas", "muita", "muitas", "muito", "muitos", "na", "nao", "nas", "nem", "nessa", "nesse",
    "nesta", "neste", "no", "nos", "nossa", "nossas", "nosso", "nossos", "num", "numa", "o", "onde", "os", "ou",
    "outra", "outras", "outro", "outros", "para", "pela", "pelas", "pelo", "pelos", "per", "pois", "por",
    "porque", "pouco", "quais", "qual", "quando", "quanto", "quantos", "que", "quem", "sao", "se", "seja",
    "sem", "sendo", "ser", "sera", "seu", "seus", "so", "sob", "sobre", "sua", "suas", "tambem", "tanto", "te",
    "tem", "temos", "tenho", "ter", "teu", "teus", "teve", "tinha", "tinham", "toda", "todas", "todo", "todos",
    "tu", "tua", "tuas", "tudo", "um", "uma", "umas", "uns", "vai", "voce", "voces", "vos",
];

#[rustfmt::skip]
pub(super) const ITALIAN: &[&str] = &[
    "a", "ad", "agli", "ai", "al", "alcune", "alcuni", "alla", "alle", "allo", "allora", "anche", "ancora",
    "avere", "aveva", "avevano", "c", "che", "chi", "ci", "cio", "coi", "col", "come", "con", "contro", "cosa",
    "cosi", "cui", "d", "da", "dagli", "dai", "dal", "dalla", "dalle", "dallo", "degli", "dei", "del", "della",
    "delle", "dello", "dentro", "di", "dopo", "dove", "due", "durante", "e", "ed", "era", "erano", "essere",
    "fa", "fino", "fra", "fu", "furono", "gia", "gli", "ha", "hai", "hanno", "ho", "i", "il", "in", "io", "l",
    "la", "le", "lei", "li", "lo", "loro", "lui", "ma", "me", "mentre", "mi", "mia", "mie", "miei", "mio",
    "molta", "molte", "molti", "molto", "ne", "negli", "nei", "nel", "nella", "nelle", "nello", "noi", "non",
    "nostra", "nostre", "nostri", "nostro", "o", "ogni", "oppure", "per", "perche", "pero", "piu", "poi",
    "prima", "qua", "quale", "quali", "quando", "quanta", "quante", "quanti", "quanto", "quella", "quelle",
    "quelli", "quello", "questa", "queste", "questi", "questo", "qui", "quindi", "se", "sei", "sempre", "senza",
    "si", "sia", "siamo", "siete", "solo", "sono", "sopra", "sta", "stata", "state", "stati", "stato", "stesso",
    "su", "sua", "sue", "sugli", "sui", "sul", "sulla", "sulle", "sullo", "suo", "suoi", "ti", "tra", "tu",
    "tua", "tue", "tuo", "tuoi", "tutta", "tutte", "tutti", "tutto", "un", "una", "uno", "vi", "voi", "vostra",
    "vostro",
];

#[rustfmt::skip]
pub(super) const DUTCH: &[&str] = &[
    "aan", "al", "alles", "als", "altijd", "andere", "bij", "daar", "dan", "dat", "de", "der", "deze", "die",
    "dit", "doch", "doen", "door", "dus", "een", "eens", "elk", "elke", "en", "er", "ge", "geen", "geweest",
    "haar", "had", "hadden", "heb", "hebben", "heeft", "hem", "het", "hier", "hij", "hoe", "hoeveel", "hun",
    "iemand", "iets", "ik", "in", "is", "ja", "je", "jij", "jou", "jouw", "jullie", "kan", "kon", "kunnen",
    "maar", "me", "meer", "men", "met", "mij", "mijn", "moet", "moeten", "na", "naar", "niet", "niets", "nog",
    "nu", "of", "om", "omdat", "ondanks", "ons", "onze", "ook", "op", "over", "reeds", "sinds", "te", "tegen",
    "tijdens", "toch", "toen", "tot", "tussen", "u", "uit", "uw", "van", "vanaf", "veel", "voor", "waar",
    "waarom", "waarvan", "wanneer", "want", "waren", "was", "wat", "we", "weer", "wel", "welk", "welke", "werd",
    "werden", "wezen", "wie", "wij", "wil", "worden", "wordt", "zal", "ze", "zei", "zelf", "zich", "zij",
    "zijn", "zo", "zonder", "zou", "zouden",
];

#[rustfmt::skip]
pub(super) const RUSSIAN: &[&str] = &[
    "а", "без", "более", "больше", "будет", "будто", "будут", "бы", "был", "была", "были", "было", "быть", "в",
    "вам", "вас", "вдруг", "ведь", "во", "вот", "впрочем", "все", "всегда", "всего", "всех", "всю", "вы", "где",
    "да", "даже", "для", "до", "другой", "его", "ее", "ей", "ему", "если", "есть", "еще", "ж", "же", "за",
    "здесь", "и", "из", "или", "им", "иногда", "их", "к", "как", "какая", "какие", "какой", "когда", "кого",
    "кому", "которая", "которого", "которой", "которые", "который", "которых", "кто", "куда", "ли", "лучше",
    "между", "меня", "мне", "много", "может", "можно", "мой", "моя", "мы", "на", "над", "надо", "наконец",
    "нас", "не", "него", "нее", "ней", "нельзя", "нет", "ни", "нибудь", "никогда", "ним", "них", "ничего", "но",
    "ну", "о", "об", "один", "он", "она", "они", "оно", "опять", "от", "перед", "по", "под", "после", "потом",
    "потому", "почему", "почти", "при", "про", "раз", "разве", "с", "сам", "свою", "себе", "себя", "сейчас",
    "со", "совсем", "так", "такая", "такой", "там", "тебя", "тем", "теперь", "то", "тогда", "того", "тоже",
    "той", "только", "том", "тот", "три", "тут", "ты", "у", "уж", "уже", "хорошо", "хоть", "чего", "чем",
    "через", "что", "чтоб", "чтобы", "чуть", "эта", "эти", "этих", "это", "этого", "этой", "этом", "этот",
    "эту", "я",
];

/// Stop words that mean something else in English or in source code: they say little about a text's language.
#[rustfmt::skip]
pub(super) const AMBIGUOUS: &[&str] = &[
    "a", "ad", "ai", "al", "also", "am", "an", "as", "bin", "c", "car", "col", "come", "con", "d", "da", "de",
    "del", "den", "der", "die", "dir", "do", "dos", "dove", "due", "e", "ed", "el", "elle", "era", "eu", "fa",
    "font", "fu", "had", "hat", "hier", "i", "il", "in", "is", "j", "l", "la", "las", "le", "li", "los", "m",
    "ma", "man", "mas", "me", "men", "met", "mi", "mon", "n", "na", "no", "non", "num", "o", "of", "om", "on",
    "op", "os", "ou", "over", "par", "pas", "per", "plus", "pour", "prima", "s", "se", "sei", "si", "so",
    "solo", "son", "state", "sue", "sur", "t", "ta", "tel", "ter", "ti", "ton", "tot", "u", "un", "van", "vi",
    "von", "war", "was", "we", "wel", "wil", "will", "y", "ze", "zo",
];

/// Stop words of Spanish that apply only to texts in Spanish: some are content words in English.
#[rustfmt::skip]
pub(super) const SPANISH_ONLY: &[&str] = &["era", "pueda", "puede", "pueden", "puedo", "sea", "sin", "son", "todo"];

/// Stop words of Spanish that count in questions of other languages: content words, names and abbreviations of English
/// (`hay`, `Uno`, `OS`, `SE`). Articles and `de` do not, so that short notes in Spanish have stop words.
#[rustfmt::skip]
pub(super) const CONTENT_ELSEWHERE: &[&str] = &[
    "al", "algo", "como", "con", "contra", "e", "en", "es", "ha", "hay", "le", "lo", "mas", "mi", "mia", "ni", "nos",
    "os", "se", "ser", "si", "su", "sus", "te", "ti", "tu", "un", "una", "uno", "ya", "yo",
];
