//! Static analyses as formulas, for [`annotate`](crate::annotate): fixpoints with a parameter of
//! sort `Var` over the labels of [pbes §3.1].
//!
//! Labels: `BOOL !v` (a condition reads `v`), `ASSIGN !v !w` (`v` is assigned from `w`), `ASSIGN !v`
//! (from nothing: `v` is killed), `ASSERT !v`; all others change nothing.

/// No step that assigns to `v`.
const KEEPS: &str = "not ({ASSIGN !v ?z:Var} or {ASSIGN !v})";

/// IA1 of [pbes §3.2]: the variables that decide which code is reached.
pub fn ia1() -> String {
    influence("")
}

/// IA2, and IA3, which differs in the transition system only: those that assertions depend on,
/// too.
pub fn ia2() -> String {
    influence("< {ASSERT !v} > true or ")
}

/// IA4: those that the variables of a temporal property depend on, too. These variables themselves
/// count everywhere: add them to the result.
pub fn ia4(property: &[&str]) -> String {
    let assigned = |w: &&str| format!("< {{ASSIGN !{w} !v}} > true or ");
    influence(&property.iter().map(assigned).collect::<String>())
}

fn influence(more: &str) -> String {
    format!(
        "mu Y (v:Var := x) . (< {{BOOL !v}} > true or {more}< {{ASSIGN ?z:Var !v}} > Y (z) or \
         < {KEEPS} > Y (v))"
    )
}

/// Live variables: read on some way before they are assigned.
pub fn live() -> String {
    format!(
        "mu Y (v:Var := x) . (< {{BOOL !v}} or {{ASSERT !v}} or {{ASSIGN ?z:Var !v}} > true or \
         < {KEEPS} > Y (v))"
    )
}
