//! What the processes of a run know and nobody else does, and how they prove it.
//!
//! Challenge and response with HMAC-SHA-256: the secret itself is never sent. Each side draws a number
//! that was never used before; a proof is the keyed hash of both numbers, of the greeting, and of who
//! proves, so that no proof can be used a second time, elsewhere, or by the other side.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fmt;
use std::io;

/// A shared secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

/// The least bytes of a secret: shorter ones can be found by trying.
pub const LEAST_SECRET: usize = 16;

impl Secret {
    /// A secret of the user's; `None` if it is shorter than [`LEAST_SECRET`].
    pub fn new(bytes: impl Into<Vec<u8>>) -> Option<Secret> {
        let bytes = bytes.into();
        (bytes.len() >= LEAST_SECRET).then_some(Secret(bytes))
    }

    /// A secret for one run, from the system's source of randomness: 64 hexadecimal digits.
    pub fn random() -> io::Result<Secret> {
        let digits: String = drawn()?.iter().map(|b| format!("{b:02x}")).collect();
        Ok(Secret(digits.into_bytes()))
    }

    /// The bytes, to be handed to a process of the run.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn hash(&self, who: Who, said: &[&[u8]]) -> Hmac<Sha256> {
        // A key of any length is good: this does not fail.
        let mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.0);
        let mut mac = mac.unwrap_or_else(|_| <Hmac<Sha256> as Mac>::new(&Default::default()));
        mac.update(match who {
            Who::Caller => b"bop caller",
            Who::Listener => b"bop listen",
        });
        // All parts have fixed lengths: nothing can be moved from one to the next.
        said.iter().for_each(|part| mac.update(part));
        mac
    }

    /// The proof of one side, for what was said.
    pub(crate) fn proof(&self, who: Who, said: &[&[u8]]) -> [u8; PROOF] {
        self.hash(who, said).finalize().into_bytes().into()
    }

    /// Whether it is that proof; takes as long whether it is or not.
    pub(crate) fn accepts(&self, who: Who, said: &[&[u8]], proof: &[u8]) -> bool {
        self.hash(who, said).verify_slice(proof).is_ok()
    }
}

/// A secret is not shown.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The two sides of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    /// Who connects.
    Caller,
    /// Who is connected to.
    Listener,
}

/// Bytes of a proof.
pub(crate) const PROOF: usize = 32;
/// Bytes of a number that is used once.
pub(crate) const NONCE: usize = 32;

/// A number that was never used before.
pub(crate) fn drawn() -> io::Result<[u8; NONCE]> {
    let mut bytes = [0; NONCE];
    getrandom::fill(&mut bytes).map_err(|e| io::Error::other(e.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_of_one_secret_one_side_and_one_talk() {
        let secret = Secret::new("0123456789abcdef").unwrap();
        let said: [&[u8]; 2] = [b"greeting", b"number"];
        let proof = secret.proof(Who::Caller, &said);
        assert!(secret.accepts(Who::Caller, &said, &proof));
        assert!(!secret.accepts(Who::Listener, &said, &proof));
        assert!(!secret.accepts(Who::Caller, &[b"greeting", b"nombre"], &proof));
        assert!(!secret.accepts(Who::Caller, &said, &proof[1..]));
        assert!(!Secret::new("0123456789abcdeg").unwrap().accepts(Who::Caller, &said, &proof));
        for bit in 0..8 * PROOF {
            let mut other = proof;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!secret.accepts(Who::Caller, &said, &other));
        }
        assert_eq!(Secret::new("0123456789abcde"), None);
        assert_ne!(Secret::random().unwrap(), Secret::random().unwrap());
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
