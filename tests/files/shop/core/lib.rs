pub mod cart;
pub mod price;
