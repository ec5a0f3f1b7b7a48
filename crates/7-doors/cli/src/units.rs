//! Durations and sizes as people write them.

use std::time::Duration;

/// `500ms`, `60s`, `1.5m`, `2h`; a bare number means seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write it as `500ms`, `60s`, `5m` or `2h`".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "write it as `500ms`, `60s`, `5m` or `2h`")?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "too long".to_owned())
}

/// `512M`, `4G`, `4GiB`; a bare number means bytes. All units are powers of 1024.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let unit = unit.to_ascii_lowercase();
    let shift = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err("write it as `512M` or `4G`".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "write it as `512M` or `4G`")?;
    let bytes = number * (1u64 << shift) as f64;
    if bytes.is_finite() && (0.0..=u64::MAX as f64).contains(&bytes) {
        Ok(bytes as u64)
    } else {
        Err("out of range".to_owned())
    }
}

/// `VAR:BITS`, the name may contain `::`.
pub(crate) fn keep(text: &str) -> Result<(String, u32), String> {
    let wrong = || "write it as `x:4` or `f::x:4`".to_owned();
    let (var, bits) = text.rsplit_once(':').ok_or_else(wrong)?;
    let bits: u32 = bits.parse().map_err(|_| wrong())?;
    match var.is_empty() || var.ends_with(':') {
        true => Err(wrong()),
        false if !(1..=32).contains(&bits) => Err("1 to 32 bits can be kept".to_owned()),
        false => Ok((var.to_owned(), bits)),
    }
}

/// The number and what follows it.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, ms) in [("500ms", 500), ("60s", 60_000), ("2", 2_000), ("1.5m", 90_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "5x", "-1s", "1e999s", "99999999999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, n) in
            [("4G", 4 << 30), ("512M", 512 << 20), ("1KiB", 1024), ("7", 7), ("2gb", 2 << 30)]
        {
            assert_eq!(bytes(text), Ok(n), "{text}");
        }
        for text in ["", "G", "4X", "-1", "999999999999T"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
