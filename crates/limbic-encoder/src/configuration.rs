//! The configuration of a sentence model, from the files that `sentence-transformers` stores with it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::EncoderError;

/// The configuration of the transformer: its name, architecture and number of positions.
const MODEL: &str = "config.json";
/// The list of the modules that are applied to a text.
const MODULES: &str = "modules.json";
/// The pooling.
const POOLING: &str = "1_Pooling/config.json";
/// The prefixes of queries and passages.
const PROMPTS: &str = "config_sentence_transformers.json";
/// The number of tokens that the model was trained with.
const LENGTH: &str = "sentence_bert_config.json";
/// The number of tokens that the tokenizer allows.
const TOKENIZER: &str = "tokenizer_config.json";
/// Settings of Limbic, which override all others.
const OWN: &str = "limbic.json";

/// The maximum number of tokens of one inference, whose time grows quadratically. Longer texts are encoded in
/// several windows.
const MAX_TOKENS: usize = 512;

/// Models of these kinds do not use the first positions: their tables have two rows more than a text has tokens.
const WITH_OFFSET: [&str; 5] = ["roberta", "camembert", "mpnet", "xmod", "data2vec"];
const OFFSET: usize = 2;

/// Modules that [`Settings`] cover, or that do not change the vectors.
const KNOWN_MODULES: [&str; 3] = ["Transformer", "Pooling", "Normalize"];

/// The names of the prefixes of queries and of passages, most specific first.
const QUERY_PROMPTS: [&str; 3] = ["query", "search_query", "retrieval.query"];
const PASSAGE_PROMPTS: [&str; 6] =
    ["document", "passage", "corpus", "search_document", "retrieval.passage", "text"];

/// The configuration files of a model, and the options of the person who uses it.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    files: BTreeMap<String, String>,
    dimensions: Option<usize>,
}

impl Configuration {
    /// The files that are read, relative to the model's folder; each of them may be missing.
    pub const FILES: [&str; 7] = [MODEL, MODULES, POOLING, PROMPTS, LENGTH, TOKENIZER, OWN];

    /// The paths of the model in its folder, in order of preference.
    pub const MODEL_FILES: [&str; 2] = ["model.onnx", "onnx/model.onnx"];

    /// Creates a configuration from the names and contents of the existing files.
    #[must_use]
    pub fn new(files: BTreeMap<String, String>) -> Self {
        Self { files, dimensions: None }
    }

    /// Truncates the vectors to their first dimensions, as Matryoshka models allow. `None` leaves them unchanged.
    #[must_use]
    pub fn cut_to(self, dimensions: Option<usize>) -> Self {
        Self { dimensions, ..self }
    }

    /// Reads all files.
    ///
    /// # Errors
    /// [`EncoderError::Configuration`] names the file that cannot be parsed or that requires an unsupported feature.
    pub fn settings(&self) -> Result<Settings, EncoderError> {
        let model: ModelFile = self.read(MODEL)?.unwrap_or_default();
        self.check_modules()?;
        let own: OwnFile = self.read(OWN)?.unwrap_or_default();
        let prompts: PromptsFile = self.read(PROMPTS)?.unwrap_or_default();
        let pooling: Option<PoolingFile> = self.read(POOLING)?;
        let pools_prefix = pooling.as_ref().is_none_or(|file| file.include_prompt);
        let pooling = match (own.pooling, pooling) {
            (Some(name), _) => Pooling::named(&name).ok_or_else(|| wrong(OWN, &unknown_pooling(&name)))?,
            (None, Some(file)) => file.pooling()?,
            (None, None) if model.is_decoder() => Pooling::Last,
            (None, None) => Pooling::Mean,
        };
        let query_prefix = own.query_prefix.unwrap_or_else(|| prompts.prefix(&QUERY_PROMPTS));
        let passage_prefix = own.passage_prefix.unwrap_or_else(|| prompts.prefix(&PASSAGE_PROMPTS));
        let trained: LengthFile = self.read(LENGTH)?.unwrap_or_default();
        let tokenizer: TokenizerFile = self.read(TOKENIZER)?.unwrap_or_default();
        let length = [own.max_tokens, trained.max_seq_length, model.positions(), tokenizer.length()];
        Ok(Settings {
            name: model.name(),
            offset: if model.has_offset() { OFFSET } else { 0 },
            pooling,
            query_prefix,
            passage_prefix,
            pools_prefix,
            max_tokens: length.into_iter().flatten().filter(|tokens| *tokens > 0).min(),
            dimensions: self.dimensions.or(own.dimensions),
        })
    }

    fn read<T: for<'a> Deserialize<'a>>(&self, name: &str) -> Result<Option<T>, EncoderError> {
        let Some(text) = self.files.get(name) else { return Ok(None) };
        serde_json::from_str(text).map(Some).map_err(|error| wrong(name, &error.to_string()))
    }

    /// Rejects models with further layers, such as `Dense`, because their weights are not in the ONNX file.
    fn check_modules(&self) -> Result<(), EncoderError> {
        let modules: Vec<ModuleFile> = self.read(MODULES)?.unwrap_or_default();
        for module in modules {
            let name = module.kind.rsplit('.').next().unwrap_or_default();
            if !KNOWN_MODULES.contains(&name) {
                return Err(wrong(
                    MODULES,
                    &format!("the module {name} is not supported, only {}", KNOWN_MODULES.join(", ")),
                ));
            }
        }
        Ok(())
    }
}

/// How the sentence vector is computed from the token vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// The mean.
    Mean,
    /// The vector of the first token, `[CLS]`.
    First,
    /// The vector of the last token.
    Last,
    /// The maximum of each dimension.
    Max,
}

impl Pooling {
    fn named(name: &str) -> Option<Self> {
        match name {
            // The sum divided by the square root of the length has the same direction as the mean.
            "mean" | "mean_sqrt_len_tokens" => Some(Self::Mean),
            "cls" => Some(Self::First),
            "last" | "lasttoken" => Some(Self::Last),
            "max" => Some(Self::Max),
            _ => None,
        }
    }
}

impl fmt::Display for Pooling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mean => "mean",
            Self::First => "cls",
            Self::Last => "last",
            Self::Max => "max",
        })
    }
}

/// The settings of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The model's name in its configuration.
    pub name: Option<String>,
    /// The number of unused rows at the start of the position table.
    pub offset: usize,
    /// The pooling mode.
    pub pooling: Pooling,
    /// Text before every query.
    pub query_prefix: String,
    /// Text before every stored text.
    pub passage_prefix: String,
    /// Whether the tokens of a prefix are included in the pooling.
    pub pools_prefix: bool,
    /// The maximum number of tokens, if a file limits it.
    pub max_tokens: Option<usize>,
    /// The number of dimensions that vectors are truncated to.
    pub dimensions: Option<usize>,
}

impl Settings {
    /// What vectors depend on apart from the model's files; empty if all settings have their defaults.
    pub fn fingerprint(&self) -> String {
        let plain = self.pooling == Pooling::Mean
            && self.query_prefix.is_empty()
            && self.passage_prefix.is_empty()
            && self.max_tokens.is_none()
            && self.dimensions.is_none();
        if plain {
            return String::new();
        }
        let Self { pooling, query_prefix, passage_prefix, pools_prefix, max_tokens, dimensions, .. } = self;
        format!("{pooling} {query_prefix:?} {passage_prefix:?} {pools_prefix} {max_tokens:?} {dimensions:?}")
    }

    /// The maximum number of tokens of one inference, markers included, with this number of rows in the position table.
    pub fn room(&self, positions: usize) -> usize {
        let rows = positions.saturating_sub(self.offset);
        rows.min(self.max_tokens.unwrap_or(MAX_TOKENS)).clamp(1, MAX_TOKENS)
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ModelFile {
    #[serde(rename = "_name_or_path")]
    name_or_path: Option<String>,
    model_type: Option<String>,
    architectures: Option<Vec<String>>,
    max_position_embeddings: Option<i64>,
}

impl ModelFile {
    /// The last part of the name, which may be a path on the machine that exported the model.
    fn name(&self) -> Option<String> {
        let name = self.name_or_path.as_deref()?.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?;
        Some(name.replace('@', "_")).filter(|name| !name.is_empty() && name != ".")
    }

    fn has_offset(&self) -> bool {
        let model_type = self.model_type.as_deref().unwrap_or_default();
        WITH_OFFSET.iter().any(|kind| model_type.contains(kind))
    }

    fn positions(&self) -> Option<usize> {
        let positions = usize::try_from(self.max_position_embeddings?).ok()?;
        Some(if self.has_offset() { positions.saturating_sub(OFFSET) } else { positions })
    }

    /// Whether a token attends only to those before it, so that only the last one depends on the whole text.
    fn is_decoder(&self) -> bool {
        self.architectures.iter().flatten().any(|name| name.ends_with("ForCausalLM"))
    }
}

#[derive(Deserialize)]
struct ModuleFile {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct PoolingFile {
    /// The name of the pooling mode, in newer files.
    pooling_mode: Option<Value>,
    #[serde(default = "yes")]
    include_prompt: bool,
    /// A flag for each mode, in older files.
    #[serde(flatten)]
    modes: BTreeMap<String, Value>,
}

impl PoolingFile {
    fn pooling(&self) -> Result<Pooling, EncoderError> {
        let flags = self.modes.iter().filter(|(_, value)| value.as_bool() == Some(true));
        let flags = flags.filter_map(|(name, _)| {
            let name = name.strip_prefix("pooling_mode_")?;
            // The flag of `mean_sqrt_len_tokens` ends in the suffix of the other flags.
            Some(if name == "mean_sqrt_len_tokens" {
                name
            } else {
                name.strip_suffix("_tokens").unwrap_or(name)
            })
        });
        let names: Vec<String> = match &self.pooling_mode {
            Some(Value::String(name)) => vec![name.clone()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => flags.map(|name| name.strip_suffix("_token").unwrap_or(name).to_owned()).collect(),
        };
        match names.as_slice() {
            [name] => Pooling::named(name).ok_or_else(|| wrong(POOLING, &unknown_pooling(name))),
            _ => Err(wrong(
                POOLING,
                &format!(
                    "it must select one pooling mode, but selects {}: {}",
                    names.len(),
                    names.join(", ")
                ),
            )),
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PromptsFile {
    prompts: Option<BTreeMap<String, Option<String>>>,
    default_prompt_name: Option<String>,
}

impl PromptsFile {
    /// The prefix with the first of these names, or else the default one.
    fn prefix(&self, names: &[&str]) -> String {
        let default = self.default_prompt_name.as_deref();
        let prompt = |name: &str| self.prompts.as_ref()?.get(name)?.clone();
        let named = names.iter().copied().chain(default).find_map(prompt);
        named.unwrap_or_default()
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct LengthFile {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TokenizerFile {
    /// A float of about 1e30 means that there is no limit.
    model_max_length: Option<Value>,
}

impl TokenizerFile {
    fn length(&self) -> Option<usize> {
        self.model_max_length.as_ref()?.as_u64().and_then(|length| usize::try_from(length).ok())
    }
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct OwnFile {
    pooling: Option<String>,
    query_prefix: Option<String>,
    passage_prefix: Option<String>,
    max_tokens: Option<usize>,
    dimensions: Option<usize>,
}

fn yes() -> bool {
    true
}

fn unknown_pooling(name: &str) -> String {
    format!("the pooling mode {name:?} is not supported, only mean, cls, last and max")
}

fn wrong(file: &str, what: &str) -> EncoderError {
    EncoderError::Configuration(format!("{file}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(files: &[(&str, &str)]) -> Result<Settings, String> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Configuration::new(files).settings().map_err(|error| error.to_string())
    }

    #[test]
    fn without_files_all_tokens_are_pooled_and_nothing_is_prefixed() {
        let settings = settings(&[]).expect("files may be missing");
        assert_eq!(settings.pooling, Pooling::Mean);
        assert_eq!(settings.fingerprint(), "");
        assert_eq!((settings.room(512), settings.room(8192), settings.room(128)), (512, 512, 128));
    }

    #[test]
    fn the_files_of_sentence_transformers_are_read() {
        let settings = settings(&[
            (
                MODEL,
                r#"{"_name_or_path": "intfloat/multilingual-e5-small", "model_type": "xlm-roberta",
                "architectures": ["XLMRobertaModel"], "max_position_embeddings": 514}"#,
            ),
            (
                MODULES,
                r#"[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]"#,
            ),
            (
                POOLING,
                r#"{"word_embedding_dimension": 384, "pooling_mode_cls_token": true,
                "pooling_mode_mean_tokens": false, "pooling_mode_max_tokens": false,
                "pooling_mode_mean_sqrt_len_tokens": false, "include_prompt": false}"#,
            ),
            (
                PROMPTS,
                r#"{"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": null}"#,
            ),
            (TOKENIZER, r#"{"model_max_length": 1000000000000000019884624838656}"#),
        ]);
        let settings = settings.expect("they are as published");
        assert_eq!(settings.name.as_deref(), Some("multilingual-e5-small"));
        assert_eq!((settings.pooling, settings.pools_prefix), (Pooling::First, false));
        assert_eq!((&*settings.query_prefix, &*settings.passage_prefix), ("query: ", "passage: "));
        assert_eq!(settings.room(514), 512);
        assert_ne!(settings.fingerprint(), "");
    }

    #[test]
    fn fields_may_be_null() {
        let settings = settings(&[
            (MODEL, r#"{"_name_or_path": null, "model_type": null, "architectures": null}"#),
            (PROMPTS, r#"{"prompts": null, "default_prompt_name": null}"#),
            (LENGTH, r#"{"max_seq_length": null}"#),
            (TOKENIZER, r#"{"model_max_length": null}"#),
        ]);
        let settings = settings.expect("null is nothing");
        assert_eq!((settings.name.as_deref(), settings.fingerprint()), (None, String::new()));
    }

    #[test]
    fn every_way_of_pooling_is_recognised() {
        let pooling = |text: &str| settings(&[(POOLING, text)]).map(|settings| settings.pooling);
        let flag =
            |name: &str| pooling(&format!(r#"{{"pooling_mode_{name}": true, "pooling_mode_x": false}}"#));
        assert_eq!(flag("mean_tokens"), Ok(Pooling::Mean));
        assert_eq!(flag("mean_sqrt_len_tokens"), Ok(Pooling::Mean));
        assert_eq!(flag("cls_token"), Ok(Pooling::First));
        assert_eq!(flag("lasttoken"), Ok(Pooling::Last));
        assert_eq!(flag("max_tokens"), Ok(Pooling::Max));
        assert_eq!(pooling(r#"{"pooling_mode": "cls"}"#), Ok(Pooling::First));
        assert!(
            flag("weightedmean_tokens").is_err_and(|error| error.contains("only mean, cls, last and max"))
        );
        let two = r#"{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}"#;
        assert!(pooling(two).is_err_and(|error| error.contains("selects 2: cls, max")));
        let decoder = settings(&[(MODEL, r#"{"architectures": ["Qwen3ForCausalLM"]}"#)]);
        assert_eq!(decoder.map(|settings| settings.pooling), Ok(Pooling::Last));
    }

    #[test]
    fn the_shortest_length_and_our_own_file_win() {
        let settings = settings(&[
            (MODEL, r#"{"max_position_embeddings": 512}"#),
            (LENGTH, r#"{"max_seq_length": 128}"#),
            (PROMPTS, r#"{"prompts": {"search_query": "search_query: ", "document": null}}"#),
            (OWN, r#"{"passage_prefix": "text: ", "pooling": "last", "dimensions": 256}"#),
        ]);
        let settings = settings.expect("it can be read");
        assert_eq!((settings.room(512), settings.dimensions), (128, Some(256)));
        assert_eq!((&*settings.query_prefix, &*settings.passage_prefix), ("search_query: ", "text: "));
        assert_eq!(settings.pooling, Pooling::Last);
    }

    #[test]
    fn what_is_not_supported_is_named_with_its_file() {
        let dense = settings(&[(MODULES, r#"[{"type": "sentence_transformers.models.Dense"}]"#)]);
        assert!(dense.is_err_and(|error| error.contains("modules.json: the module Dense is not supported")));
        assert!(settings(&[(PROMPTS, "{")]).is_err_and(|error| error.contains(PROMPTS)));
        assert!(settings(&[(OWN, r#"{"prefix": ""}"#)]).is_err_and(|error| error.contains("query_prefix")));
    }
}
