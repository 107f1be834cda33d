//! Shapes for the fixture.
use std::collections::HashMap;
use std::fmt::{self, Display as Show};

/// Sides of a square.
pub const SIDES: u32 = 4;

/// Anything with an area.
pub trait Area {
    /// The area.
    fn area(&self) -> f64;

    fn double(&self) -> f64 {
        self.area() * 2.0
    }
}

#[derive(Debug, Clone)]
pub struct Square<T = f64> {
    pub side: T,
}

pub enum Shape {
    Square(Square),
    Named { name: String },
    Nothing,
}

impl Area for Square {
    fn area(&self) -> f64 {
        power(self.side, 2)
    }
}

impl Square {
    pub fn new(side: f64) -> Self {
        Self { side }
    }

    fn r#type(&self) -> &'static str {
        "square"
    }
}

impl Show for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.r#type(), self.double())
    }
}

fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).map(|_| base).product()
}

macro_rules! square {
    ($side:expr) => {
        Square::new($side)
    };
}

type Shapes = HashMap<String, Shape>;

pub fn total(shapes: &Shapes) -> f64 {
    let mut sum = 0.0;
    for shape in shapes.values() {
        if let Shape::Square(square) = shape {
            sum += square.area();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_squares() {
        fn helper() -> Square {
            Square::new(2.0)
        }
        assert_eq!(helper().area(), 4.0);
        assert_eq!(square!(3.0).area(), 9.0);
    }
}
