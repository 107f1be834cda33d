//! Units of measurement, and amounts in their base units.

/// Units by their names, with the base unit and how many of it they are. Abbreviations are as written, names in lower
/// case.
const UNITS: [(&[&str], &str, u64); 48] = [
    (&["ns", "nanosecond", "nanoseconds"], "nanosecond", 1),
    (&["µs", "μs", "us", "microsecond", "microseconds"], "nanosecond", 1_000),
    (&["ms", "msec", "millisecond", "milliseconds"], "nanosecond", 1_000_000),
    (&["s", "sec", "secs", "second", "seconds"], "nanosecond", 1_000_000_000),
    (&["min", "mins", "minute", "minutes"], "nanosecond", 60_000_000_000),
    (&["h", "hr", "hrs", "hour", "hours"], "nanosecond", 3_600_000_000_000),
    (&["day", "days"], "nanosecond", 86_400_000_000_000),
    (&["week", "weeks"], "nanosecond", 604_800_000_000_000),
    (&["month", "months"], "month", 1),
    (&["year", "years"], "month", 12),
    (&["mm", "millimetre", "millimetres", "millimeter", "millimeters"], LENGTH, 1),
    (&["cm", "centimetre", "centimetres", "centimeter", "centimeters"], LENGTH, 10),
    (&["m", "metre", "metres", "meter", "meters"], LENGTH, 1_000),
    (&["km", "kilometre", "kilometres", "kilometer", "kilometers"], LENGTH, 1_000_000),
    (&["foot", "feet", "ft"], "foot", 1),
    (&["mile", "miles", "mi"], "foot", 5_280),
    (&["mg", "milligram", "milligrams"], "milligram", 1),
    (&["g", "gram", "grams"], "milligram", 1_000),
    (&["kg", "kilo", "kilos", "kilogram", "kilograms"], "milligram", 1_000_000),
    (&["t", "tonne", "tonnes"], "milligram", 1_000_000_000),
    (&["ml", "millilitre", "millilitres", "milliliter", "milliliters"], "millilitre", 1),
    (&["l", "litre", "litres", "liter", "liters"], "millilitre", 1_000),
    (&["B", "byte", "bytes"], BYTE, 1),
    (&["KB", "kB", "kilobyte", "kilobytes"], BYTE, 1_000),
    (&["MB", "megabyte", "megabytes"], BYTE, 1_000_000),
    (&["GB", "gigabyte", "gigabytes"], BYTE, 1_000_000_000),
    (&["TB", "terabyte", "terabytes"], BYTE, 1_000_000_000_000),
    (&["KiB"], BYTE, 1 << 10),
    (&["MiB"], BYTE, 1 << 20),
    (&["GiB"], BYTE, 1 << 30),
    (&["TiB"], BYTE, 1 << 40),
    (&["kbit/s", "kbps", "Kbps"], "kbit/s", 1),
    (&["Mbit/s", "Mbps", "mbps"], "kbit/s", 1_000),
    (&["Gbit/s", "Gbps", "gbps"], "kbit/s", 1_000_000),
    (&["Hz", "hertz"], "hertz", 1),
    (&["kHz", "kilohertz"], "hertz", 1_000),
    (&["MHz", "megahertz"], "hertz", 1_000_000),
    (&["GHz", "gigahertz"], "hertz", 1_000_000_000),
    (&["W", "watt", "watts"], "watt", 1),
    (&["kW", "kilowatt", "kilowatts"], "watt", 1_000),
    (&["MW", "megawatt", "megawatts"], "watt", 1_000_000),
    (&["mV", "millivolt", "millivolts"], "millivolt", 1),
    (&["V", "volt", "volts"], "millivolt", 1_000),
    (&["kV", "kilovolt", "kilovolts"], "millivolt", 1_000_000),
    (&["%", "percent"], "percent", 1),
    (&["€", "EUR", "euro", "euros"], "euro", 1),
    (&["$", "USD", "dollar", "dollars"], "dollar", 1),
    (&["£", "GBP"], "pound", 1),
];

const LENGTH: &str = "millimetre";

const BYTE: &str = "byte";

/// What people mean by the next decimal prefix: `1024 MB` is `1 GB`.
const BINARY_STEP: u128 = 1_024;

fn unit_of(text: &str) -> Option<(&'static str, u64)> {
    UNITS.iter().find(|(names, ..)| names.contains(&text)).map(|(_, base, count)| (*base, *count))
}

/// Whether a text is a unit's name or abbreviation.
pub(super) fn is_unit(text: &str) -> bool {
    unit_of(text).is_some()
}

/// Whether a unit is of length in the metric system.
pub(super) fn is_length(text: &str) -> bool {
    unit_of(text).is_some_and(|(base, _)| base == LENGTH)
}

/// Returns an amount in its base unit: `1.5` and `min` as `90000000000` and `nanosecond`. What is no whole number of
/// the base unit stays as it is. `None` if `unit` is none.
pub(super) fn in_base_unit<'a>(amount: &str, unit: &'a str) -> Option<(String, &'a str)> {
    let (base, count) = unit_of(unit)?;
    let in_base = multiplied(amount, count);
    let in_base = if base == BYTE { in_base.map(|bytes| decimal(bytes, count)) } else { in_base };
    Some(in_base.map_or_else(|| (amount.to_owned(), unit), |in_base| (in_base, base)))
}

/// Reads whole multiples of 1024 of a decimal unit as the units that follow.
fn decimal(bytes: String, count: u64) -> String {
    let Ok(number) = bytes.parse::<u64>() else { return bytes };
    let (mut number, mut count) = (u128::from(number), u128::from(count));
    let is_decimal = count >= 1_000 && count.is_multiple_of(1_000);
    while is_decimal && number > 0 && number.is_multiple_of(count * BINARY_STEP) {
        number = number / BINARY_STEP * 1_000;
        count *= 1_000;
    }
    number.to_string()
}

/// Multiplies a decimal number; `None` if it is none, or the product is not a whole number below 2^64.
pub(super) fn multiplied(number: &str, factor: u64) -> Option<String> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: u128 = format!("{whole}{fraction}").parse::<u64>().ok()?.into();
    let divisor = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let product = digits * u128::from(factor);
    product
        .is_multiple_of(divisor)
        .then_some(product / divisor)
        .and_then(|product| u64::try_from(product).ok())
        .map(|product| product.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::{Relation, relation};

    #[test]
    fn an_amount_in_another_unit_is_the_same() {
        for (one, other) in [
            ("The request timeout is 1500 ms", "The request timeout is 1.5 s"),
            ("Cache entries live for 500 µs", "Cache entries live for 0.5 ms"),
            ("The upload limit is 2 GiB", "The upload limit is 2048 MiB"),
            ("The upload limit is 1 GB", "The upload limit is 1024 MB"),
            ("The buffer holds 4 KiB", "The buffer holds 4096 bytes"),
            ("The CPU runs at 3.5 GHz", "The CPU runs at 3500 MHz"),
            ("The engine has 250 W", "The engine has 0.25 kW"),
            ("The link has 1 Gbit/s", "The link has 1000 Mbps"),
            ("The archive has 18014398 TB", "The archive has 18014398000 GB"),
        ] {
            assert_eq!(relation(one, other), Relation::Paraphrase, "{one} | {other}");
        }
    }

    #[test]
    fn other_amounts_contradict() {
        for (one, other) in [
            ("The request timeout is 1500 ms", "The request timeout is 15 s"),
            ("The upload limit is 2 GiB", "The upload limit is 2 MiB"),
            ("The upload limit is 2 GiB", "The upload limit is 2 GB"),
            ("Cache entries live for 500 µs", "Cache entries live for 500 ms"),
            ("The link has 1 Gbit/s", "The link has 100 Mbit/s"),
        ] {
            assert_eq!(relation(one, other), Relation::Contradiction, "{one} | {other}");
        }
    }
}
