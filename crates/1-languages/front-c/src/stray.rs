//! Source text that is not UTF-8: strings of C are bytes, and a byte that is no character is kept as one that stands for it.

/// The character of byte 0; those of the others come behind it. Nobody writes them: they are private, at the very end.
const FIRST: u32 = 0x10_fe00;

/// Bytes as text.
pub fn text_of(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        let stray = |b: &u8| char::from_u32(FIRST + u32::from(*b));
        out.extend(chunk.invalid().iter().filter_map(stray));
    }
    out
}

/// The byte that a character stands for, if it stands for one.
pub fn stray_byte(c: char) -> Option<u8> {
    u32::from(c).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let bytes = b"a\xff\xc3\xa9\xc3(";
        let text = text_of(bytes);
        let mut back = Vec::new();
        for c in text.chars() {
            match stray_byte(c) {
                Some(byte) => back.push(byte),
                None => back.extend(c.to_string().bytes()),
            }
        }
        assert_eq!(back, bytes);
        assert_eq!(text.chars().count(), 5);
        assert!("aé€😀".chars().all(|c| stray_byte(c).is_none()));
    }
}
