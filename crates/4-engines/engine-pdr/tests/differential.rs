//! Against the reference on generated programs, recursion included: verdicts, sets of states,
//! nodes reached; every trace is replayed and every certificate checked.

use engine_explicit::Explicit;
use engine_pdr::Pdr;
use testkit::engines::{self, agrees_with};

#[test]
fn pdr_agrees_with_the_reference() {
    agrees_with(&Pdr, &Explicit::default(), 0..250);
}

/// The long run: `-- --ignored ten`, other seeds by `POSTBOP_SEEDS=from-to`.
#[test]
#[ignore = "takes many minutes"]
fn ten_thousand_programs() {
    let seeds = engines::seeds(1_000..11_000);
    agrees_with(&Pdr, &Explicit::default(), seeds);
}

/// Which programs take long: `-- --ignored --nocapture slow`, seeds from `POSTBOP_SEEDS=from-to`.
#[test]
#[ignore = "for measuring"]
#[allow(clippy::print_stderr)]
fn slow_programs() {
    eprint!("{}", engines::slow_programs(&Pdr, engines::seeds(0..200)));
}
