//! The bytes of `long double`: 80 bits, of which this house computes with 64.

/// A number as the processor's extended format has it.
pub fn to_bytes(x: f64) -> [u8; 10] {
    let bits = x.to_bits();
    let sign = (bits >> 63) as u16;
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (exponent, mantissa) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, fraction) => {
            // What is subnormal in 64 bits is not in 80.
            let up = fraction.leading_zeros();
            (16383 - 1022 - (up as i32 - 11), fraction << up)
        }
        (0x7ff, fraction) => (0x7fff, 1 << 63 | fraction << 11),
        (exponent, fraction) => (exponent - 1023 + 16383, 1 << 63 | fraction << 11),
    };
    let mut out = [0; 10];
    out[..8].copy_from_slice(&mantissa.to_le_bytes());
    out[8..].copy_from_slice(&(exponent as u16 | sign << 15).to_le_bytes());
    out
}

/// The nearest number of 64 bits.
pub fn from_bytes(bytes: [u8; 10]) -> f64 {
    let mut mantissa = [0; 8];
    mantissa.copy_from_slice(&bytes[..8]);
    let mantissa = u64::from_le_bytes(mantissa);
    let top = u16::from_le_bytes([bytes[8], bytes[9]]);
    let sign = if top >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(top & 0x7fff);
    if exponent == 0x7fff {
        return if mantissa << 1 == 0 { sign * f64::INFINITY } else { f64::NAN };
    }
    if mantissa == 0 {
        return sign * 0.0;
    }
    let exponent = exponent - 16383 - 63;
    let half = exponent / 2;
    sign * (mantissa as f64) * 2f64.powi(half) * 2f64.powi(exponent - half)
}
