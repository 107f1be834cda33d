//! The origin of a memory or of a record of the graph: who wrote it.

use super::text;

/// Maximum length of a client's or file's name, in characters.
const MAX_NAME_CHARS: usize = 200;

/// Stands for the name of a client that contains a secret.
pub const NAME_WITHHELD: &str = "[withheld]";

/// Length of a folder's digest in hexadecimal digits.
pub(crate) const DIGEST_LENGTH: usize = 16;

/// Maximum length of a project's name in characters: with a digest, it is as long as a subject of memories can be.
pub(crate) const MAX_PROJECT_CHARS: usize = 200 - 1 - DIGEST_LENGTH;

/// A kind of writer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// A tool call of an MCP client.
    #[default]
    Client,
    /// A hook of the host.
    Hook,
    /// A file.
    Import,
    /// A person in the explorer.
    Explorer,
    /// A program that uses Limbic as a library.
    Library,
    /// A person on the command line.
    Cli,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Client, Self::Hook, Self::Import, Self::Explorer, Self::Library, Self::Cli];

    /// Its name in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Hook => "hook",
            Self::Import => "import",
            Self::Explorer => "explorer",
            Self::Library => "library",
            Self::Cli => "cli",
        }
    }

    /// Whether it writes for an agent: a client, or a program that uses the library.
    #[must_use]
    pub(crate) fn is_for_agents(self) -> bool {
        matches!(self, Self::Client | Self::Library)
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Where a memory or a record of the graph comes from. Fields that do not apply are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Who wrote.
    pub kind: Kind,
    /// The client's name, as reported by the client.
    pub client: String,
    /// The session, 32 hexadecimal digits.
    pub session: String,
    /// The project of the session.
    pub project: String,
    /// The folder of the project, as the shell states it: digest, slash, last component of its path. Not stored with
    /// the origin.
    pub folder: String,
    /// Of an import: the name of the file.
    pub file: String,
    /// Of an import: its id.
    pub import_id: String,
}

impl Origin {
    /// Returns its label, which a person trusts: the client, the project of the hook, or one import. Not the session.
    #[must_use]
    pub fn label(&self) -> String {
        match self.kind {
            Kind::Client | Kind::Library => format!("{}:{}", self.kind.name(), self.client),
            Kind::Hook => format!("hook:{}", self.project),
            Kind::Import => format!("import:{}#{}", self.file, self.import_id),
            Kind::Explorer | Kind::Cli => self.kind.name().to_owned(),
        }
    }

    /// Returns it with names of limited length and without control characters.
    #[must_use]
    pub fn bounded(self) -> Self {
        let name = |text: String| -> String {
            text.chars().filter(|letter| !letter.is_control()).take(MAX_NAME_CHARS).collect()
        };
        Self {
            kind: self.kind,
            client: name(self.client),
            session: name(self.session),
            project: canonical_project(&self.project),
            folder: self.folder,
            file: name(self.file),
            import_id: name(self.import_id),
        }
    }
}

/// Whether all clients whose names are withheld have this label.
#[must_use]
pub(crate) fn is_of_withheld_names(label: &str) -> bool {
    label.split_once(':').is_some_and(|(kind, name)| {
        name == NAME_WITHHELD && Kind::of_name(kind).is_some_and(Kind::is_for_agents)
    })
}

/// Returns a name in the form in which names of projects are compared: composed, of limited length, without control
/// characters and surrounding white space.
#[must_use]
pub fn canonical_project(name: &str) -> String {
    let plain: String = name.chars().filter(|letter| !letter.is_control()).collect();
    let shortened: String = text::compose(plain.trim()).chars().take(MAX_PROJECT_CHARS).collect();
    shortened.trim_end().to_owned()
}
