//! Languages, and which one a file is in.

use serde::{Deserialize, Serialize};

macro_rules! languages {
    ($($(#[$doc:meta])* $variant:ident $name:literal [$($ending:literal),*],)*) => {
        /// A language.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Language {
            $($(#[$doc])* $variant,)*
            /// None of these: text in blocks.
            #[default]
            Unknown,
        }

        impl Language {
            /// Every language but [`Language::Unknown`].
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in tables and answers: lower case.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Unknown => "unknown",
                }
            }

            fn of_ending(ending: &str) -> Option<Self> {
                match ending {
                    $($($ending)|* => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

languages! {
    /// Rust.
    Rust "rust" ["rs"],
    /// Python.
    Python "python" ["py", "pyi", "pyw"],
    /// JavaScript, with JSX.
    JavaScript "javascript" ["js", "mjs", "cjs", "jsx"],
    /// TypeScript.
    TypeScript "typescript" ["ts", "mts", "cts"],
    /// TypeScript with JSX.
    Tsx "tsx" ["tsx"],
    /// Go.
    Go "go" ["go"],
    /// Java.
    Java "java" ["java"],
    /// C.
    C "c" ["c", "h"],
    /// C++.
    Cpp "cpp" ["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "inl", "cu", "cuh"],
    /// C#.
    CSharp "csharp" ["cs", "csx"],
    /// Ruby.
    Ruby "ruby" ["rb", "rake", "gemspec", "ru"],
    /// PHP.
    Php "php" ["php", "phtml", "php5", "php7"],
    /// Bash and other shells.
    Bash "bash" ["sh", "bash", "zsh", "ksh", "bats"],
    /// Kotlin.
    Kotlin "kotlin" ["kt", "kts"],
    /// Scala.
    Scala "scala" ["scala", "sc", "sbt"],
    /// Swift.
    Swift "swift" ["swift"],
    /// Lua.
    Lua "lua" ["lua"],
    /// HTML.
    Html "html" ["html", "htm", "xhtml"],
    /// Markdown.
    Markdown "markdown" ["md", "markdown", "mdx"],
    /// JSON.
    Json "json" ["json", "jsonc", "json5", "webmanifest"],
    /// YAML.
    Yaml "yaml" ["yaml", "yml"],
    /// TOML.
    Toml "toml" ["toml"],
    /// CSS and its dialects.
    Css "css" ["css", "scss", "sass", "less"],
    /// SQL.
    Sql "sql" ["sql"],
}

/// Languages of file names whose extension does not identify them.
const FILE_NAMES: &[(&str, Language)] = &[
    ("rakefile", Language::Ruby),
    ("gemfile", Language::Ruby),
    ("podfile", Language::Ruby),
    ("vagrantfile", Language::Ruby),
    (".bashrc", Language::Bash),
    (".zshrc", Language::Bash),
    (".profile", Language::Bash),
    ("sconstruct", Language::Python),
    ("sconscript", Language::Python),
    ("cargo.lock", Language::Toml),
    ("pipfile", Language::Toml),
    (".babelrc", Language::Json),
    (".eslintrc", Language::Json),
    (".prettierrc", Language::Json),
];

/// Interpreters of shebang lines, by the start of their names.
const INTERPRETERS: &[(&str, Language)] = &[
    ("python", Language::Python),
    ("pypy", Language::Python),
    ("ipython", Language::Python),
    ("node", Language::JavaScript),
    ("deno", Language::TypeScript),
    ("bun", Language::TypeScript),
    ("ts-node", Language::TypeScript),
    ("tsx", Language::TypeScript),
    ("bash", Language::Bash),
    ("bats", Language::Bash),
    ("dash", Language::Bash),
    ("zsh", Language::Bash),
    ("ksh", Language::Bash),
    ("sh", Language::Bash),
    ("ruby", Language::Ruby),
    ("jruby", Language::Ruby),
    ("rust-script", Language::Rust),
    ("php", Language::Php),
    ("lua", Language::Lua),
    ("kotlin", Language::Kotlin),
    ("scala", Language::Scala),
    ("swift", Language::Swift),
];

/// Programs of shebang lines that start an interpreter, with the language of a script for which the line names none.
const LAUNCHERS: &[(&str, Language)] = &[
    ("uv", Language::Python),
    ("uvx", Language::Python),
    ("pipx", Language::Python),
    ("poetry", Language::Python),
    ("hatch", Language::Python),
    ("npx", Language::JavaScript),
    ("bunx", Language::JavaScript),
    ("pnpm", Language::JavaScript),
    ("bundle", Language::Ruby),
    ("cargo", Language::Rust),
    ("go", Language::Go),
    ("java", Language::Java),
];

impl Language {
    /// Returns the language of a file, by its name or else by the shebang in its first line.
    #[must_use]
    pub fn detect(path: &str, bytes: &[u8]) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        if let Some((_, language)) = FILE_NAMES.iter().find(|(known, _)| *known == name) {
            return *language;
        }
        if let Some((stem, ending)) = name.rsplit_once('.')
            && let Some(language) = Self::of_ending(ending)
            && !stem.is_empty()
        {
            return if language == Self::C && ending == "h" && is_cpp_header(bytes) {
                Self::Cpp
            } else {
                language
            };
        }
        shebang(bytes).unwrap_or_default()
    }

    /// The language of a name as an agent writes it: `rust`, `ts`, `C++`, `py`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let other = match name.as_str() {
            "c++" => Some(Self::Cpp),
            "c#" => Some(Self::CSharp),
            "shell" => Some(Self::Bash),
            "golang" => Some(Self::Go),
            "unknown" => Some(Self::Unknown),
            _ => None,
        };
        other
            .or_else(|| Self::ALL.iter().copied().find(|language| language.as_str() == name))
            .or_else(|| Self::of_ending(&name))
    }

    /// Whether the second module, `code-more`, has its grammar.
    #[must_use]
    pub fn needs_more_grammars(self) -> bool {
        matches!(
            self,
            Self::Cpp
                | Self::CSharp
                | Self::Ruby
                | Self::Php
                | Self::Bash
                | Self::Kotlin
                | Self::Scala
                | Self::Swift
                | Self::Lua
                | Self::Html
        )
    }

    /// Languages in which several functions of one name in one scope are distinguished by their parameters.
    #[must_use]
    pub fn has_overloads(self) -> bool {
        matches!(self, Self::Java | Self::Cpp | Self::CSharp | Self::Kotlin | Self::Scala | Self::Swift)
    }

    /// JavaScript, TypeScript and TSX import each other's files.
    #[must_use]
    pub fn is_ecmascript(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Tsx)
    }

    /// Languages whose symbols can be referred to from each other.
    #[must_use]
    pub fn family(self) -> Self {
        match self {
            Self::TypeScript | Self::Tsx => Self::JavaScript,
            Self::Cpp => Self::C,
            Self::Kotlin | Self::Scala => Self::Java,
            other => other,
        }
    }
}

/// Words that C does not have, at the start of a line.
fn is_cpp_header(bytes: &[u8]) -> bool {
    const WORDS: [&[u8]; 7] =
        [b"class ", b"namespace ", b"template", b"public:", b"private:", b"using ", b"constexpr "];
    bytes[..bytes.len().min(64 << 10)]
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_start)
        .any(|line| WORDS.iter().any(|word| line.starts_with(word)))
}

fn shebang(bytes: &[u8]) -> Option<Language> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line = bytes.strip_prefix(b"#!")?.split(|byte| matches!(byte, b'\n' | b'\r')).next()?;
    let line = String::from_utf8_lossy(&line[..line.len().min(200)]);
    let mut launcher = None;
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        // `env` may have the program in the same word as its option.
        let word =
            ["--split-string=", "-S"].iter().find_map(|option| word.strip_prefix(option)).unwrap_or(word);
        if matches!(word, "-u" | "--unset" | "-C" | "--chdir") {
            words.next();
            continue;
        }
        let program = word.rsplit('/').next().unwrap_or(word);
        let is_between = matches!(program, "" | "env" | "run" | "exec") || program.starts_with(['-', '+']);
        if is_between || program.contains('=') {
            continue;
        }
        if let Some((_, language)) = LAUNCHERS.iter().find(|(name, _)| *name == program) {
            launcher = launcher.or(Some(*language));
            continue;
        }
        let found = INTERPRETERS.iter().find(|(name, _)| program.starts_with(name));
        return found.map(|(_, language)| *language).or(launcher);
    }
    launcher
}
