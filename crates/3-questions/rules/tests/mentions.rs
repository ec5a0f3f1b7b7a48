//! What a rule speaks of, and whether it can be broken without.

use rules::parse;

/// Whether the rule can be broken where these functions are the only ones that are called.
fn breakable(rule: &str, called: &[&str]) -> bool {
    let rule = &parse(rule).expect("a rule")[0];
    let there = |m: &&rules::Mentioned| called.iter().any(|f| m.is_about(f));
    let all = rule.mentioned();
    let absent: Vec<u32> = all.iter().filter(|m| !there(m)).map(|m| m.atom).collect();
    rule.can_break_without(&absent)
}

#[test]
fn a_rule_without_its_events_cannot_be_broken() {
    let twice = "rule r { never { call(lock); !call(unlock)[*]; call(lock) } message \"m\" }";
    assert!(breakable(twice, &["lock", "unlock"]));
    assert!(breakable(twice, &["lock"]));
    assert!(!breakable(twice, &["unlock"]));
    assert!(!breakable(twice, &[]));
    let several = "rule r { event take = call(lock) || call(*_lock|grab) \
                   never { take; call(stop) } message \"m\" }";
    for taken in ["lock", "spin_lock", "grab"] {
        assert!(breakable(several, &[taken, "stop"]), "{taken}");
    }
    assert!(!breakable(several, &["stop", "locks"]));
    // What is no call may happen in any program.
    let uses =
        "rule r(p: value) { event gone = arg(free, 1, p) never { gone; use(p) } message \"m\" }";
    assert!(breakable(uses, &["free"]) && !breakable(uses, &["malloc"]));
    let either = "rule r(p: value) { event gone = arg(free, 1, p) || lost(p) never { gone; use(p) } \
                  message \"m\" }";
    assert!(breakable(either, &[]));
    let counts = "rule r(v: value) { event save = arg(save, 1, v) event drop = arg(drop, 1, v) automaton { \
                  count saves 4 up on save down on drop; start -> live on result(*, v); \
                  live -> error on lost(v) when saves > 0; } message \"m\" }";
    assert!(breakable(counts, &["make", "save"]) && !breakable(counts, &["make", "drop"]));
}
