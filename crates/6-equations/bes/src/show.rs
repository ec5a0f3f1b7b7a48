//! Data expressions as text, in both syntaxes.

use std::fmt::Write;

use crate::data::{Binary, Bound, Expr, Instr, Signature, Unary, Value, children, starts};

impl Expr {
    /// The text, in mCRL2's syntax; `names` are those of the slots.
    pub fn show(&self, signature: &Signature, names: &dyn Fn(u32) -> String) -> String {
        self.print(signature, names, &MCRL2)
    }

    /// The text, in CADP's syntax.
    pub fn show_cadp(&self, signature: &Signature, names: &dyn Fn(u32) -> String) -> String {
        self.print(signature, names, &CADP)
    }

    fn print(&self, signature: &Signature, names: &dyn Fn(u32) -> String, words: &Words) -> String {
        enum Task {
            /// The step, and the level below which it needs parentheses.
            Step(usize, u8),
            Text(&'static str),
            Own(String),
        }
        let code = &self.code;
        let starts = starts(code);
        let mut out = String::new();
        let mut tasks = vec![Task::Step(code.len() - 1, 0)];
        while let Some(task) = tasks.pop() {
            let (at, level) = match task {
                Task::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Task::Own(text) => {
                    out.push_str(&text);
                    continue;
                }
                Task::Step(at, level) => (at, level),
            };
            let list = children(code, &starts, at);
            let row = |tasks: &mut Vec<Task>, args: &[usize]| {
                for (i, &arg) in args.iter().enumerate().rev() {
                    tasks.push(Task::Step(arg, 0));
                    if i > 0 {
                        tasks.push(Task::Text(", "));
                    }
                }
            };
            let call = |tasks: &mut Vec<Task>, out: &mut String, name: &str, args: &[usize]| {
                out.push_str(name);
                if !args.is_empty() {
                    out.push('(');
                    tasks.push(Task::Text(")"));
                    row(tasks, args);
                }
            };
            match code[at] {
                Instr::Value(value @ Value::Int(n)) if n < 0 => {
                    _ = write!(out, "({})", signature.show(value));
                }
                Instr::Value(value) => out.push_str(&signature.show(value)),
                Instr::Slot(slot) => out.push_str(&names(slot)),
                Instr::Unary(op @ (Unary::Not | Unary::Negate | Unary::Size)) => {
                    if level > UNARY {
                        out.push('(');
                        tasks.push(Task::Text(")"));
                    }
                    out.push_str(match op {
                        Unary::Not => words.not,
                        Unary::Negate => "-",
                        _ => "#",
                    });
                    tasks.push(Task::Step(list[0], UNARY));
                }
                Instr::Unary(op) => call(&mut tasks, &mut out, unary_name(op), &list),
                Instr::Binary(op) => match level_of(op, words.cadp) {
                    None => call(&mut tasks, &mut out, binary_name(op), &list),
                    Some((mine, right)) => {
                        if level > mine {
                            out.push('(');
                            tasks.push(Task::Text(")"));
                        }
                        tasks.push(Task::Step(list[1], mine + u8::from(!right)));
                        tasks.push(Task::Text((words.binary)(op)));
                        tasks.push(Task::Step(list[0], mine + u8::from(right)));
                    }
                },
                Instr::If => call(&mut tasks, &mut out, "if", &list),
                Instr::Apply(function, _) => {
                    let name = &signature.functions[function as usize].name;
                    call(&mut tasks, &mut out, name, &list);
                }
                Instr::Construct(constructor, _) => {
                    let symbol = signature.constructors[constructor as usize].symbol;
                    call(&mut tasks, &mut out, signature.symbol_name(symbol), &list);
                }
                Instr::Project(name) | Instr::Recognise(name) => {
                    call(&mut tasks, &mut out, signature.symbol_name(name), &list);
                }
                Instr::List(_) => {
                    out.push('[');
                    tasks.push(Task::Text("]"));
                    row(&mut tasks, &list);
                }
                Instr::Set(_) => {
                    out.push('{');
                    tasks.push(Task::Text("}"));
                    row(&mut tasks, &list);
                }
                Instr::Bag(n) => {
                    out.push_str(if n == 0 { "{:" } else { "{" });
                    tasks.push(Task::Text("}"));
                    for (i, pair) in list.chunks(2).enumerate().rev() {
                        tasks.extend([Task::Step(pair[1], 0), Task::Text(": ")]);
                        tasks.push(Task::Step(pair[0], 0));
                        if i > 0 {
                            tasks.push(Task::Text(", "));
                        }
                    }
                }
                Instr::Call(_) => {
                    tasks.push(Task::Text(")"));
                    row(&mut tasks, &list[1..]);
                    tasks.extend([Task::Text("("), Task::Step(list[0], UNARY + 1)]);
                }
                Instr::Update => {
                    tasks.extend([Task::Text("]"), Task::Step(list[2], 0), Task::Text(" -> ")]);
                    tasks.extend([Task::Step(list[1], 0), Task::Text("[")]);
                    tasks.push(Task::Step(list[0], UNARY + 1));
                }
                Instr::Bind(kind, inner) => {
                    // Binders nest to a limit.
                    let text = bound(signature, kind, inner, names, words);
                    let inside = kind != Bound::SetOf && level > 0;
                    tasks.push(Task::Own(if inside { format!("({text})") } else { text }));
                }
                Instr::Where(inner, _) => {
                    let inner = &signature.inner[inner as usize];
                    out.push('(');
                    out.push_str(&inner.body.print(signature, names, words));
                    out.push_str(" whr ");
                    tasks.push(Task::Text(" end)"));
                    for (i, (&arg, &slot)) in list.iter().zip(&inner.slots).enumerate().rev() {
                        tasks.push(Task::Step(arg, 0));
                        tasks.push(Task::Own(format!("{} = ", names(slot))));
                        if i > 0 {
                            tasks.push(Task::Text(", "));
                        }
                    }
                }
                Instr::Lazy(..) | Instr::Branch(..) | Instr::Jump(_) => {}
            }
        }
        out
    }
}

/// A binder as text.
fn bound(
    signature: &Signature,
    kind: Bound,
    inner: u32,
    names: &dyn Fn(u32) -> String,
    words: &Words,
) -> String {
    let inner = &signature.inner[inner as usize];
    let declared: Vec<String> = inner
        .slots
        .iter()
        .zip(&inner.sorts)
        .map(|(&slot, &sort)| format!("{}: {}", names(slot), signature.sort_name(sort)))
        .collect();
    let declared = declared.join(", ");
    let body = inner.body.print(signature, names, words);
    match kind {
        Bound::Forall => format!("forall {declared}. {body}"),
        Bound::Exists => format!("exists {declared}. {body}"),
        Bound::Lambda => format!("lambda {declared}. {body}"),
        Bound::SetOf => format!("{{ {declared} | {body} }}"),
    }
}

fn unary_name(op: Unary) -> &'static str {
    match op {
        Unary::Not | Unary::Negate | Unary::Size => "",
        Unary::Abs => "abs",
        Unary::Succ => "succ",
        Unary::Pred => "pred",
        Unary::ToNat => "Int2Nat",
        Unary::ToPos => "Int2Pos",
        Unary::ToInt => "Nat2Int",
        Unary::ToReal => "Int2Real",
        Unary::Head => "head",
        Unary::Tail => "tail",
        Unary::LastOf => "rhead",
        Unary::FrontOf => "rtail",
        Unary::Floor => "floor",
        Unary::Ceiling => "ceil",
        Unary::Round => "round",
        Unary::SetToBag => "Set2Bag",
        Unary::BagToSet => "Bag2Set",
    }
}

fn binary_name(op: Binary) -> &'static str {
    match op {
        Binary::Min => "min",
        Binary::Max => "max",
        Binary::Power => "exp",
        _ => "count",
    }
}

struct Words {
    cadp: bool,
    not: &'static str,
    binary: fn(Binary) -> &'static str,
}

const MCRL2: Words = Words {
    cadp: false,
    not: "!",
    binary: |op| match op {
        Binary::Imply => " => ",
        Binary::Or => " || ",
        Binary::And => " && ",
        Binary::Equal => " == ",
        Binary::Unequal => " != ",
        Binary::Less => " < ",
        Binary::AtMost => " <= ",
        Binary::Greater => " > ",
        Binary::AtLeast => " >= ",
        Binary::Add => " + ",
        Binary::Subtract => " - ",
        Binary::Multiply => " * ",
        Binary::Divide => " div ",
        Binary::Modulo => " mod ",
        Binary::Quotient => " / ",
        Binary::Prepend => " |> ",
        Binary::Append => " <| ",
        Binary::Concatenate => " ++ ",
        Binary::At => " . ",
        Binary::In => " in ",
        Binary::Min | Binary::Max | Binary::Power | Binary::Count => ", ",
    },
};

const CADP: Words = Words {
    cadp: true,
    not: "not ",
    binary: |op| match op {
        Binary::Imply => " implies ",
        Binary::Or => " or ",
        Binary::And => " and ",
        Binary::Equal => " = ",
        Binary::Unequal => " <> ",
        other => (MCRL2.binary)(other),
    },
};

const UNARY: u8 = 12;

/// The level of an operator between its operands, and whether it groups to the right. In mCRL2 `*`
/// binds more strongly than `div` and `mod`, in CADP they are equal.
pub(crate) fn level_of(op: Binary, cadp: bool) -> Option<(u8, bool)> {
    Some(match op {
        Binary::Imply => (1, true),
        Binary::Or => (2, true),
        Binary::And => (3, true),
        Binary::Equal | Binary::Unequal => (4, false),
        Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast | Binary::In => {
            (5, false)
        }
        Binary::Prepend => (6, true),
        Binary::Append => (7, false),
        Binary::Concatenate => (8, false),
        Binary::Add | Binary::Subtract => (9, false),
        Binary::Divide | Binary::Modulo | Binary::Quotient => (10, false),
        Binary::Multiply if cadp => (10, false),
        Binary::Multiply | Binary::At => (11, false),
        Binary::Min | Binary::Max | Binary::Power | Binary::Count => return None,
    })
}
