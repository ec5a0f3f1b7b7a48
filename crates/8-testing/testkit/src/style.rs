//! The same program in varied concrete syntax: everything that LANGUAGES.md calls equal.

use crate::bp::{Bp, Expr, Kind, Op, Proc, Stmt, simple_text};
use crate::rng::Rng;
use std::cell::RefCell;

/// Which operators bind tighter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// `=>` (right) < `|` < `^` < `&` < `=`, `!=`.
    Standard,
    /// `=>`, `=`, `!=` (right) < `^` < `|` < `&`.
    Satabs,
}

impl Table {
    /// How tight an operator binds, and whether it groups to the right.
    fn level(self, op: Op) -> (u8, bool) {
        match (self, op) {
            (Table::Standard, Op::Implies) => (0, true),
            (Table::Standard, Op::Or) => (1, false),
            (Table::Standard, Op::Xor) => (2, false),
            (Table::Standard, Op::And) => (3, false),
            (Table::Standard, Op::Eq | Op::Ne) => (4, false),
            (Table::Satabs, Op::Implies | Op::Eq | Op::Ne) => (0, true),
            (Table::Satabs, Op::Xor) => (1, false),
            (Table::Satabs, Op::Or) => (2, false),
            (Table::Satabs, Op::And) => (3, false),
        }
    }
}

/// The program with random spellings, for the standard table.
pub fn varied(program: &Bp, seed: u64) -> String {
    varied_for(program, seed, Table::Standard)
}

/// The program with random spellings.
pub fn varied_for(program: &Bp, seed: u64, table: Table) -> String {
    let mut rng = Rng::new(seed ^ 0x0057_1e00);
    let mut styler = Styler {
        table,
        semicolon_after_blocks: rng.coin(),
        drop_last_semicolon: rng.chance(30),
        few_parentheses: rng.chance(70),
        end_of_line: if rng.chance(8) { "\r\n" } else { "\n" },
        rng: RefCell::new(rng),
        out: String::new(),
    };
    styler.program(program);
    styler.out
}

struct Styler {
    table: Table,
    semicolon_after_blocks: bool,
    drop_last_semicolon: bool,
    few_parentheses: bool,
    end_of_line: &'static str,
    rng: RefCell<Rng>,
    out: String,
}

impl Styler {
    fn pick<T: Copy>(&self, items: &[T]) -> T {
        *self.rng.borrow_mut().pick(items)
    }
    fn chance(&self, percent: usize) -> bool {
        self.rng.borrow_mut().chance(percent)
    }
    fn line(&mut self, depth: usize, text: &str) {
        let indent = if depth > 2 && self.chance(10) { "\t" } else { "  " };
        self.out.push_str(&indent.repeat(depth));
        self.out.push_str(text);
        self.out.push_str(self.end_of_line);
    }

    fn program(&mut self, program: &Bp) {
        let mut pieces: Vec<Piece> = program.procs.iter().map(Piece::Proc).collect();
        if self.chance(40) {
            self.rng.borrow_mut().shuffle(&mut pieces);
        }
        // Declarations may stand before, between and behind the procedures.
        let together = self.chance(60);
        let groups: Vec<&[String]> = match (program.globals.as_slice(), together) {
            ([], _) => Vec::new(),
            (all, true) => vec![all],
            (all, false) => all.chunks(1).collect(),
        };
        for names in groups.into_iter().rev() {
            let at =
                if self.chance(80) { 0 } else { self.rng.borrow_mut().below(pieces.len() + 1) };
            pieces.insert(at, Piece::Decl(names));
        }
        for piece in pieces {
            match piece {
                Piece::Decl(names) => {
                    let text = format!("decl {};", names.join(self.pick(&[",", ", ", " , "])));
                    self.line(0, &text);
                }
                Piece::Proc(proc) => self.procedure(proc),
            }
        }
    }

    fn procedure(&mut self, proc: &Proc) {
        let ty = match proc.returns {
            0 => self.pick(&["void ", "void ", ""]).to_owned(),
            1 => self.pick(&["bool ", "bool<1> ", "bool < 1 > "]).to_owned(),
            n => format!("bool<{n}> "),
        };
        let dfs = self.pick(&["", "", "", "dfs "]);
        let head = format!("{dfs}{ty}{}({})", proc.name, proc.params.join(self.pick(&[",", ", "])));
        if self.chance(50) {
            self.line(0, &format!("{head} begin"));
        } else {
            self.line(0, &head);
            self.line(0, "begin");
        }
        // Some locals may be declared among the statements of the outermost block.
        let late = if proc.locals.len() > 1 && self.chance(25) { 1 } else { 0 };
        let (early, late) = proc.locals.split_at(proc.locals.len() - late);
        if !early.is_empty() {
            self.line(1, &format!("decl {};", early.join(", ")));
        }
        for (word, expr) in [("enforce", &proc.enforce), ("abortif", &proc.abortif)] {
            if let Some(expr) = expr {
                let text = format!("{word} {};", self.expr(expr, 0));
                self.line(1, &text);
            }
        }
        let cut = self.rng.borrow_mut().below(proc.body.len() + 1);
        self.stmts(&proc.body[..cut], 1, false);
        if !late.is_empty() {
            self.line(1, &format!("decl {};", late.join(", ")));
        }
        self.stmts(&proc.body[cut..], 1, true);
        self.line(0, "end");
    }

    fn stmts(&mut self, block: &[Stmt], depth: usize, last_of_block: bool) {
        for (i, stmt) in block.iter().enumerate() {
            let last = last_of_block && i + 1 == block.len();
            self.stmt(stmt, depth, last);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize, last: bool) {
        if self.chance(5) {
            let comment = self.pick(&["// fi; od }", "/* skip; */", "/* two\n lines */", "//"]);
            self.line(depth, comment);
        }
        let mut labels = String::new();
        for label in &stmt.labels {
            labels.push_str(label);
            labels.push_str(self.pick(&[": ", ":", " : "]));
        }
        if !labels.is_empty() && self.chance(12) {
            self.line(depth, labels.trim_end());
            labels.clear();
        }
        let after = if self.semicolon_after_blocks { ";" } else { "" };
        match &stmt.kind {
            Kind::If(branches, otherwise) => {
                for (i, (cond, body)) in branches.iter().enumerate() {
                    let word = if i == 0 { format!("{labels}if") } else { "elsif".into() };
                    let text = format!("{word} {} then", self.condition(cond));
                    self.line(depth, &text);
                    self.stmts(body, depth + 1, true);
                }
                if let Some(body) = otherwise {
                    self.line(depth, "else");
                    self.stmts(body, depth + 1, true);
                }
                self.line(depth, &format!("fi{after}"));
            }
            Kind::While(cond, body) => {
                let text = format!("{labels}while {} do", self.condition(cond));
                self.line(depth, &text);
                self.stmts(body, depth + 1, true);
                self.line(depth, &format!("od{after}"));
            }
            simple => {
                let text = simple_text(simple, &|e| self.expr(e, 0));
                let end = if last && self.drop_last_semicolon { "" } else { ";" };
                self.line(depth, &format!("{labels}{text}{end}"));
            }
        }
    }

    fn condition(&self, cond: &Expr) -> String {
        let text = self.expr(cond, 0);
        if self.chance(50) { format!("({text})") } else { text }
    }

    /// The expression where operators looser than `level` need parentheses.
    fn expr(&self, expr: &Expr, level: u8) -> String {
        match expr {
            Expr::Const(true) => self.pick(&["T", "1", "true"]).to_owned(),
            Expr::Const(false) => self.pick(&["F", "0", "false"]).to_owned(),
            Expr::Var(name) => name.clone(),
            Expr::Next(name) => format!("'{name}"),
            Expr::Choice => self.pick(&["*", "?"]).to_owned(),
            Expr::Not(a) => format!("{}{}", self.pick(&["!", "~"]), self.expr(a, 5)),
            Expr::Schoose(a, b) => {
                format!("schoose[{},{}]", self.expr(a, 0), self.expr(b, 0))
            }
            Expr::Binary(op, a, b) => {
                let (own, right) = self.table.level(*op);
                let (left_level, right_level) = if right { (own + 1, own) } else { (own, own + 1) };
                let sign = match op {
                    Op::And => self.pick(&["&", "&&"]),
                    Op::Or => self.pick(&["|", "||"]),
                    Op::Eq => self.pick(&["=", "=="]),
                    _ => op.sign(),
                };
                let text =
                    format!("{} {sign} {}", self.expr(a, left_level), self.expr(b, right_level));
                if own < level || !self.few_parentheses { format!("({text})") } else { text }
            }
        }
    }
}

enum Piece<'a> {
    Decl(&'a [String]),
    Proc(&'a Proc),
}
