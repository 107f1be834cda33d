//! The cart of a customer.

use crate::price::{Money, discounted};

/// What a customer wants to buy.
pub struct Cart {
    items: Vec<Item>,
}

/// One article with its price.
pub struct Item {
    pub name: String,
    pub price: Money,
}

impl Cart {
    /// An empty cart.
    pub fn new() -> Self {
        Self { items: Vec::new() }
    }

    /// Puts an article into the cart.
    pub fn add(&mut self, item: Item) {
        self.items.push(item);
    }

    /// The sum of all prices, with the discount for regular customers.
    pub fn total(&self, is_regular: bool) -> Money {
        let sum = self.items.iter().map(|item| item.price).sum();
        if is_regular { discounted(sum) } else { sum }
    }
}
