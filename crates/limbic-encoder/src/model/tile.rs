//! The part of a product that is computed at once.
//!
//! A tile is [`ROWS`] rows by [`OUTPUTS`] outputs. Its sums, the weights of one step and the matching values of the
//! rows fit the sixteen vector registers of x86-64; tract's tile of 8 by 8 floats does not. A file of its own, because
//! the two versions inside of `kernel` import it.

/// Rows of a tile.
pub const ROWS: usize = 4;
/// Outputs of a tile.
pub const OUTPUTS: usize = 8;

/// Two adjacent values of a row, the first in the lower half.
pub type Pair = i32;
/// The weights of [`OUTPUTS`] outputs for two adjacent inputs, output by output.
pub type Packed = [i8; 2 * OUTPUTS];
