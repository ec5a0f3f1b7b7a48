//! Calls behind whose failure the program ends: `p = realloc(p, n); if (!p) die();`.
//!
//! What is lost by such a call is lost for a moment. A finding about it is true, and no C programmer wants to read it.

use crate::value::At;
use front_c::{Body, Call, Event as E, Flow, FuncId, Next, Relation, Skeleton};
use rustc_hash::FxHashSet;

/// So many functions deep is looked whether a call comes back.
const DEPTH: usize = 4;

/// Whether a point calls something whose result is tested, and every way on from where it is null ends the program before
/// the function returns.
pub fn gives_up(s: &Skeleton, at: At) -> bool {
    let body = &s.bodies[at.body as usize];
    let Flow::Call(call) = &body.points[at.point as usize].flow else { return false };
    let Some(result) = call.result.or(call.temporary) else { return false };
    let is_result = |e: &E| matches!(*e, E::Test(o, _, 0) if o == result);
    let is_null = |e: &E| matches!(*e, E::Test(o, Relation::Eq, 0) if o == result);
    let mut todo = vec![(call.next, false)];
    let mut seen = FxHashSet::default();
    let mut ended = false;
    while let Some((next, tested)) = todo.pop() {
        let Next::Point(p) = next else { continue };
        if !seen.insert((p, tested)) {
            continue;
        }
        let point = &body.points[p as usize];
        let again = point.events.contains(&E::Assign(result));
        if !tested && (again || p == at.point) {
            return false;
        }
        match &point.flow {
            Flow::Return => return false,
            Flow::Next(next) => todo.push((*next, tested)),
            Flow::Branch(arms) => {
                for arm in arms {
                    let mut tests = arm.events.iter().chain(&arm.hidden).filter(|e| is_result(e));
                    match tests.next() {
                        None => todo.push((arm.next, tested)),
                        Some(test) if is_null(test) => todo.push((arm.next, true)),
                        Some(_) => {}
                    }
                }
            }
            Flow::Call(call) if never_comes_back(s, call, DEPTH) => {
                if !tested {
                    return false;
                }
                ended = true;
            }
            Flow::Call(call) => todo.push((call.next, tested)),
        }
    }
    ended
}

fn never_comes_back(s: &Skeleton, call: &Call, depth: usize) -> bool {
    !call.open && !call.targets.is_empty() && call.targets.iter().all(|g| stays(s, *g, depth))
}

/// Whether a function never returns: it is said to, or no way through its body does.
fn stays(s: &Skeleton, f: FuncId, depth: usize) -> bool {
    if s.funcs[f.index()].noreturn {
        return true;
    }
    let Some(body) = s.body(f).filter(|_| depth > 0) else { return false };
    ends(s, body, depth - 1)
}

fn ends(s: &Skeleton, body: &Body, depth: usize) -> bool {
    let (mut todo, mut seen) = (vec![body.entry], FxHashSet::default());
    while let Some(next) = todo.pop() {
        let Next::Point(p) = next else { continue };
        if !seen.insert(p) {
            continue;
        }
        match &body.points[p as usize].flow {
            Flow::Return => return false,
            Flow::Next(next) => todo.push(*next),
            Flow::Branch(arms) => todo.extend(arms.iter().map(|a| a.next)),
            Flow::Call(call) if never_comes_back(s, call, depth) => {}
            Flow::Call(call) => todo.push(call.next),
        }
    }
    true
}
