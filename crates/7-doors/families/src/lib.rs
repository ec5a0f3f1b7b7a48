//! Families of programs with known answers, for benchmarks and tests (`bop gen`).
//!
//! ```
//! use families::Family;
//!
//! let mut text = Vec::new();
//! Family::Counter { bits: 3 }.write(&mut text).unwrap();
//! assert!(String::from_utf8(text).unwrap().contains("DONE"));
//! ```
//!
//! Each is written as it goes: the largest members are larger than one wants to hold as text. Not for
//! programs at random: those are `testkit`'s.

mod andor;
mod collector;
mod games;
mod inductive;

pub use andor::AndOr;
pub use collector::Collector;
use front_remopla::quicksort;
pub use games::{GameKind, ParityGame};
use std::io::{self, Write};

/// A member of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Family {
    /// T(N) of [bebop Fig. 4]: N levels, each called twice by the one above, four variables in
    /// scope. `reach` is reachable.
    BebopT {
        /// The number of levels, at least 1.
        levels: u32,
    },
    /// A counter of n bits runs from 0 to 2^n − 1. `DONE` is reachable, `BAD` is not, the
    /// assertion holds.
    Counter {
        /// The number of bits, at least 1.
        bits: u32,
    },
    /// `even` and `odd` call each other to find the parity of an n-bit number. `EVEN` and `ODD` are
    /// reachable, `WRONG` is not, the assertion holds.
    Parity {
        /// The number of bits, at least 1.
        bits: u32,
    },
    /// Two counters of n bits that move together. `APART` is reachable, and the assertion fails, if and
    /// only if there is a bug.
    Lockstep {
        /// The number of bits, at least 1.
        bits: u32,
        /// The second may stay where it is.
        bug: bool,
    },
    /// Two feedback shift registers of n bits that move together; likewise.
    Register {
        /// The number of bits, at least 3.
        bits: u32,
        /// What is fed to the second may be another bit.
        bug: bool,
    },
    /// A procedure that counts up in n bits, calls itself and counts down; likewise.
    Depth {
        /// The number of bits, at least 1.
        bits: u32,
        /// It may forget to count down.
        bug: bool,
    },
    /// Shallow programs with many variables in scope, in the shape of [sat Table 2].
    Wide(Wide),
    /// Quicksort in Remopla, after [moped Fig. 2].
    Quicksort(Quicksort),
    /// C in the style of SMV, in the setting of [c2edl Table 1].
    Collector(Collector),
    /// Random boolean equations.
    AndOr(AndOr),
    /// A parity game.
    Game(ParityGame),
}

/// Quicksort. With an array: `BAD` is reachable if and only if some array comes out unsorted, which
/// none does, and `F at(END)` holds unless it is faulty. Without one: does every run end?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quicksort {
    /// The bits of each integer, 1 to 32.
    pub bits: u32,
    /// The cells of the array, 1 to 2^bits.
    pub len: u32,
    /// As in the figure, where the two parts may be as large as the whole: it need not end.
    pub faulty: bool,
    /// Any element may be the pivot.
    pub random_pivot: bool,
    /// Without an array: comparisons are choices.
    pub no_array: bool,
}

/// A shallow program over many globals. Procedures update a few variables each; some variables come
/// in pairs that every procedure keeps equal, however far apart they are declared. `SLIC_ERROR` is
/// reachable if and only if `bug` is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wide {
    /// Global variables, at least 4.
    pub vars: u32,
    /// Procedures besides `main`, at least 1.
    pub procs: u32,
    /// How many of 100 assigned values are arbitrary.
    pub nondet: u32,
    /// Different seeds give different programs.
    pub seed: u64,
    /// One procedure forgets one half of a pair.
    pub bug: bool,
}

impl Family {
    /// Writes the program.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match *self {
            Family::BebopT { levels } => bebop_t(levels, out),
            Family::Counter { bits } => counter(bits, out),
            Family::Parity { bits } => parity(bits, out),
            Family::Lockstep { bits, bug } => inductive::lockstep(bits, bug, out),
            Family::Register { bits, bug } => inductive::register(bits, bug, out),
            Family::Depth { bits, bug } => inductive::depth(bits, bug, out),
            Family::Wide(wide) => wide.write(out),
            Family::Collector(collector) => collector.write(out),
            Family::AndOr(graph) => graph.write(out),
            Family::Game(game) => game.write(out),
            Family::Quicksort(Quicksort { bits, len, faulty, random_pivot, no_array }) => {
                let options = quicksort::Options { faulty, random_pivot, no_array };
                out.write_all(quicksort::quicksort(bits, len, options).as_bytes())
            }
        }
    }
}

/// As it is printed in the paper.
fn bebop_t(levels: u32, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(
        b"decl g;
void main()
begin
  level1();
  level1();
  if(!g) then
    reach: skip;
  else
    skip;
  fi
end
",
    )?;
    for i in 1..=levels {
        let stmt = if i < levels { format!("level{}()", i + 1) } else { "skip".to_owned() };
        write!(
            out,
            "
void level{i}()
begin
  decl a,b,c;
  if(g) then
    a,b,c := 0,0,0;
    while(!a|!b|!c) do
      if (!a) then
        a := 1;
      elsif (!b) then
        a,b := 0,1;
      elsif (!c) then
        a,b,c := 0,0,1;
      fi
    od
  else
    {stmt}; {stmt};
  fi
  g := !g;
end
"
        )?;
    }
    Ok(())
}

/// `x0, x1, …`, each through `each`.
fn list(n: u32, separator: &str, each: impl Fn(u32) -> String) -> String {
    (0..n).map(each).collect::<Vec<_>>().join(separator)
}

fn counter(bits: u32, out: &mut dyn Write) -> io::Result<()> {
    let all = list(bits, ", ", |i| format!("b{i}"));
    writeln!(out, "decl {all};\n\nvoid main() begin")?;
    writeln!(out, "  {all} := {};", list(bits, ", ", |_| "0".to_owned()))?;
    writeln!(out, "  while ({}) do", list(bits, " | ", |i| format!("!b{i}")))?;
    for i in 0..bits {
        let word = if i == 0 { "if" } else { "elsif" };
        writeln!(out, "    {word} (!b{i}) then")?;
        let targets = list(i + 1, ", ", |j| format!("b{j}"));
        let values = list(i + 1, ", ", |j| u32::from(j == i).to_string());
        writeln!(out, "      {targets} := {values};")?;
    }
    writeln!(out, "    else\n      BAD: skip;\n    fi\n  od")?;
    writeln!(out, "  DONE: assert({});\nend", list(bits, " & ", |i| format!("b{i}")))
}

fn parity(bits: u32, out: &mut dyn Write) -> io::Result<()> {
    let params = list(bits, ", ", |i| format!("x{i}"));
    for (name, other, at_zero) in [("even", "odd", 1), ("odd", "even", 0)] {
        writeln!(out, "bool {name}({params}) begin\n  decl r;")?;
        writeln!(out, "  if ({}) then", list(bits, " & ", |i| format!("!x{i}")))?;
        writeln!(out, "    return {at_zero};\n  fi")?;
        // x := x - 1
        for i in 0..bits {
            let word = if i == 0 { "if" } else { "elsif" };
            writeln!(out, "  {word} (x{i}) then")?;
            let targets = list(i + 1, ", ", |j| format!("x{j}"));
            let values = list(i + 1, ", ", |j| u32::from(j != i).to_string());
            writeln!(out, "    {targets} := {values};")?;
        }
        writeln!(out, "  fi\n  r := {other}({params});\n  return r;\nend\n")?;
    }
    let locals = list(bits, ", ", |i| format!("m{i}"));
    writeln!(out, "void main() begin\n  decl {locals}, r;\n  r := even({locals});")?;
    writeln!(out, "  assert(r = !m0);")?;
    writeln!(out, "  if (r) then\n    EVEN: skip;\n  else\n    ODD: skip;\n  fi")?;
    writeln!(out, "  if (r = m0) then\n    WRONG: skip;\n  fi\nend")
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n.max(1))) as u32
    }
    fn percent(&mut self, p: u32) -> bool {
        self.below(100) < p
    }
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }
}

/// Pairs and single variables that one procedure works on.
const WINDOW: usize = 4;
/// Calls go from one layer to the next.
const LAYERS: u32 = 3;

impl Wide {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut random = Random(self.seed);
        let mut order: Vec<u32> = (0..self.vars).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i as u32 + 1) as usize);
        }
        // One third of the variables are in pairs, the others stand alone.
        let pairs: Vec<(u32, u32)> =
            order.chunks_exact(2).take(order.len() / 6 + 1).map(|c| (c[0], c[1])).collect();
        let singles = &order[2 * pairs.len()..];

        let names: Vec<String> = (0..self.vars).map(|i| format!("v{i}")).collect();
        for chunk in names.chunks(16) {
            writeln!(out, "decl {};", chunk.join(", "))?;
        }
        writeln!(out, "\nvoid main() begin")?;
        for &(a, b) in &pairs {
            writeln!(out, "  v{a} := {};\n  v{b} := v{a};", self.constant(&mut random))?;
        }
        for &v in singles {
            if !random.percent(self.nondet) {
                writeln!(out, "  v{v} := {};", random.below(2))?;
            }
        }
        for i in self.layer(0) {
            let (a, b) = (random.below(self.vars), random.below(self.vars));
            match random.percent(30) {
                true => writeln!(out, "  while (*) do\n    p{i}(v{a}, v{b});\n  od")?,
                false => writeln!(out, "  p{i}(v{a}, v{b});")?,
            }
        }
        let differ: Vec<String> = pairs.iter().map(|(a, b)| format!("(v{a} != v{b})")).collect();
        writeln!(out, "  if ({}) then", differ.join(" | "))?;
        writeln!(out, "    SLIC_ERROR: skip;\n  fi\nend")?;

        for i in 0..self.procs {
            let window = Window {
                pairs: (0..WINDOW).map(|_| random.pick(&pairs)).collect(),
                singles: (0..WINDOW)
                    .map(|_| if singles.is_empty() { order[0] } else { random.pick(singles) })
                    .filter(|v| pairs.iter().all(|(a, b)| v != a && v != b))
                    .collect(),
            };
            self.proc(i, &window, &mut random, out)?;
        }
        Ok(())
    }

    /// The procedures of a layer; the last layers may be empty.
    fn layer(&self, layer: u32) -> std::ops::Range<u32> {
        let size = self.procs.div_ceil(LAYERS);
        (layer * size).min(self.procs)..((layer + 1) * size).min(self.procs)
    }

    fn constant(&self, random: &mut Random) -> String {
        match random.percent(self.nondet) {
            true => "*".to_owned(),
            false => random.below(2).to_string(),
        }
    }

    fn proc(
        &self,
        number: u32,
        window: &Window,
        random: &mut Random,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "\nvoid p{number}(a, b) begin\n  decl t, u;\n  t := a;\n  u := b;")?;
        let next = self.layer(number / self.procs.div_ceil(LAYERS) + 1);
        for _ in 0..6 {
            match random.below(10) {
                0..=3 => self.update_pair(window, random, out)?,
                4..=6 => {
                    let value = self.value(window, random);
                    match window.singles.is_empty() {
                        true => writeln!(out, "  u := {value};")?,
                        false => writeln!(out, "  v{} := {value};", random.pick(&window.singles))?,
                    }
                }
                7 => writeln!(out, "  t := {};", self.value(window, random))?,
                _ if !next.is_empty() => {
                    let callee = next.start + random.below(next.len() as u32);
                    let (x, y) = (self.value(window, random), self.value(window, random));
                    writeln!(out, "  p{callee}({x}, {y});")?;
                }
                _ => writeln!(out, "  u := !u;")?,
            }
        }
        // `main` calls the last procedure of the first layer last: nothing mends the pair again.
        if self.bug && number + 1 == self.layer(0).end {
            let (a, _) = window.pairs[0];
            writeln!(out, "  if (*) then\n    v{a} := !v{a};\n  fi")?;
        }
        writeln!(out, "end")
    }

    /// Both halves of a pair get the same value, one after the other or at once.
    fn update_pair(
        &self,
        window: &Window,
        random: &mut Random,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (a, b) = random.pick(&window.pairs);
        let value = self.value(window, random);
        match random.below(3) {
            0 => writeln!(out, "  t := {value};\n  v{a}, v{b} := t, t;"),
            1 => writeln!(out, "  v{a} := {value};\n  v{b} := v{a};"),
            _ => {
                let condition = self.literal(window, random);
                let (x, y) = random.pick(&window.pairs);
                writeln!(out, "  if ({condition}) then\n    v{a} := v{x};\n    v{b} := v{y};")?;
                writeln!(out, "  else\n    u := {value};\n  fi")
            }
        }
    }

    fn literal(&self, window: &Window, random: &mut Random) -> String {
        let sign = random.pick(&["", "!"]);
        match random.below(4) {
            0 => format!("{sign}t"),
            1 => format!("{sign}u"),
            2 => {
                let (a, b) = random.pick(&window.pairs);
                format!("{sign}v{}", random.pick(&[a, b]))
            }
            _ if window.singles.is_empty() => format!("{sign}t"),
            _ => format!("{sign}v{}", random.pick(&window.singles)),
        }
    }

    fn value(&self, window: &Window, random: &mut Random) -> String {
        if random.percent(self.nondet) {
            return "*".to_owned();
        }
        let (x, y) = (self.literal(window, random), self.literal(window, random));
        format!("{x} {} {y}", random.pick(&["&", "|", "^", "="]))
    }
}

struct Window {
    pairs: Vec<(u32, u32)>,
    singles: Vec<u32>,
}
