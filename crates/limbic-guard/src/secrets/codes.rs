//! Codes that consist mostly of digits: PINs, access codes, combinations, codes for one use, recovery codes.

pub(crate) mod clauses;
pub(crate) mod pins;
pub(crate) mod access_codes;
pub(crate) mod keypad_codes;
pub(crate) mod dial_combinations;
pub(crate) mod one_time_codes;
pub(crate) mod recovery_codes;
pub(crate) mod lock_words;
pub(crate) mod keypad_instructions;
pub(crate) mod lock_numbers;
pub(crate) mod asked_codes;
