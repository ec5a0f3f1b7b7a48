//! Parity games: `bop gen game`. Families on which algorithms take long, and games at random.

use crate::Random;
use std::io::{self, Write};

/// Which games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameKind {
    /// The core of the worst cases of recursive algorithms (Benerecetti, Dell'Erba, Mogavero 2017).
    Core,
    /// The same, where decomposition into components does not help.
    Robust,
    /// Priority promotion that is delayed (the same authors).
    Delayed,
    /// Priority promotion.
    Promotion,
    /// Two counters that hinder each other (van Dijk 2019): attractors of any kind.
    TwoCounters,
    /// Progress measures of quasi-polynomial size (Fearnley and others 2017).
    Measures,
    /// Recovery of regions (van Dijk 2018).
    Recovery,
    /// Tangles that distract.
    Distraction,
    /// Every vertex has a move to every other one, and a priority of its own.
    Clique,
    /// A ladder of two priorities.
    Ladder,
    /// A ladder on which the recursion of Zielonka's algorithm branches (Friedmann 2011).
    RecursiveLadder,
    /// The lower bound of small progress measures (Jurdziński 2000), as wide as it is high.
    Jurdzinski,
    /// As many vertices as said, up to three moves each, any priorities.
    Random,
}

/// A parity game in PGSolver's format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParityGame {
    /// The family.
    pub kind: GameKind,
    /// Which member, at least 1: larger ones are harder.
    pub size: u32,
    /// Players and parities exchange their roles.
    pub dual: bool,
    /// Different seeds give different random games.
    pub seed: u64,
}

/// Vertices: priority, owner, moves.
#[derive(Default)]
struct Vertices(Vec<(u32, bool, Vec<u32>)>);

impl Vertices {
    /// Makes room for `n` vertices, to be told by number.
    fn room(n: u32) -> Vertices {
        Vertices(vec![(0, false, Vec::new()); n as usize])
    }

    /// A vertex by number: its priority, whether it is the player *odd*'s, and its moves.
    fn set(&mut self, v: u32, priority: u32, odd: bool, moves: &[u32]) {
        let vertex = &mut self.0[v as usize];
        (vertex.0, vertex.1) = (priority, odd);
        vertex.2.extend_from_slice(moves);
    }

    fn edge(&mut self, from: u32, to: u32) {
        self.0[from as usize].2.push(to);
    }
}

fn odd(n: u32) -> bool {
    n % 2 == 1
}

impl ParityGame {
    /// Writes the game.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let n = self.size;
        if self.kind == GameKind::Random {
            return self.random(out);
        }
        let vertices = match self.kind {
            GameKind::Core => core(2 * n),
            GameKind::Robust => robust(2 * n),
            GameKind::Delayed => delayed(n),
            GameKind::Promotion => promotion(n),
            GameKind::TwoCounters => TwoCounters::new(n).game(),
            GameKind::Measures => measures(n),
            GameKind::Recovery => recovery(n),
            GameKind::Distraction => distraction(n),
            GameKind::Clique => clique(n),
            GameKind::RecursiveLadder => recursive_ladder(n),
            GameKind::Jurdzinski => jurdzinski(n, n),
            _ => ladder(n),
        };
        writeln!(out, "parity {};", vertices.0.len().saturating_sub(1))?;
        for (v, (priority, owner, moves)) in vertices.0.iter().enumerate() {
            self.vertex(v as u32, *priority, *owner, moves, out)?;
        }
        Ok(())
    }

    fn vertex(
        &self,
        v: u32,
        priority: u32,
        odd: bool,
        moves: &[u32],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let dual = u32::from(self.dual);
        write!(out, "{v} {} {} ", priority + dual, u32::from(odd) ^ dual)?;
        for (i, to) in moves.iter().enumerate() {
            write!(out, "{}{to}", if i > 0 { "," } else { "" })?;
        }
        out.write_all(b";\n")
    }

    fn random(&self, out: &mut dyn Write) -> io::Result<()> {
        let n = self.size;
        let mut random = Random(self.seed);
        writeln!(out, "parity {};", n - 1)?;
        let mut moves = Vec::new();
        for v in 0..n {
            moves.clear();
            for _ in 0..1 + random.below(3) {
                moves.push(random.below(n));
            }
            let (priority, owner) = (random.below(n), random.below(2) == 1);
            self.vertex(v, priority, owner, &moves, out)?;
        }
        Ok(())
    }
}

fn core(n: u32) -> Vertices {
    let mut game = Vertices::room(3 * n + 3);
    core_in(n, &mut game);
    game
}

/// Pieces of three vertices, a chain in both directions.
fn core_in(n: u32, game: &mut Vertices) {
    for i in 0..=n {
        let at = 3 * i;
        game.set(at, n + 1 + i, odd(i), &[at + 1]);
        game.set(at + 1, i, odd(i), &[at + 2]);
        game.set(at + 2, i, !odd(i), &[at + 1, at + 2]);
    }
    for i in 0..n {
        game.edge(3 * i + 2, 3 * i + 3);
        game.edge(3 * i + 4, 3 * i);
    }
}

/// The core, with ways between all pieces: one vertex for pieces of one parity, two for others.
fn robust(n: u32) -> Vertices {
    let mut game = Vertices::room(3 * n + 3);
    core_in(n, &mut game);
    for i in 0..=n {
        for j in i + 1..=n {
            let (a, b, next) = (3 * i + 2, 3 * j + 2, game.0.len() as u32);
            if odd(i) == odd(j) {
                game.0.push((0, odd(i), vec![a, b]));
                game.edge(a, next);
                game.edge(b, next);
            } else {
                game.0.push((0, odd(i), vec![a, next + 1]));
                game.0.push((0, odd(j), vec![next, b]));
                game.edge(a, next);
                game.edge(b, next + 1);
            }
        }
    }
    game
}

fn delayed(n: u32) -> Vertices {
    let mut game = Vertices::room(4 * n + 4);
    for i in 0..=n {
        let at = 4 * i;
        game.set(at, i, !odd(i), &[at + 1]);
        game.set(at + 1, i, !odd(i), &[at, at + 2]);
        game.set(at + 2, i, odd(i), &[at + 1]);
        game.set(at + 3, i + 3, odd(i), &[at + 2]);
    }
    for i in 0..n {
        game.edge(4 * i + 6, 4 * i + 3);
        game.edge(4 * i + 1, 4 * i + 7);
    }
    game
}

fn promotion(n: u32) -> Vertices {
    let mut game = Vertices::room(3 * n + 3);
    for i in 0..=n {
        let at = 3 * i;
        let low = u32::from(!odd(i));
        game.set(at, i + 2, odd(i), &[at + 1]);
        game.set(at + 1, low, odd(i), &[at + 2]);
        game.set(at + 2, low, !odd(i), &[at + 1]);
    }
    for i in 0..n {
        game.edge(3 * i, 3 * i + 3);
        game.edge(3 * i + 1, 3 * i + 3);
        game.edge(3 * i + 5, 3 * i + 2);
    }
    game
}

fn measures(n: u32) -> Vertices {
    let mut game = Vertices::room(2 * n);
    for i in 1..=2 * n {
        let mut moves = Vec::new();
        if !odd(i) {
            moves.push(0);
        }
        if i < 2 * n {
            moves.push(i);
        }
        game.set(i - 1, i, false, &moves);
    }
    game
}

fn recovery(n: u32) -> Vertices {
    let mut game = Vertices::room(4 * n);
    for i in 0..n {
        let (at, owner) = (4 * i, odd(n + i));
        let next = if i + 1 == n { 0 } else { at + 4 };
        game.set(at, n - 1 - i, owner, &[at + 1, at + 2]);
        game.set(at + 1, n - 1 - i, owner, &[at, at + 3]);
        game.set(at + 2, n + 1 + i, owner, &[at + 3, next]);
        game.set(at + 3, n + 1 + i, owner, &[at + 2, next + 1]);
    }
    game
}

fn distraction(n: u32) -> Vertices {
    let mut game = Vertices::room(5 * n + 1);
    game.set(0, 0, true, &[0]);
    for i in 0..n {
        let (at, high) = (5 * i + 1, 2 * (n + i + 1));
        game.edge(0, at);
        game.set(at, 2 * (n - i), false, &[0, at + 1]);
        game.set(at + 1, high, false, &[at + 2]);
        game.set(at + 2, 1, true, &[at + 3]);
        game.set(at + 3, 1, false, &[at + 2, at + 4]);
        game.set(at + 4, high + 1, false, &[at]);
    }
    game
}

fn clique(n: u32) -> Vertices {
    let mut game = Vertices::room(n);
    for v in 0..n {
        let moves: Vec<u32> = (0..n).filter(|&to| to != v || n == 1).collect();
        game.set(v, v, odd(v), &moves);
    }
    game
}

fn ladder(n: u32) -> Vertices {
    let mut game = Vertices::room(2 * n);
    for v in 0..2 * n {
        game.set(v, v % 2, odd(v), &[(v + 1) % (2 * n), (v + 2) % (2 * n)]);
    }
    game
}

/// Rungs of five vertices; the first two of the first and the last three of the last are left out.
fn recursive_ladder(n: u32) -> Vertices {
    let mut game = Vertices::room(5 * n);
    for i in 0..=n {
        let (first, last) = (i == 0, i == n);
        // Vertex j of the rung is 5 i + j − 2.
        let at = |j: u32| 5 * i + j - 2;
        let (high, own) = (3 * (i + 1) + 2, odd(i));
        let low = u32::from(!own);
        if !first {
            game.set(at(0), low, !own, &[5 * i - 4, at(1)]);
            game.set(at(1), low, own, &[at(0)]);
            if !last {
                game.edge(at(1), at(2));
            }
        }
        if !last {
            game.set(at(2), high, !own, &[at(6), at(3)]);
            game.set(at(3), high - 1, own, &[]);
            if !first {
                game.edge(at(3), 5 * i - 4);
            }
            if i + 1 < n {
                game.edge(at(3), at(8));
            }
            game.edge(at(3), at(4));
            game.set(at(4), high - 2, !own, &[at(3), at(6)]);
        }
    }
    game
}

/// Floors of vertices on the left and on the right of each column; on the ground floor, even decides
/// on which floor to go on.
fn jurdzinski(height: u32, width: u32) -> Vertices {
    // On each floor: `width + 1` on the left, `width` on the right, and above the left ones.
    let floor = 3 * width + 2;
    let left = |h: u32, w: u32| floor * h + w;
    let right = |h: u32, w: u32| floor * h + width + 1 + w;
    let above = |h: u32, w: u32| floor * h + 2 * width + 1 + w;
    let mut game = Vertices::room(floor * height.max(1));
    for h in 0..height.max(1) {
        for w in 0..=width {
            let mut moves = Vec::new();
            if w > 0 {
                moves.push(right(h, w - 1));
            }
            if w < width {
                if h > 0 {
                    moves.push(above(h, w));
                }
                moves.push(right(h, w));
            }
            game.set(left(h, w), 2 * h, true, &moves);
            // Those of the ground floor, and the last ones, are never entered.
            let to = if w < width { right(h, w) } else { left(h, w) };
            game.set(above(h, w), 2 * h + 1, false, &[to]);
        }
        for w in 0..width {
            let mut moves = vec![left(h, w), left(h, w + 1)];
            match h {
                0 => moves.extend((1..height).map(|other| right(other, w))),
                _ => moves.push(right(0, w)),
            }
            game.set(right(h, w), 2 * h, false, &moves);
        }
    }
    game
}

/// Two counters of `n` bits, each of which sets the other one back.
struct TwoCounters {
    n: u32,
    /// The first vertex of each bit of either counter.
    bits: [Vec<u32>; 2],
    size: u32,
}

impl TwoCounters {
    fn new(n: u32) -> TwoCounters {
        let mut bits = [Vec::new(), Vec::new()];
        let mut size = 0;
        for i in 0..n {
            for counter in &mut bits {
                counter.push(size);
                size += 4 + 3 * i;
            }
        }
        TwoCounters { n, bits, size }
    }

    fn game(&self) -> Vertices {
        let n = self.n;
        let mut game = Vertices::room(self.size);
        let mut top = (n + 3) * n + 6 * n;
        for i in 0..n {
            self.bit(&mut game, i, false, (top - 2, top - 2 * n - 3, 2));
            self.bit(&mut game, i, true, (top - 1, top - 2 * n - 2, 1));
            top -= 2;
        }
        game
    }

    /// The gate of a bit, where it is set.
    fn gate(&self, of_odd: bool, i: u32) -> u32 {
        self.bits[usize::from(of_odd)][i as usize] + 2
    }

    fn bit(&self, game: &mut Vertices, i: u32, owner: bool, (high, gate, low): (u32, u32, u32)) {
        let at = self.bits[usize::from(owner)][i as usize];
        let before = (i + self.n - 1) % self.n;
        game.set(at, high, owner, &[self.gate(owner, before)]);
        game.set(at + 1, low, !owner, &[at, at + 3]);
        game.set(at + 2, gate, !owner, &[at + 1]);
        // Selectors of higher bits, with an exit to either counter.
        for j in 0..i {
            let d = at + 3 + 3 * j;
            game.set(d, low - 1, owner, &[d + 1, d + 2]);
            game.set(d + 1, low - 1, !owner, &[d + 3, self.gate(owner, j)]);
            game.set(d + 2, low - 1, !owner, &[d + 3, self.gate(!owner, j)]);
        }
        let last = at + 3 + 3 * i;
        game.set(last, low - 1, owner, &[at + 1]);
        for j in i + u32::from(!owner)..self.n {
            game.edge(last, self.gate(!owner, j));
        }
    }
}
