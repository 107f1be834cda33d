//! Keys of services: by their format, their prefix, their randomness, and what stands around them.

pub(crate) mod patterns;
pub(crate) mod rules;
pub(crate) mod unknown_keys;
pub(crate) mod prefixed_keys;
pub(crate) mod service_keys;
pub(crate) mod split_keys;
pub(crate) mod name_value_pairs;
pub(crate) mod client_arguments;
pub(crate) mod parameters;
pub(crate) mod cipher_keys;
pub(crate) mod labelled_keys;
pub(crate) mod pasted_keys;
