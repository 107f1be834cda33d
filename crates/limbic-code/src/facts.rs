//! The facts of one file: what extraction derives from its text, independent of other files.
//!
//! Lines and columns count from 1; columns count characters. Everything is ordered as in the text, so that equal bytes
//! give equal facts on every build.

use serde::{Deserialize, Serialize};

use crate::expression::{Expression, TypeName};
use crate::language::Language;

/// The version of the facts. Facts of another version are extracted and stored again.
pub const FACTS_VERSION: u32 = 12;

/// The version of shapes: the lowest byte of [`Symbol::shape_hash`]. Shapes of different versions cannot be compared.
/// It changes, and [`FACTS_VERSION`] with it, when unchanged code gets another shape: by another hash, or by a grammar
/// with other nodes. Versions before 10 left this byte to the hash.
pub const SHAPE_VERSION: u8 = 10;

/// Whether two shapes are of the same version: if not, nothing follows from their difference.
#[must_use]
pub fn are_comparable(one: u64, other: u64) -> bool {
    one.to_le_bytes()[0] == other.to_le_bytes()[0]
}

/// The facts of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Language, by path and shebang.
    pub language: Language,
    /// Why the file has no facts; `None` for a file that was read.
    pub skipped: Option<SkipReason>,
    /// Places that the parser could not read. The facts around them are kept.
    pub syntax_errors: u32,
    /// Number of lines.
    pub lines: u32,
    /// Parts of the text for search. They cover every line that is not blank, without overlap.
    pub chunks: Vec<Chunk>,
    /// Names used in the file that may refer to a symbol.
    pub references: Vec<Reference>,
    /// The part that resolution reads when other files refer to this one.
    pub outline: Outline,
}

/// The part of the facts that other files' references are resolved against.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// Language of the file.
    pub language: Language,
    /// Name of the package or namespace that the file declares (Go, Java, ...).
    pub package: Option<String>,
    /// Definitions.
    pub symbols: Vec<Symbol>,
    /// Imports, one for each name that they bind.
    pub imports: Vec<Import>,
    /// Names of its own that an ES module exports under the same name, sorted. `None` for every other file, of which
    /// all names are visible to importers.
    pub exports: Option<Vec<String>>,
    /// Variables, parameters and fields, with their types where the text gives them.
    pub variables: Vec<Variable>,
    /// Types that implement or extend another type outside their own definition.
    pub implementations: Vec<Implementation>,
    /// Module paths of a manifest (`go.mod`, `package.json`, `tsconfig.json`, `Cargo.toml`).
    pub manifest: Option<Manifest>,
}

/// Why a file has no facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Longer than `MAX_FILE_BYTES`, 1 MB.
    TooLarge,
    /// Contains null bytes or other control characters.
    Binary,
    /// UTF-16 or UTF-32.
    NotUtf8,
    /// Minified or generated: very long lines.
    Minified,
    /// A path with a line break or another control character.
    BadPath,
    /// The grammar of the language is not part of this build.
    NoGrammar,
}

impl SkipReason {
    /// The reason as a sentence for `skipped[].why`.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::TooLarge => "larger than 1 MB",
            Self::Binary => "binary",
            Self::NotUtf8 => "not UTF-8",
            Self::Minified => "minified or generated: very long lines",
            Self::BadPath => "the path contains a control character",
            Self::NoGrammar => "no grammar for this language in this build",
        }
    }
}

/// A part of the text for search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// First line.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// The kind of its content.
    pub chunk_type: ChunkType,
    /// Name of the function, class or heading.
    pub name: Option<String>,
    /// Qualified name of what encloses it; empty at the top of the file.
    pub scope: String,
    /// Index into [`Outline::symbols`] of the symbol that the chunk is (a part of).
    pub symbol: Option<u32>,
    /// Declaration without the body, on one line.
    pub signature: Option<String>,
    /// First paragraph of the documentation.
    pub doc: Option<String>,
    /// Text for words and vectors: two path parts, scope, split name, signature, doc, the text without punctuation.
    pub header: String,
    /// BLAKE3 of the text, 64 hexadecimal digits.
    pub content_hash: String,
}

/// Kind of a chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChunkType {
    /// A function or method.
    Function,
    /// A class, interface or trait.
    Class,
    /// A struct or enum.
    Struct,
    /// A module, or the text of a file that belongs to no other symbol.
    Module,
    /// An `impl` block.
    Impl,
    /// Everything else.
    #[default]
    Other,
}

impl ChunkType {
    /// Every kind.
    pub const ALL: &[Self] =
        &[Self::Function, Self::Class, Self::Struct, Self::Module, Self::Impl, Self::Other];

    /// The name in tables and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Module => "module",
            Self::Impl => "impl",
            Self::Other => "other",
        }
    }
}

/// A definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// Kind.
    pub kind: SymbolKind,
    /// Name as written at its definition.
    pub name: String,
    /// Name with its scopes, unique in the file: `Foo.bar`, a second one `Foo.bar~2`. The symbol's id is
    /// `project:path#qualified_name`.
    pub qualified_name: String,
    /// Index of the enclosing symbol.
    pub parent: Option<u32>,
    /// First line, with decorators and attributes and without comments above.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Line of the name.
    pub line: u32,
    /// Column of the name.
    pub column: u32,
    /// Declaration without the body, on one line.
    pub signature: String,
    /// Documentation comment or docstring, without its markers.
    pub doc: Option<String>,
    /// Hash of the tokens and their structure without comments and layout: equal where only those differ.
    pub shape_hash: u64,
    /// The type that a method belongs to where it is written outside of that type's definition (Rust, Go).
    pub owner: Option<TypeName>,
    /// Trait or interface that an `impl` block implements for `owner` (Rust).
    pub implements: Option<TypeName>,
    /// Whether it is a member of the type itself and not of its instances (static method, associated function).
    pub is_static: bool,
    /// Whether it is read like a field (`@property`, getter).
    pub is_property: bool,
    /// Whether it is within a function.
    pub is_local: bool,
    /// Whether it is within a block or a closure inside of the function that is its parent, and so is not visible in
    /// all of that function.
    pub is_in_block: bool,
    /// Declared type of the value, or of a call's result.
    pub value_type: Option<TypeName>,
    /// The returned value of a function, or the value of a constant, without a declared type.
    pub values: Vec<Expression>,
    /// Types that it extends or implements, in order.
    pub bases: Vec<TypeName>,
    /// Type parameters with their bounds.
    pub type_parameters: Vec<TypeParameter>,
    /// How many arguments a function takes, in languages with overloads.
    pub parameters: Option<Parameters>,
}

impl Symbol {
    /// Whether it is a macro of Rust.
    #[must_use]
    pub fn is_rust_macro(&self) -> bool {
        self.kind == SymbolKind::Function && self.signature.starts_with("macro_rules!")
    }
}

/// How many arguments a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// Arguments that every call has.
    pub least: u8,
    /// Arguments that a call may have; `None` if there is no limit.
    pub most: Option<u8>,
}

impl Parameters {
    /// Whether a call with this number of arguments is possible.
    #[must_use]
    pub fn fits(self, arguments: u8) -> bool {
        self.least <= arguments && self.most.is_none_or(|most| arguments <= most)
    }
}

/// A type parameter of a function or type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TypeParameter {
    /// Name.
    pub name: String,
    /// Types or traits that it must satisfy.
    pub bounds: Vec<TypeName>,
}

/// Kind of a symbol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SymbolKind {
    /// A function outside of a type; also a macro.
    #[default]
    Function,
    /// A function of a type.
    Method,
    /// A class.
    Class,
    /// A struct, union or record.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface or protocol.
    Interface,
    /// A module or namespace.
    Module,
    /// A trait or mixin.
    Trait,
    /// A constant or static at the top of a file or type.
    Constant,
    /// A type alias.
    Type,
}

impl SymbolKind {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Interface,
        Self::Module,
        Self::Trait,
        Self::Constant,
        Self::Type,
    ];

    /// The name in tables and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Module => "module",
            Self::Trait => "trait",
            Self::Constant => "constant",
            Self::Type => "type",
        }
    }

    /// Whether it has members: its name can be a receiver's type.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait | Self::Type)
    }
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Line of the name.
    pub line: u32,
    /// Column of the name.
    pub column: u32,
    /// Name as written.
    pub name: String,
    /// Kind.
    pub kind: ReferenceKind,
    /// Text before the name (`self.pool` in `self.pool.get()`), at most 80 characters.
    pub receiver: Option<String>,
    /// Index of the innermost enclosing symbol.
    pub enclosing: Option<u32>,
    /// The expression to resolve: the name with its receiver.
    pub target: Expression,
    /// Number of arguments of a call, in languages with overloads.
    pub arguments: Option<u8>,
}

/// Kind of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceKind {
    /// The name is called or, if it is a type, constructed or destructured with arguments.
    Call,
    /// The name is imported.
    Import,
    /// The name is a base class or supertrait.
    Extends,
    /// The name is an implemented interface or trait.
    Implements,
    /// The name is used as a type.
    Type,
    /// Any other use: passed as a value, read as a member, named as a decorator.
    Use,
}

impl ReferenceKind {
    /// The name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Import => "import",
            Self::Extends => "extends",
            Self::Implements => "implements",
            Self::Type => "type",
            Self::Use => "use",
        }
    }
}

/// One name that an import binds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Line.
    pub line: u32,
    /// Path of the module as written: `..util`, `./x.js`, `crate::a`, `net/http`. Empty for an export of a name of the
    /// file itself under another name.
    pub module: String,
    /// Name taken from the module; `*` for all its names; `None` for the module itself.
    pub name: Option<String>,
    /// Name that the file binds; empty where none is bound (`*`, imports for their effect).
    pub local: String,
    /// Whether importers of this file see the name.
    pub is_exported: bool,
    /// Index of the function or module that contains the import.
    pub scope: Option<u32>,
}

/// A variable, parameter, field or enum variant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Index of the symbol that it belongs to: the type of a field, the function of a local variable; `None` at the
    /// top.
    pub scope: Option<u32>,
    /// Whether it is a member of the type in `scope`.
    pub is_field: bool,
    /// Whether it is visible in its function or block alone.
    pub is_local: bool,
    /// The expression from which its type is derived.
    pub value: Expression,
}

/// `impl Trait for Type` without a look at its items, and the like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Implementation {
    /// The implementing type.
    pub of: TypeName,
    /// The trait or interface.
    pub base: TypeName,
    /// Associated types that it sets, such as `Output`.
    pub associated: Vec<(String, TypeName)>,
    /// Index of the enclosing module symbol.
    pub scope: Option<u32>,
}

/// Module paths of a manifest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name of the package (`package.json`, `Cargo.toml`) or module path (`go.mod`).
    pub name: String,
    /// Entry files, relative to the manifest's folder, as written.
    pub entries: Vec<String>,
    /// Path patterns with their replacements (`compilerOptions.paths`, `exports`, `path` dependencies under another
    /// name), relative to the manifest's folder.
    pub aliases: Vec<(String, String)>,
}
