//! Enums of words that the database stores, and words of rows that other programs may have stored.

use std::{fmt, str::FromStr};

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

        impl $crate::model::words::Named for $name {
            const WORDS: &'static [&'static str] = Self::WORDS;

            fn word(self) -> &'static str {
                self.name()
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

/// An enum of `words!`.
pub trait Named: Copy + PartialEq + FromStr<Err = UnknownWord> {
    /// The words of all values.
    const WORDS: &'static [&'static str];

    /// Returns the word.
    fn word(self) -> &'static str;
}

/// A word of a row: one of Limbic's, or one that another program has stored, which is kept as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word<T> {
    /// A word with a meaning to Limbic.
    Known(T),
    /// Another program's word.
    Other(String),
}

impl<T: Named> Word<T> {
    /// Returns the value with this word.
    #[must_use]
    pub fn of(word: &str) -> Self {
        word.parse().map_or_else(|_| Self::Other(word.to_owned()), Self::Known)
    }

    /// Returns the word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(value) => value.word(),
            Self::Other(word) => word,
        }
    }

    /// Returns the value, `None` for another program's word.
    #[must_use]
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Other(_) => None,
        }
    }
}

impl<T: Default> Default for Word<T> {
    fn default() -> Self {
        Self::Known(T::default())
    }
}

impl<T: Named> From<T> for Word<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: Named> PartialEq<T> for Word<T> {
    fn eq(&self, value: &T) -> bool {
        self.known() == Some(*value)
    }
}

impl<T: Named> fmt::Display for Word<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl<T: Named> FromSql for Word<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(Self::of)
    }
}

impl<T: Named> ToSql for Word<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl<T: Named> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, T: Named> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|word| Self::of(&word))
    }
}

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
