//! Automata as pictures: SVG that needs no other program.
//!
//! States stand in columns by their distance from the first one; edges that go on are curves, those back or in a
//! column bend below, and a state's edges to itself are loops above it. Edges with the same ends are one.

use super::book::escaped;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A finite automaton; the first state is initial.
#[derive(Clone, Debug, Default)]
pub struct Picture<'a> {
    /// Whether it is an end, for each state.
    pub states: Vec<bool>,
    /// From, what is read, to.
    pub edges: Vec<(u32, &'a str, u32)>,
}

/// More states or edges than this are no picture.
const MOST: usize = 60;
/// Labels of one edge beyond this are counted.
const LABELS: usize = 4;
/// Labels are cut here.
const LONGEST: usize = 28;
const RADIUS: i32 = 16;

/// The automaton as SVG.
pub fn picture(of: &Picture<'_>) -> String {
    let n = of.states.len();
    if n == 0 {
        return "<p>no state</p>".to_owned();
    }
    if n > MOST || of.edges.len() > 4 * MOST {
        return format!("<p>{n} states: too many for a picture</p>");
    }
    let mut together: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for &(from, label, to) in of.edges.iter().filter(|e| (e.0.max(e.2) as usize) < n) {
        together.entry((from as usize, to as usize)).or_default().push(label);
    }
    let labels = |all: &Vec<&str>| -> Vec<String> {
        let mut out: Vec<String> = all.iter().take(LABELS).map(|l| cut(l)).collect();
        if all.len() > LABELS {
            out.push(format!("… {} more", all.len() - LABELS));
        }
        out
    };
    let columns = columns(n, together.keys());
    let widest = together.values().flat_map(labels).map(|l| l.chars().count()).max().unwrap_or(0);
    let step = (widest as i32 * 8 + 4 * RADIUS).max(110);
    let tallest = together.values().map(|l| labels(l).len()).max().unwrap_or(1) as i32;
    let row = (90 + 15 * tallest).max(100);
    let mut next = vec![0; n + 1];
    let at: Vec<(i32, i32)> = (0..n)
        .map(|s| {
            let y = next[columns[s]];
            next[columns[s]] += 1;
            (30 + RADIUS + columns[s] as i32 * step, 30 + 15 * tallest + RADIUS + y * row)
        })
        .collect();
    let (width, height) = at.iter().fold((0, 0), |(w, h), &(x, y)| (w.max(x), h.max(y)));
    let (width, height) = (width + step.min(160) / 2 + 40, height + row);
    let mut out = String::new();
    let count = format!("an automaton with {n} state{}", if n == 1 { "" } else { "s" });
    let _ = write!(
        out,
        "<svg role=\"img\" aria-label=\"{count}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    );
    let start = at[0];
    arrow(&mut out, (start.0 - RADIUS - 26, start.1), None, (start.0 - RADIUS - 2, start.1));
    for (&(from, to), all) in &together {
        edge(&mut out, at[from], at[to], &labels(all));
    }
    for (s, &(x, y)) in at.iter().enumerate() {
        let _ = write!(
            out,
            "<g class=\"state state-{s}\"><circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\"/>"
        );
        if of.states[s] {
            let inner = RADIUS - 4;
            let _ = write!(out, "<circle class=\"end\" cx=\"{x}\" cy=\"{y}\" r=\"{inner}\"/>");
        }
        let _ =
            write!(out, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{s}</text></g>", y + 4);
    }
    out + "</svg>"
}

fn cut(label: &str) -> String {
    let mut out: String = label.chars().take(LONGEST).collect();
    if label.chars().count() > LONGEST {
        out.push('…');
    }
    out
}

/// The distance of each state from the first one; what is not reached stands last.
fn columns<'a>(n: usize, edges: impl Iterator<Item = &'a (usize, usize)> + Clone) -> Vec<usize> {
    let mut out = vec![usize::MAX; n];
    out[0] = 0;
    let mut layer = vec![0];
    let mut distance = 0;
    while !layer.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for &(from, to) in edges.clone() {
            if layer.contains(&from) && out[to] == usize::MAX {
                out[to] = distance;
                next.push(to);
            }
        }
        layer = next;
    }
    let last = out.iter().filter(|c| **c != usize::MAX).max().copied().unwrap_or(0) + 1;
    out.iter().map(|&c| if c == usize::MAX { last } else { c }).collect()
}

type Spot = (i32, i32);

/// An edge with its labels.
fn edge(out: &mut String, from: Spot, to: Spot, labels: &[String]) {
    let text = |out: &mut String, x: i32, y: i32| {
        for (i, label) in labels.iter().enumerate() {
            let y = y + 15 * i as i32;
            let label = escaped(label);
            let _ = write!(
                out,
                "<text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>"
            );
        }
    };
    let above = 15 * (labels.len() as i32 - 1);
    if from == to {
        let (x, y) = (from.0, from.1 - RADIUS);
        let _ = write!(
            out,
            "<path d=\"M{} {} C{} {} {} {} {} {}\"/>",
            x - 7,
            y + 2,
            x - 24,
            y - 34,
            x + 24,
            y - 34,
            x + 7,
            y + 2
        );
        tip(out, (x + 14, y - 14), (x + 8, y + 1));
        text(out, x, y - 32 - above);
        return;
    }
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let length = dx.hypot(dy).max(1.0);
    let on = to.0 > from.0;
    // Edges that go on are nearly straight, others bend away.
    let bend = if on { dy.abs().min(20.0) * 0.2 + 8.0 } else { 46.0 };
    let (nx, ny) = (-dy / length * bend, dx / length * bend);
    let (mx, my) = (
        f64::from(from.0 + to.0) / 2.0 - if on { nx } else { -nx.abs() },
        f64::from(from.1 + to.1) / 2.0 - if on { ny } else { -ny.abs() - 20.0 },
    );
    let middle = (mx as i32, my as i32);
    let end = towards(to, middle);
    arrow(out, towards(from, middle), Some(middle), end);
    let (x, y) = ((from.0 + 2 * middle.0 + to.0) / 4, (from.1 + 2 * middle.1 + to.1) / 4);
    text(out, x, if on { y - 5 - above } else { y + 14 });
}

/// The point on a state's circle in the direction of another point.
fn towards(state: Spot, other: Spot) -> Spot {
    let (dx, dy) = (f64::from(other.0 - state.0), f64::from(other.1 - state.1));
    let length = dx.hypot(dy).max(1.0);
    let r = f64::from(RADIUS + 2);
    (state.0 + (dx / length * r) as i32, state.1 + (dy / length * r) as i32)
}

fn arrow(out: &mut String, from: Spot, by: Option<Spot>, to: Spot) {
    let before = by.unwrap_or(from);
    let _ = match by {
        Some(by) => {
            write!(out, "<path d=\"M{} {} Q{} {} {} {}\"/>", from.0, from.1, by.0, by.1, to.0, to.1)
        }
        None => write!(out, "<path d=\"M{} {} L{} {}\"/>", from.0, from.1, to.0, to.1),
    };
    tip(out, before, to);
}

/// The head of an arrow that comes from somewhere.
fn tip(out: &mut String, before: Spot, to: Spot) {
    let (dx, dy) = (f64::from(to.0 - before.0), f64::from(to.1 - before.1));
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (x, y) = (f64::from(to.0), f64::from(to.1));
    let corner = |side: f64| (x - 8.0 * ux + side * 4.0 * uy, y - 8.0 * uy - side * 4.0 * ux);
    let (a, b) = (corner(1.0), corner(-1.0));
    let _ = write!(
        out,
        "<path class=\"tip\" d=\"M{x:.0} {y:.0} L{:.1} {:.1} L{:.1} {:.1} Z\"/>",
        a.0, a.1, b.0, b.1
    );
}
