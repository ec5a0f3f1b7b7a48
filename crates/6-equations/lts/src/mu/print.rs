//! Formulas as text, in the syntax they were read in, with few parentheses.

use std::fmt::{self, Write};

use bes::data::{Expr, Sort};
use bes::lex::Dialect;

use super::{Action, Formula, High, Offer, Ranged, Regular, State};

enum Task {
    /// A node, and the least level that needs no parentheses.
    State(u32, u8),
    Regular(u32, u8),
    Action(u32, u8),
    Text(&'static str),
    Said(String),
}

/// The level of what needs no parentheses anywhere.
const ATOM: u8 = 9;

struct Printer<'a> {
    formula: &'a Formula,
    out: String,
    tasks: Vec<Task>,
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { formula: self, out: String::new(), tasks: Vec::new() };
        let enumerations = self.signature.enumerations.iter().filter(|e| !e.is_nameless());
        let some = enumerations.clone().count() > 0;
        let declared = self.signature.declared();
        if !declared.is_empty() {
            _ = writeln!(printer.out, "{}", declared.trim_end());
            printer.out.push_str("form ");
            printer.run(Task::State(self.root, 0));
            printer.out.push_str(";\n");
            return f.write_str(&printer.out);
        }
        for (i, e) in enumerations.clone().enumerate() {
            let elements: Vec<&str> =
                e.elements.iter().map(|&s| self.signature.symbol_name(s)).collect();
            let word = if i == 0 { "sort " } else { "     " };
            _ = writeln!(printer.out, "{word}{} = struct {};", e.name, elements.join(" | "));
        }
        if some {
            printer.out.push_str("form ");
        }
        printer.run(Task::State(self.root, 0));
        if some {
            printer.out.push_str(";\n");
        }
        f.write_str(&printer.out)
    }
}

impl Formula {
    /// An action formula as text.
    pub fn show_action(&self, action: u32) -> String {
        let mut printer = Printer { formula: self, out: String::new(), tasks: Vec::new() };
        printer.run(Task::Action(action, 0));
        printer.out
    }

    fn expr(&self, expr: &Expr) -> String {
        let names = |slot: u32| self.slots[slot as usize].name.clone();
        match self.dialect {
            Dialect::Mcrl2 => expr.show(&self.signature, &names),
            Dialect::Cadp => expr.show_cadp(&self.signature, &names),
        }
    }

    fn sort(&self, slot: u32) -> Sort {
        self.slots[slot as usize].sort
    }
}

impl Printer<'_> {
    fn run(&mut self, first: Task) {
        self.tasks.push(first);
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Text(text) => self.out.push_str(text),
                Task::Said(text) => self.out.push_str(&text),
                Task::State(node, level) => self.state(node, level),
                Task::Regular(node, level) => self.regular(node, level),
                Task::Action(node, level) => self.action(node, level),
            }
        }
    }

    fn cadp(&self) -> bool {
        self.formula.dialect == Dialect::Cadp
    }

    fn open(&mut self, needed: bool) {
        if needed {
            self.out.push('(');
            self.tasks.push(Task::Text(")"));
        }
    }

    fn declaration(&mut self, slot: u32) {
        let sort = self.formula.signature.sort_name(self.formula.sort(slot));
        let name = &self.formula.slots[slot as usize].name;
        let blank = if self.cadp() { "" } else { " " };
        _ = write!(self.out, "{name}:{blank}{sort}");
    }

    fn arguments(&mut self, arguments: &[Expr], blank: &str) {
        if !arguments.is_empty() {
            let shown: Vec<String> = arguments.iter().map(|e| self.formula.expr(e)).collect();
            _ = write!(self.out, "{blank}({})", shown.join(", "));
        }
    }

    fn ranged(&mut self, slots: &[Ranged]) {
        for (i, (slot, range)) in slots.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.declaration(*slot);
            if let Some((low, high)) = range {
                let (low, high) = (self.formula.expr(low), self.formula.expr(high));
                _ = write!(self.out, " among {{{low} ... {high}}}");
            }
        }
    }

    fn initialised(&mut self, bindings: &[(u32, Expr)]) {
        for (i, (slot, expr)) in bindings.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.declaration(*slot);
            self.out.push_str(" := ");
            self.out.push_str(&self.formula.expr(expr));
        }
    }

    fn connective(&self, level: u8, equal: bool) -> &'static str {
        match (self.cadp(), level) {
            (true, 1) if equal => " equ ",
            (true, 1) => " implies ",
            (true, 2) => " or ",
            (true, _) => " and ",
            (false, 1) => " => ",
            (false, 2) => " || ",
            (false, _) => " && ",
        }
    }

    fn state(&mut self, node: u32, level: u8) {
        let formula = self.formula;
        let state = &formula.states[node as usize];
        let cadp = self.cadp();
        let mine = match state {
            State::Fixpoint(..) | State::Quantifier { .. } => 0,
            State::Imply(..) | State::Equal(..) => 1,
            State::Or(..) => 2,
            State::And(..) => 3,
            State::Not(_) | State::Modality { .. } => 4,
            _ => ATOM,
        };
        self.open(mine < level);
        match state {
            State::Constant(value) => _ = write!(self.out, "{value}"),
            State::Val(expr) => _ = write!(self.out, "val({})", formula.expr(expr)),
            State::Variable(binder, arguments) => {
                self.out.push_str(&formula.binders[*binder as usize].name);
                self.arguments(arguments, if cadp { " " } else { "" });
            }
            State::Not(a) => {
                self.out.push_str(if cadp { "not " } else { "!" });
                self.tasks.push(Task::State(*a, 4));
            }
            State::And(a, b) | State::Or(a, b) | State::Imply(a, b) | State::Equal(a, b) => {
                let word = self.connective(mine, matches!(state, State::Equal(..)));
                self.tasks.push(Task::State(*b, mine));
                self.tasks.push(Task::Text(word));
                self.tasks.push(Task::State(*a, mine + 1));
            }
            State::Modality { all, regular, body } => {
                let (open, close) = match (all, cadp) {
                    (true, false) => ("[", "]"),
                    (false, false) => ("<", ">"),
                    (true, true) => ("[ ", " ] "),
                    (false, true) => ("< ", " > "),
                };
                self.out.push_str(open);
                self.tasks.push(Task::State(*body, 4));
                self.tasks.push(Task::Text(close));
                self.tasks.push(Task::Regular(*regular, 0));
            }
            State::Forever { all, regular } => {
                self.out.push_str(if *all { "[ " } else { "< " });
                self.tasks.push(Task::Text(if *all { " ] -|" } else { " > @" }));
                self.tasks.push(Task::Regular(*regular, 0));
            }
            State::If(condition, then, other) => {
                self.out.push_str("if ");
                self.tasks.push(Task::Text(" end if"));
                self.tasks.push(Task::State(*other, 0));
                self.tasks.push(Task::Text(" else "));
                self.tasks.push(Task::State(*then, 0));
                self.tasks.push(Task::Text(" then "));
                self.tasks.push(Task::State(*condition, 0));
            }
            State::Let(bindings, body) => {
                self.out.push_str("let ");
                self.initialised(bindings);
                self.out.push_str(" in ");
                self.tasks.push(Task::Text(" end let"));
                self.tasks.push(Task::State(*body, 0));
            }
            State::Fixpoint(binder, body) => {
                let binder = &formula.binders[*binder as usize];
                _ = write!(self.out, "{} {}", binder.sign.word(), binder.name);
                for (i, (slot, expr)) in binder.parameters.iter().enumerate() {
                    self.out.push_str(match (i, cadp) {
                        (0, true) => " (",
                        (0, false) => "(",
                        _ => ", ",
                    });
                    self.declaration(*slot);
                    self.out.push_str(if cadp { " := " } else { " = " });
                    self.out.push_str(&formula.expr(expr));
                }
                if !binder.parameters.is_empty() {
                    self.out.push(')');
                }
                self.out.push_str(if cadp { " . " } else { ". " });
                self.tasks.push(Task::State(*body, 0));
            }
            State::Quantifier { all, slots, body } => {
                self.out.push_str(if *all { "forall " } else { "exists " });
                self.ranged(slots);
                self.out.push_str(if cadp { " . " } else { ". " });
                self.tasks.push(Task::State(*body, 0));
            }
        }
    }

    fn regular(&mut self, node: u32, level: u8) {
        let regular = &self.formula.regulars[node as usize];
        let cadp = self.cadp();
        match regular {
            Regular::Nil => self.out.push_str("nil"),
            Regular::Action(action) => self.tasks.push(Task::Action(*action, level)),
            Regular::Choice(a, b) | Regular::Then(a, b) => {
                let (mine, word) = match regular {
                    Regular::Choice(..) => (1, if cadp { " | " } else { " + " }),
                    _ => (2, " . "),
                };
                self.open(mine < level);
                self.tasks.push(Task::Regular(*b, mine));
                self.tasks.push(Task::Text(word));
                self.tasks.push(Task::Regular(*a, mine + 1));
            }
            Regular::Star(a) | Regular::Plus(a) | Regular::Option(a) => {
                self.tasks.push(Task::Text(match regular {
                    Regular::Star(_) => "*",
                    Regular::Plus(_) => "+",
                    _ => "?",
                }));
                self.tasks.push(Task::Regular(*a, 3));
            }
            _ => self.construct(regular),
        }
    }

    /// What only CADP's syntax has.
    fn construct(&mut self, regular: &Regular) {
        let expr = |e: &Expr| self.formula.expr(e);
        let (body, end) = match regular {
            Regular::Repeat { inner, low, high } => {
                let low = expr(low);
                let text = match high {
                    High::Same => format!("{{{low}}}"),
                    High::None => format!("{{{low} ...}}"),
                    High::Most(high) => format!("{{{low} ... {}}}", expr(high)),
                };
                self.tasks.push(Task::Said(text));
                self.tasks.push(Task::Regular(*inner, 3));
                return;
            }
            Regular::If(condition, then, other) => {
                _ = write!(self.out, "if {} then ", self.formula.expr(condition));
                self.tasks.push(Task::Text(" end if"));
                self.tasks.push(Task::Regular(*other, 0));
                self.tasks.push(Task::Text(" else "));
                self.tasks.push(Task::Regular(*then, 0));
                return;
            }
            Regular::Continue(_, values) | Regular::Exit(_, values) => {
                let goes_on = matches!(regular, Regular::Continue(..));
                self.out.push_str(if goes_on { "continue" } else { "exit" });
                self.arguments(values, " ");
                return;
            }
            Regular::Until(body, condition) => {
                let text = format!(" until {} end repeat", expr(condition));
                self.out.push_str("repeat ");
                self.tasks.push(Task::Said(text));
                self.tasks.push(Task::Regular(*body, 0));
                return;
            }
            Regular::Let(bindings, body) => {
                self.out.push_str("let ");
                self.initialised(bindings);
                self.out.push_str(" in ");
                (*body, " end let")
            }
            Regular::Some(slots, body) => {
                self.out.push_str("choice ");
                self.ranged(slots);
                self.out.push_str(" in ");
                (*body, " end choice")
            }
            Regular::Loop { parameters, results, body, .. } => {
                self.out.push_str("loop ");
                if !parameters.is_empty() {
                    self.out.push('(');
                    self.initialised(parameters);
                    self.out.push_str(") ");
                }
                for (i, &slot) in results.iter().enumerate() {
                    self.out.push_str(if i == 0 { ": (" } else { ", " });
                    self.declaration(slot);
                }
                self.out.push_str(if results.is_empty() { "in " } else { ") in " });
                (*body, " end loop")
            }
            Regular::While(condition, body) => {
                _ = write!(self.out, "while {} do ", self.formula.expr(condition));
                (*body, " end while")
            }
            Regular::For { slot, from, to, step, body } => {
                let (from, to, step) = (expr(from), expr(to), step.as_ref().map(expr));
                self.out.push_str("for ");
                self.declaration(*slot);
                _ = write!(self.out, " from {from} to {to}");
                if let Some(step) = step {
                    _ = write!(self.out, " step {step}");
                }
                self.out.push_str(" do ");
                (*body, " end for")
            }
            _ => return,
        };
        self.tasks.push(Task::Text(end));
        self.tasks.push(Task::Regular(body, 0));
    }

    /// Level 0: alone between the brackets; 1 to 3: inside of a regular formula, where everything
    /// but atoms and negations has parentheses; from 11 on: inside of an action formula.
    fn action(&mut self, node: u32, level: u8) {
        let formula = self.formula;
        let action = &formula.actions[node as usize];
        let cadp = self.cadp();
        let mine = match action {
            Action::Quantifier { .. } => 0,
            Action::Imply(..) | Action::Equal(..) => 1,
            Action::Or(..) => 2,
            Action::And(..) => 3,
            Action::Not(_) => 4,
            _ => ATOM,
        };
        let needed = match level {
            0 => 0,
            1..=3 => 4,
            _ => level - 10,
        };
        self.open(mine < needed);
        match action {
            Action::Constant(value) => _ = write!(self.out, "{value}"),
            Action::Tau => self.out.push_str("tau"),
            Action::Label(text) => _ = write!(self.out, "\"{text}\""),
            Action::Regexp(regexp) => _ = write!(self.out, "'{}'", regexp.text()),
            Action::Val(expr) => _ = write!(self.out, "val({})", formula.expr(expr)),
            Action::Gate { gate, offers, more, guard } if cadp => {
                _ = write!(self.out, "{{{gate}");
                for offer in offers {
                    match offer {
                        Offer::Send(expr) => {
                            let shown = formula.expr(expr);
                            let plain = expr.constant().is_some() || expr.as_slot().is_some();
                            _ = match plain {
                                true => write!(self.out, " !{shown}"),
                                false => write!(self.out, " !({shown})"),
                            };
                        }
                        Offer::Receive(slot) => {
                            self.out.push_str(" ?");
                            self.declaration(*slot);
                        }
                        Offer::Any => self.out.push_str(" ?any"),
                    }
                }
                if *more {
                    self.out.push_str(" ...");
                }
                if let Some(guard) = guard {
                    _ = write!(self.out, " where {}", formula.expr(guard));
                }
                self.out.push('}');
            }
            Action::Gate { gate, offers, .. } => {
                self.out.push_str(gate);
                let sent: Vec<Expr> = offers
                    .iter()
                    .filter_map(|offer| match offer {
                        Offer::Send(expr) => Some(expr.clone()),
                        Offer::Receive(_) | Offer::Any => None,
                    })
                    .collect();
                self.arguments(&sent, "");
            }
            Action::Multi(parts) => {
                for (i, (gate, values)) in parts.iter().enumerate() {
                    self.out.push_str(if i == 0 { "" } else { "|" });
                    self.out.push_str(gate);
                    self.arguments(values, "");
                }
            }
            Action::Not(a) => {
                self.out.push_str(if cadp { "not " } else { "!" });
                self.tasks.push(Task::Action(*a, 14));
            }
            Action::And(a, b) | Action::Or(a, b) | Action::Imply(a, b) | Action::Equal(a, b) => {
                let word = self.connective(mine, matches!(action, Action::Equal(..)));
                self.tasks.push(Task::Action(*b, mine + 10));
                self.tasks.push(Task::Text(word));
                self.tasks.push(Task::Action(*a, mine + 11));
            }
            Action::Quantifier { all, slots, body } => {
                self.out.push_str(if *all { "forall " } else { "exists " });
                for (i, slot) in slots.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    self.declaration(*slot);
                }
                self.out.push_str(". ");
                self.tasks.push(Task::Action(*body, 10));
            }
        }
    }
}
