//! From what was seen at the check points to labels whose reachability is known.

use super::{Event, Program, Run};
use crate::rng::Rng;

/// A comparison of an expression of a point with a constant.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// Which expression.
    expr: usize,
    op: Op,
    /// The constant: an integer, or the bits of a double.
    value: i64,
    /// Whether the comparison is wrong if this is right.
    negated: bool,
    /// Which spelling the constant has.
    spelling: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Op {
    const ALL: [Op; 6] = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge];

    fn text(self) -> &'static str {
        match self {
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
        }
    }

    fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Op::Eq => a == b,
            Op::Ne => a != b,
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Gt => a > b,
            Op::Ge => a >= b,
        }
    }
}

/// A label at a check point that stands where a condition is true.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The label.
    pub label: String,
    /// The check point.
    pub point: usize,
    /// Whether some run comes there.
    pub reached: bool,
    terms: Vec<Term>,
    /// How the condition is written.
    shape: usize,
}

/// Claims about the points of a program, given what was seen: most are true somewhere, some are not.
pub fn claims(program: &Program, runs: &[Run]) -> Vec<Claim> {
    let mut rng = Rng::new(program.seed ^ 0xc1a1);
    let mut out = Vec::new();
    for point in 0..program.points.len() {
        let mut seen: Vec<[i64; 3]> = Vec::new();
        for event in runs.iter().flat_map(|r| &r.events).filter(|e| e.point == point) {
            if !seen.contains(&event.values) {
                seen.push(event.values);
            }
        }
        let count = if program.points.len() < 6 { rng.between(1, 2) } else { 1 };
        for k in 0..count {
            let label = if k == 0 { format!("E{point}") } else { format!("F{point}") };
            let mut claim = about(program, point, &seen, &mut rng);
            claim.label = label;
            claim.reached = seen.iter().any(|values| claim.holds_of(program, values));
            out.push(claim);
        }
    }
    out
}

/// One claim.
fn about(program: &Program, point: usize, seen: &[[i64; 3]], rng: &mut Rng) -> Claim {
    let plain = seen.is_empty() || rng.chance(15);
    let mut terms = Vec::new();
    if !plain {
        let values = *rng.pick(seen);
        let exprs = &program.points[point];
        for (expr, watched) in exprs.iter().enumerate() {
            if expr > 0 && rng.chance(30) {
                continue;
            }
            let all: Vec<i64> = seen.iter().map(|v| v[expr]).collect();
            let near = match rng.below(10) {
                0..=6 => 0,
                7 => 1,
                _ => -1,
            };
            terms.push(if watched.float {
                float_term(expr, values[expr], rng)
            } else {
                int_term(expr, values[expr], near, &all, rng)
            });
        }
    }
    Claim { label: String::new(), point, reached: false, terms, shape: rng.below(16) }
}

fn int_term(expr: usize, seen: i64, near: i64, all: &[i64], rng: &mut Rng) -> Term {
    let value = seen.saturating_add(near);
    // The order of the expression's type is known where neither side is negative.
    let ordered = value >= 0 && all.iter().all(|v| *v >= 0);
    let (op, negated) = if near == 0 && rng.chance(60) || !ordered {
        (if near == 0 { Op::Eq } else { *rng.pick(&[Op::Eq, Op::Ne]) }, false)
    } else {
        (*rng.pick(&Op::ALL), false)
    };
    let term = Term { expr, op, value, negated, spelling: rng.below(12) };
    // Rather true of the values that were chosen; the opposite is, otherwise.
    if !op.holds(seen, value) && rng.chance(75) { Term { negated: true, ..term } } else { term }
}

fn float_term(expr: usize, seen: i64, rng: &mut Rng) -> Term {
    let number = f64::from_bits(seen as u64);
    let other = *rng.pick(&[0.0, 1.0, -1.0, 0.5, 3.0]);
    let value = if number.is_nan() || rng.chance(30) { other } else { number };
    let op = *rng.pick(&Op::ALL);
    let holds = op.holds(number, value);
    let negated = !holds && rng.chance(85);
    Term { expr, op, value: value.to_bits() as i64, negated, spelling: rng.below(12) }
}

impl Term {
    fn holds_of(&self, program: &Program, point: usize, values: &[i64; 3]) -> bool {
        let holds = if program.points[point][self.expr].float {
            self.op
                .holds(f64::from_bits(values[self.expr] as u64), f64::from_bits(self.value as u64))
        } else {
            self.op.holds(values[self.expr], self.value)
        };
        holds != self.negated
    }

    fn text(&self, program: &Program, point: usize) -> String {
        let watched = &program.points[point][self.expr];
        let simple = watched.text.chars().all(|c| c.is_ascii_alphanumeric() || "@_.[]".contains(c));
        let left = if simple { watched.text.clone() } else { format!("({})", watched.text) };
        let right = if watched.float { float_literal(self.value) } else { self.literal(self.op) };
        let op = self.op.text();
        match (self.negated, self.spelling % 3) {
            (true, _) => format!("!({left} {op} {right})"),
            (false, 0) if self.op == Op::Eq && self.value == 0 && !watched.float => {
                format!("!{left}")
            }
            (false, 1) if matches!(self.op, Op::Eq | Op::Ne) => format!("{right} {op} {left}"),
            (false, _) => format!("{left} {op} {right}"),
        }
    }

    /// An integer constant of that value, in one of many spellings that compare alike.
    fn literal(&self, op: Op) -> String {
        let v = self.value;
        if v == i64::MIN {
            return "(-9223372036854775807l - 1)".to_owned();
        }
        let small = (0..=127).contains(&v);
        let equal = matches!(op, Op::Eq | Op::Ne);
        match self.spelling {
            0 | 1 if small => format!("{v}u"),
            2 if v >= 0 => format!("0x{v:x}l"),
            // `@` is a mark, quotes and backslashes need one.
            3 if small && (32..127).contains(&v) && ![39, 64, 92].contains(&v) => {
                format!("'{}'", v as u8 as char)
            }
            4 if small && v > 0 => format!("sizeof(char[{v}])"),
            5 if small => format!("{v}.0"),
            6 if small => format!("(unsigned char){v}"),
            7 if small => format!("(char){v}"),
            8 if equal && (-128..128).contains(&v) => format!("({} - 3)", v + 3),
            9 if small => format!("0{v:o}"),
            _ => v.to_string(),
        }
    }
}

/// A double, exactly.
fn float_literal(bits: i64) -> String {
    let value = f64::from_bits(bits as u64);
    if value.is_infinite() {
        return if value > 0.0 { "__builtin_inf()".into() } else { "-__builtin_inf()".into() };
    }
    format!("{value:?}")
}

impl Claim {
    /// Whether the label is passed with these values at the point.
    pub fn holds_of(&self, program: &Program, values: &[i64; 3]) -> bool {
        self.terms.iter().all(|t| t.holds_of(program, self.point, values))
    }

    /// Whether a run passes the label.
    pub fn in_run(&self, program: &Program, events: &[Event]) -> bool {
        events.iter().any(|e| e.point == self.point && self.holds_of(program, &e.values))
    }

    /// The statement that stands for the claim.
    pub(crate) fn statement(&self, program: &Program) -> String {
        let e = &self.label;
        if self.terms.is_empty() {
            return format!("{e}: ;");
        }
        let texts: Vec<String> = self.terms.iter().map(|t| t.text(program, self.point)).collect();
        let all = texts.join(" && ");
        let only = (self.terms.len() == 1).then(|| self.terms[0]);
        let watched = |t: Term| &program.points[self.point][t.expr];
        match self.shape {
            0..=3 => format!("if ({all}) {{ {e}: ; }}"),
            4 => format!("if (!({all})) ; else {{ {e}: ; }}"),
            5 => {
                let ifs: String = texts.iter().map(|t| format!("if ({t}) ")).collect();
                format!("{ifs}{{ {e}: ; }}")
            }
            6 | 7 => match only {
                Some(t) if t.op == Op::Eq && !t.negated && !watched(t).float => {
                    let (x, v) = (&watched(t).text, t.value);
                    if v == i64::MIN {
                        return format!("if ({all}) {{ {e}: ; }}");
                    }
                    if self.shape == 6 {
                        format!("switch ({x}) {{ case {v}: {e}: ; }}")
                    } else {
                        format!("switch ({x}) {{ default: break; case {v}: {e}: ; break; }}")
                    }
                }
                _ => format!("if ({all}) {{ {e}: ; }} else ;"),
            },
            8 => format!("while ({all}) {{ {e}: ; break; }}"),
            9 => format!("do {{ if (!({all})) break; {e}: ; }} while (0);"),
            10 => format!("({all}) && ({{ {e}: ; 1; }});"),
            11 => format!("({all}) ? ({{ {e}: ; 1; }}) : 0;"),
            12 => format!("if ({all}) goto {e}; if (0) {{ {e}: ; }}"),
            13 => format!("{{ _Bool t = {all}; if (t) {{ {e}: ; }} }}"),
            14 => format!("{{ int t = ({all}) - 1; if (!t) {{ {e}: ; }} }}"),
            _ => format!("if ({all}) {{ if ({all}) {{ {e}: ; }} }}"),
        }
    }
}
