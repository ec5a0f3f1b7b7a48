//! Which numbers functions return that return constants alone: `return n > 3 ? 0 : -1;`.

use c_types::Scalar;
use front_c::{Body, Call, Data, DataId, Event, Flow, Next, Reach, Skeleton};

/// The least and the greatest number that a call can give, if its functions return constants alone. WK8.
pub(crate) fn returned(s: &Skeleton, call: &Call) -> Option<(i64, i64)> {
    if call.open || call.targets.is_empty() {
        return None;
    }
    let mut out: Option<(i64, i64)> = None;
    for g in &call.targets {
        let body = s.body(*g)?;
        for point in ends(body) {
            let (low, high) = constants(s, body, body.points[point as usize].returned?, 5)?;
            out = Some(out.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
        }
    }
    out
}

/// The points at which a body returns that control can come to.
fn ends(body: &Body) -> Vec<u32> {
    let (mut todo, mut seen) = (vec![body.entry], vec![false; body.points.len()]);
    let mut out = Vec::new();
    while let Some(next) = todo.pop() {
        let Next::Point(p) = next else { continue };
        if std::mem::replace(&mut seen[p as usize], true) {
            continue;
        }
        match &body.points[p as usize].flow {
            Flow::Return => out.push(p),
            Flow::Next(next) => todo.push(*next),
            Flow::Branch(arms) => todo.extend(arms.iter().map(|a| a.next)),
            Flow::Call(call) => todo.push(call.next),
        }
    }
    out
}

/// The same of something that is computed: a number, one of two, or a variable that is assigned nothing else.
fn constants(s: &Skeleton, body: &Body, d: DataId, depth: u32) -> Option<(i64, i64)> {
    let join = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
    let depth = depth.checked_sub(1)?;
    match body.data[d as usize] {
        Data::Int(n) => Some((n, n)),
        // A conversion keeps a small number what it is.
        Data::Convert(Scalar::Int(_), a) => {
            constants(s, body, a, depth).filter(|(low, high)| *low >= 0 && *high <= 127)
        }
        // What fits into every signed type stays what it is there.
        Data::As(o, a) => constants(s, body, a, depth).filter(|(low, high)| {
            let signed = matches!(s.objects[o.index()].scalar, Some(Scalar::Int(k)) if k.signed);
            *low >= if signed { -128 } else { 0 } && *high <= 127
        }),
        Data::Minus(a) => {
            let (low, high) = constants(s, body, a, depth)?;
            Some((high.checked_neg()?, low.checked_neg()?))
        }
        Data::Conditional(_, a, b) => {
            Some(join(constants(s, body, a, depth)?, constants(s, body, b, depth)?))
        }
        Data::Object(o) => {
            let object = &s.objects[o.index()];
            let plain = object.reach == Reach::Var && object.automatic && !object.address_taken;
            if !plain || object.volatile || body.params.contains(&Some(o)) {
                return None;
            }
            let mut out: Option<(i64, i64)> = None;
            for point in &body.points {
                let mut events = point.events.iter().chain(&point.hidden);
                let told = point.values.iter().any(|(to, d)| *to == o && d.is_some());
                let open = events.any(|e| match *e {
                    Event::Copy(to, _) | Event::Assign(to) => to == o && !told,
                    Event::Modify(to) => to == o,
                    _ => false,
                });
                let given = matches!(&point.flow, Flow::Call(c) if c.result == Some(o));
                if open || given {
                    return None;
                }
                for (_, d) in point.values.iter().filter(|(to, _)| *to == o) {
                    let here = constants(s, body, (*d)?, depth)?;
                    out = Some(out.map_or(here, |old| join(old, here)));
                }
            }
            out
        }
        _ => None,
    }
}
