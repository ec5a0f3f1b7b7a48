//! Scalar types, promotions and the usual arithmetic conversions.

use crate::Model;

/// An integer type, by what its values are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Int {
    /// Its bits, the sign included: 1 to 128.
    pub bits: u8,
    /// It has a sign.
    pub signed: bool,
}

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// `_Bool`: what is converted to it becomes 0 or 1.
    Bool,
    /// An integer.
    Int(Int),
    /// A floating type, told apart by bits of its numbers. They are not computed here, but where a conversion may change one, it
    /// is another one.
    Float(u8),
    /// A pointer, to whatever.
    Pointer,
}

impl Int {
    /// `int`
    pub const INT: Int = Int { bits: 32, signed: true };

    /// An integer type of so many bits.
    pub const fn new(bits: u8, signed: bool) -> Int {
        Int { bits, signed }
    }

    /// The least value.
    pub fn min(self) -> i128 {
        match (self.signed, self.bits) {
            (false, _) => 0,
            (true, 128) => i128::MIN,
            (true, bits) => -(1 << (bits - 1)),
        }
    }

    /// The largest value; for 128 bits without a sign, the largest that a [`crate::Value`] has.
    pub fn max(self) -> i128 {
        let bits = self.bits - u8::from(self.signed);
        if bits >= 127 { i128::MAX } else { (1 << bits) - 1 }
    }

    /// Whether a number is one of its values.
    pub fn holds(self, number: i128) -> bool {
        (self.min()..=self.max()).contains(&number)
    }

    /// What is left of a number in so many bits. None where a [`crate::Value`] does not have it.
    pub(crate) fn wrap(self, number: i128) -> Option<i128> {
        if self.bits == 128 {
            return (self.signed || number >= 0).then_some(number);
        }
        let low = number & ((1 << self.bits) - 1);
        let negative = self.signed && low >> (self.bits - 1) & 1 == 1;
        Some(if negative { low - (1 << self.bits) } else { low })
    }
}

impl Scalar {
    /// `int`
    pub const INT: Scalar = Scalar::Int(Int::INT);
    /// `double`
    pub const DOUBLE: Scalar = Scalar::Float(64);

    /// The arithmetic type that specifiers name, in any order: `unsigned long int`, `double`. None for
    /// what is no scalar or not known.
    pub fn named(specifiers: &str, model: &Model) -> Option<Scalar> {
        let (mut bits, mut signed, mut longs) = (None, None, 0);
        let mut any = false;
        for word in specifiers.split_ascii_whitespace() {
            any = true;
            if let Some(bits) = float_bits(word) {
                let long = bits == 64 && specifiers.split_ascii_whitespace().any(|w| w == "long");
                let float = Scalar::Float(if long { 80 } else { bits });
                return (!specifiers.contains("omplex")).then_some(float);
            }
            match word {
                "_Bool" => return Some(Scalar::Bool),
                "char" => bits = Some(8),
                "short" => bits = Some(16),
                "__int128" | "__int128_t" => bits = Some(128),
                "__uint128_t" => (bits, signed) = (Some(128), Some(false)),
                "int" => {}
                "long" => longs += 1,
                "signed" | "__signed" | "__signed__" => signed = Some(true),
                "unsigned" => signed = Some(false),
                _ => return None,
            }
        }
        let char_sign = (bits == Some(8)).then_some(model.signed_char);
        let bits = match longs {
            0 => bits.unwrap_or(32),
            1 => model.long,
            _ => 64,
        };
        any.then(|| Scalar::Int(Int::new(bits, signed.or(char_sign).unwrap_or(true))))
    }

    /// The integer type that has its values: 0 and 1, numbers, or addresses. None for floating types.
    pub fn int(self, model: &Model) -> Option<Int> {
        match self {
            Scalar::Bool => Some(Int::new(1, false)),
            Scalar::Int(int) => Some(int),
            Scalar::Pointer => Some(Int::new(model.pointer, false)),
            Scalar::Float(_) => None,
        }
    }

    /// Its size in bytes. None for floating types, which differ, and for bit-fields.
    pub fn size(self, model: &Model) -> Option<u64> {
        match self {
            Scalar::Bool => Some(1),
            Scalar::Int(int) => (int.bits % 8 == 0).then_some(u64::from(int.bits / 8)),
            Scalar::Pointer => Some(u64::from(model.pointer / 8)),
            Scalar::Float(_) => None,
        }
    }

    /// What it becomes as an operand: small integers are `int`.
    pub fn promoted(self) -> Scalar {
        match self {
            Scalar::Bool => Scalar::INT,
            // A type without a sign that is as wide as `int` does not fit it.
            Scalar::Int(int) if int.bits < 32 || int == Int::INT => Scalar::INT,
            other => other,
        }
    }

    /// Whether a conversion to the other type changes no value.
    pub fn fits(self, to: Scalar, model: &Model) -> bool {
        match (self, to) {
            (a, b) if a == b => true,
            (Scalar::Bool, Scalar::Int(_)) => true,
            (Scalar::Int(a), Scalar::Int(b)) => match (a.signed, b.signed) {
                (false, true) => a.bits < b.bits,
                (true, false) => false,
                _ => a.bits <= b.bits,
            },
            // Two doubles side by side have other limits.
            (Scalar::Float(a), Scalar::Float(b)) => a <= b && b != 106,
            (Scalar::Int(a), Scalar::Pointer) => !a.signed && a.bits <= model.pointer,
            (Scalar::Pointer, Scalar::Int(b)) => !b.signed && b.bits >= model.pointer,
            _ => false,
        }
    }
}

/// The bits of the numbers of a floating type, by its name.
fn float_bits(name: &str) -> Option<u8> {
    Some(match name {
        "_Float16" => 16,
        "float" | "_Float32" => 32,
        "double" | "_Float32x" | "_Float64" => 64,
        "_Float64x" | "__float80" => 80,
        "__ibm128" => 106,
        "_Float128" | "__float128" => 128,
        _ => return None,
    })
}

/// The type in which two arithmetic operands meet (the usual arithmetic conversions); none if one of them
/// is a pointer.
pub fn usual(a: Scalar, b: Scalar) -> Option<Scalar> {
    Some(match (a.promoted(), b.promoted()) {
        (Scalar::Pointer, _) | (_, Scalar::Pointer) => return None,
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(a.max(b)),
        (Scalar::Float(a), _) | (_, Scalar::Float(a)) => Scalar::Float(a),
        (Scalar::Int(a), Scalar::Int(b)) => {
            let (wide, other) = if a.bits >= b.bits { (a, b) } else { (b, a) };
            // At equal width, what has no sign wins.
            let signed = wide.signed && (other.signed || other.bits < wide.bits);
            Scalar::Int(Int::new(wide.bits, signed))
        }
        // Promotion leaves no `_Bool`.
        (Scalar::Bool, other) | (other, Scalar::Bool) => other,
    })
}
