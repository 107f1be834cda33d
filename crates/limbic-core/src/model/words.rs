//! Macros for enums of words that the database stores.

/// An enum of words, as the database stores them.
macro_rules! words {
    ($(#[$meta:meta])+ $name:ident { $($(#[$attribute:meta])? $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the words explain themselves")]
        pub enum $name { $($(#[$attribute])? $variant),+ }

        impl $name {
            /// All values, in the order in which they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// The words of all values, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::model::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word { $($word => Ok(Self::$variant),)+ _ => Err($crate::model::words::UnknownWord) }
            }
        }

        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.name().into())
            }
        }
    };
}
pub(crate) use words;

/// The error for a text that is none of the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownWord;

/// Lets rows keep an enum of `words!` that only Limbic stores or computes. Reading another word is an error.
macro_rules! words_of_rows {
    ($name:ident) => {
        impl rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
                let word = value.as_str()?;
                word.parse().map_err(|_| {
                    let known = Self::WORDS.join(", ");
                    rusqlite::types::FromSqlError::Other(format!("{word:?} is none of {known}").into())
                })
            }
        }
    };
}
pub(crate) use words_of_rows;
