//! Passwords, passphrases and answers: in URLs, logins and sentences.

pub(crate) mod url;
pub(crate) mod logins;
pub(crate) mod phrases;
pub(crate) mod password_sentences;
pub(crate) mod entry_sentences;
pub(crate) mod spelled_passwords;
pub(crate) mod security_answers;
pub(crate) mod common_words;
pub(crate) mod user_logins;
pub(crate) mod account_logins;
pub(crate) mod sentence_phrases;
pub(crate) mod question_answers;
pub(crate) mod household_keys;
pub(crate) mod client_logins;
pub(crate) mod labels;
pub(crate) mod quoted_phrases;
