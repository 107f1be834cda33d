//! Money in cents.

pub type Money = u64;

/// Percent off for regular customers.
pub const DISCOUNT: Money = 10;

/// The price less the discount.
pub fn discounted(price: Money) -> Money {
    price - price * DISCOUNT / 100
}
