//! What a machine and its compiler decide about types.

/// A data model: widths that the standard leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Model {
    /// The bits of `long`.
    pub long: u8,
    /// The bits of a pointer, `size_t` and `ptrdiff_t`.
    pub pointer: u8,
    /// Whether plain `char` has a sign.
    pub signed_char: bool,
}

impl Model {
    /// 64 bits as on Linux and macOS, with the sign of `char` that x86 has.
    pub const LP64: Model = Model { long: 64, pointer: 64, signed_char: true };
    /// 32 bits, likewise.
    pub const ILP32: Model = Model { long: 32, pointer: 32, signed_char: true };
}

impl Default for Model {
    fn default() -> Model {
        Model::LP64
    }
}
