//! The clock and random source of JavaScript engines, for hosts without files.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(buffer: &mut [u8]);
}

/// Maximum number of bytes per call of `crypto.getRandomValues`.
const MAX_RANDOM_BYTES: usize = 65_536;

/// The engine's clock and source of random bytes.
pub struct BrowserHost;

/// The engine's clock.
pub fn now_millis() -> i64 {
    #[allow(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are whole and below 2^53")]
    let millis = js_sys::Date::now() as i64;
    millis
}

impl limbic_core::Host for BrowserHost {
    fn now_millis(&self) -> i64 {
        now_millis()
    }

    fn stopwatch(&self) -> Option<fn() -> i64> {
        Some(now_millis)
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.chunks_mut(MAX_RANDOM_BYTES).for_each(get_random_values);
    }
}
