//! Tree → text: whole programs, fully parenthesised, and single statements for people.

use syntax::print::{indent, names, separated};

use crate::tree::{
    Assign, BinOp, Block, Branch, Decl, Declarator, Dim, ExprId, ExprKind, Item, List, Module,
    Name, Quantifier, Rule, Segment, Stmt, StmtId, StmtKind, Tree, TypeName,
};

/// The text of an `if` or `do` lists its conditions up to about this many characters.
const HEAD: usize = 100;

/// The program as text. Parsing it gives an equal tree.
pub fn print(tree: &Tree) -> String {
    let mut printer = Printer { tree, out: String::new(), work: Vec::new() };
    let mut before = None;
    for item in tree.items() {
        printer.item(item, before);
        before = Some(item);
    }
    printer.out
}

/// The statement on one line, as a person would write it, without labels and `;`; of an `if` or
/// `do`, its conditions: `if :: a > b :: else`.
pub fn stmt_text(tree: &Tree, stmt: &Stmt) -> String {
    let mut out = String::new();
    match stmt.kind {
        StmtKind::If(branches) => head(&mut out, tree, "if", branches),
        StmtKind::Do(branches) => head(&mut out, tree, "do", branches),
        _ => simple(&mut out, tree, stmt, Style::Readable),
    }
    out
}

/// The expression as a person would write it.
pub fn expr_text(tree: &Tree, expr: ExprId) -> String {
    let mut out = String::new();
    write_expr(&mut out, tree, expr, Style::Readable, None);
    out
}

/// A declaration, without its `;`.
pub fn decl_text(tree: &Tree, decl: &Decl) -> String {
    let mut out = String::new();
    write_decl(&mut out, tree, decl);
    out
}

/// A rule, fully parenthesised.
pub fn rule_text(tree: &Tree, rule: &Rule) -> String {
    let mut out = String::new();
    write_rule(&mut out, tree, rule, Style::Full);
    out
}

/// A rule as a person would write it, without its formula.
pub(crate) fn rule_head_text(tree: &Tree, rule: &Rule) -> String {
    let mut out = String::new();
    write_rule(&mut out, tree, &Rule { formula: None, ..*rule }, Style::Readable);
    out
}

/// How much is parenthesised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Every operator with two operands, inside others.
    Full,
    /// What would be read differently without, and bitwise operators.
    Readable,
}

/// What is left to print, last first.
enum Work {
    Stmt(StmtId, usize),
    Branch(Branch, usize),
    Line(&'static str, usize),
}

struct Printer<'t> {
    tree: &'t Tree,
    out: String,
    work: Vec<Work>,
}

impl Printer<'_> {
    fn item(&mut self, item: &Item, before: Option<&Item>) {
        let tree = self.tree;
        match *item {
            Item::Define(name, value) => {
                let name = name.map_or("DEFAULT_INT_BITS", |name| tree.text(name.symbol));
                self.out.push_str("define ");
                self.out.push_str(name);
                self.out.push(' ');
                write_expr(&mut self.out, tree, value, Style::Full, Some(0));
                self.out.push('\n');
            }
            Item::Decl(decl) => {
                write_decl(&mut self.out, tree, &decl);
                self.out.push_str(";\n");
            }
            Item::Init(list) => {
                self.out.push_str("init ");
                names(&mut self.out, tree, list, " ");
                self.out.push_str(";\n");
            }
            Item::Module(module) => {
                if before.is_some() {
                    self.out.push('\n');
                }
                self.module(&module);
            }
            Item::Stmt(stmt) => {
                if matches!(before, Some(Item::Module(_))) {
                    self.out.push('\n');
                }
                self.work.push(Work::Stmt(stmt, 0));
                self.run();
            }
        }
    }

    fn module(&mut self, module: &Module) {
        let tree = self.tree;
        self.out.push_str("module ");
        type_name(&mut self.out, tree, module.returns);
        dims(&mut self.out, tree, module.dims);
        bits(&mut self.out, tree, module.bits);
        self.out.push(' ');
        self.out.push_str(tree.text(module.name.symbol));
        self.out.push('(');
        separated(&mut self.out, tree.list(module.params), ", ", |out, param| {
            write_decl(out, tree, param);
        });
        let Some(body) = module.body else {
            self.out.push_str(");\n");
            return;
        };
        self.out.push_str(") {\n");
        for decl in tree.list(module.locals) {
            indent(&mut self.out, 1);
            write_decl(&mut self.out, tree, decl);
            self.out.push_str(";\n");
        }
        self.push_block(body, 1);
        self.run();
        self.out.push_str("}\n");
    }

    fn push_block(&mut self, block: Block, depth: usize) {
        let stmts = self.tree.block(block).iter().rev();
        self.work.extend(stmts.map(|&stmt| Work::Stmt(stmt, depth)));
    }

    fn run(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Line(text, depth) => {
                    indent(&mut self.out, depth);
                    self.out.push_str(text);
                    self.out.push('\n');
                }
                Work::Branch(branch, depth) => {
                    indent(&mut self.out, depth);
                    self.out.push_str(":: ");
                    guard(&mut self.out, self.tree, &branch, Style::Full);
                    self.out.push_str(" ->\n");
                    self.push_block(branch.body, depth + 1);
                }
                Work::Stmt(id, depth) => self.stmt(id, depth),
            }
        }
    }

    fn stmt(&mut self, id: StmtId, depth: usize) {
        let tree = self.tree;
        let stmt = tree.stmt(id);
        indent(&mut self.out, depth);
        for label in tree.names(stmt.labels) {
            self.out.push_str(tree.text(label.symbol));
            self.out.push_str(": ");
        }
        match stmt.kind {
            StmtKind::If(branches) | StmtKind::Do(branches) => {
                let is_do = matches!(stmt.kind, StmtKind::Do(_));
                self.out.push_str(if is_do { "do\n" } else { "if\n" });
                self.work.push(Work::Line(if is_do { "od" } else { "fi" }, depth));
                let branches = tree.list(branches).iter().rev();
                self.work.extend(branches.map(|&branch| Work::Branch(branch, depth + 1)));
            }
            StmtKind::Rule(rule) => {
                write_rule(&mut self.out, tree, &rule, Style::Full);
                self.out.push('\n');
            }
            _ => {
                simple(&mut self.out, tree, stmt, Style::Full);
                self.out.push_str(";\n");
            }
        }
    }
}

fn guard(out: &mut String, tree: &Tree, branch: &Branch, style: Style) {
    match branch.guard {
        Some(guard) => write_expr(out, tree, guard, style, None),
        None => out.push_str("else"),
    }
}

fn head(out: &mut String, tree: &Tree, word: &str, branches: List<Branch>) {
    out.push_str(word);
    for branch in tree.list(branches) {
        if out.len() > HEAD {
            out.push_str(" …");
            return;
        }
        out.push_str(" :: ");
        guard(out, tree, branch, Style::Readable);
    }
}

fn type_name(out: &mut String, tree: &Tree, ty: TypeName) {
    let named = |out: &mut String, word: &str, name: Option<Name>| {
        out.push_str(word);
        if let Some(name) = name {
            out.push(' ');
            out.push_str(tree.text(name.symbol));
        }
    };
    match ty {
        TypeName::Void => out.push_str("void"),
        TypeName::Bool => out.push_str("bool"),
        TypeName::Int => out.push_str("int"),
        TypeName::Enum(name) => named(out, "enum", Some(name)),
        TypeName::Struct(name) => named(out, "struct", Some(name)),
        TypeName::EnumOf(name, members) => {
            named(out, "enum", name);
            out.push_str(" { ");
            names(out, tree, members, ", ");
            out.push_str(" }");
        }
        TypeName::StructOf(name, fields) => {
            named(out, "struct", name);
            out.push_str(" { ");
            for field in tree.list(fields) {
                match field.ty {
                    // The parser lets no struct stand here; without this, types could nest.
                    TypeName::StructOf(..) => out.push_str("struct"),
                    _ => write_decl_flat(out, tree, field),
                }
                out.push_str("; ");
            }
            out.push('}');
        }
    }
}

fn write_decl(out: &mut String, tree: &Tree, decl: &Decl) {
    if decl.shared {
        out.push_str("shared ");
    }
    type_name(out, tree, decl.ty);
    declarators(out, tree, decl.vars);
}

/// A declaration whose type is no struct with its fields.
fn write_decl_flat(out: &mut String, tree: &Tree, decl: &Decl) {
    match decl.ty {
        TypeName::StructOf(..) => {}
        ty => type_name(out, tree, ty),
    }
    declarators(out, tree, decl.vars);
}

fn declarators(out: &mut String, tree: &Tree, list: List<Declarator>) {
    for (i, var) in tree.list(list).iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { " " });
        out.push_str(tree.text(var.name.symbol));
        dims(out, tree, var.dims);
        bits(out, tree, var.bits);
    }
}

fn dims(out: &mut String, tree: &Tree, list: List<Dim>) {
    for dim in tree.list(list) {
        out.push('[');
        if let Some(lo) = dim.lo {
            write_expr(out, tree, lo, Style::Full, None);
            out.push_str(", ");
        }
        write_expr(out, tree, dim.hi, Style::Full, None);
        out.push(']');
    }
}

fn bits(out: &mut String, tree: &Tree, bits: Option<ExprId>) {
    if let Some(bits) = bits {
        out.push('(');
        write_expr(out, tree, bits, Style::Full, None);
        out.push(')');
    }
}

fn write_rule(out: &mut String, tree: &Tree, rule: &Rule, style: Style) {
    let text = |name: Name| tree.text(name.symbol);
    out.push_str(text(rule.from));
    out.push_str(" <");
    out.push_str(text(rule.symbol));
    out.push_str("> --> ");
    out.push_str(text(rule.to));
    out.push_str(" <");
    names(out, tree, rule.stack, " ");
    out.push('>');
    if let Some(label) = rule.label {
        out.push_str(" \"");
        out.push_str(text(label));
        out.push('"');
    }
    if let Some(formula) = rule.formula {
        out.push_str(" (");
        write_expr(out, tree, formula, style, None);
        out.push(')');
    }
}

/// A statement without blocks, without labels and `;`.
fn simple(out: &mut String, tree: &Tree, stmt: &Stmt, style: Style) {
    match stmt.kind {
        StmtKind::Assign(list) => assigns(out, tree, list, style, ""),
        StmtKind::Call { target, callee, args, assigns: list } => {
            if let Some(target) = target {
                write_expr(out, tree, target, style, None);
                out.push_str(" = ");
            }
            out.push_str(tree.text(callee.symbol));
            out.push('(');
            separated(out, tree.exprs(args), ", ", |out, &arg| {
                write_expr(out, tree, arg, style, None);
            });
            out.push(')');
            assigns(out, tree, list, style, ", ");
        }
        StmtKind::Return(value) => {
            out.push_str("return");
            if let Some(value) = value {
                out.push(' ');
                write_expr(out, tree, value, style, None);
            }
        }
        StmtKind::Goto(label, list) => {
            out.push_str("goto ");
            out.push_str(tree.text(label.symbol));
            assigns(out, tree, list, style, ", ");
        }
        StmtKind::Break => out.push_str("break"),
        StmtKind::Skip(condition) => {
            out.push_str("skip");
            if let Some(condition) = condition {
                out.push('(');
                write_expr(out, tree, condition, style, None);
                out.push(')');
            }
        }
        StmtKind::Rule(rule) => write_rule(out, tree, &rule, style),
        StmtKind::If(_) | StmtKind::Do(_) => {}
    }
}

fn assigns(out: &mut String, tree: &Tree, list: List<Assign>, style: Style, before: &str) {
    for (i, assign) in tree.list(list).iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { before });
        for quantifier in tree.list(assign.quantifiers) {
            out.push_str(if quantifier.all { "A " } else { "E " });
            out.push_str(tree.text(quantifier.var.symbol));
            out.push_str(" (");
            write_expr(out, tree, quantifier.lo, style, None);
            out.push_str(", ");
            write_expr(out, tree, quantifier.hi, style, None);
            out.push_str(") ");
        }
        write_expr(out, tree, assign.target, style, None);
        out.push_str(if assign.other { " != " } else { " = " });
        write_expr(out, tree, assign.value, style, None);
    }
}

/// What is left to write of an expression, last first.
enum Piece {
    Text(&'static str),
    /// An expression, and how tightly what is around it binds; none if it stands by itself.
    Expr(ExprId, Option<u8>),
    Segment(Segment),
}

fn write_expr(out: &mut String, tree: &Tree, expr: ExprId, style: Style, around: Option<u8>) {
    let mut work = vec![Piece::Expr(expr, around)];
    while let Some(piece) = work.pop() {
        let (expr, around) = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Segment(segment) => {
                out.push_str(tree.text(segment.name.symbol));
                out.extend(std::iter::repeat_n('\'', segment.primes.into()));
                for &index in tree.exprs(segment.indices).iter().rev() {
                    let text = Piece::Text;
                    work.extend([text("]"), Piece::Expr(index, None), text("[")]);
                }
                continue;
            }
            Piece::Expr(expr, around) => (expr, around),
        };
        match tree.expr(expr).kind {
            ExprKind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
            ExprKind::Int(value) => out.push_str(&value.to_string()),
            ExprKind::Undef => out.push_str("undef"),
            ExprKind::Place(place) => {
                if let Some(field) = place.field {
                    work.extend([Piece::Segment(field), Piece::Text(".")]);
                }
                work.push(Piece::Segment(place.base));
            }
            ExprKind::Not(inner) => {
                out.push('!');
                work.push(Piece::Expr(inner, Some(u8::MAX)));
            }
            ExprKind::Binary(op, a, b) => {
                if brackets(op.level(), is_bitwise(op), style, around) {
                    out.push('(');
                    work.push(Piece::Text(")"));
                }
                let inside = |right: bool| match style {
                    Style::Full => Some(u8::MAX),
                    // A bitwise operator brackets what is inside it as if it bound tightest.
                    Style::Readable if is_bitwise(op) => Some(u8::MAX),
                    Style::Readable => Some(op.level() + u8::from(right == groups_left(op))),
                };
                let text = Piece::Text;
                work.extend([
                    Piece::Expr(b, inside(true)),
                    text(" "),
                    text(op.sign()),
                    text(" "),
                    Piece::Expr(a, inside(false)),
                ]);
            }
            ExprKind::Quantified(quantifier, body) => {
                if brackets(BinOp::QUANTIFIER, true, style, around) {
                    out.push('(');
                    work.push(Piece::Text(")"));
                }
                work.push(Piece::Expr(body, Some(BinOp::QUANTIFIER + 1)));
                push_quantifier(out, tree, quantifier, &mut work);
            }
        }
    }
}

fn push_quantifier(out: &mut String, tree: &Tree, quantifier: Quantifier, work: &mut Vec<Piece>) {
    out.push_str(if quantifier.all { "A " } else { "E " });
    out.push_str(tree.text(quantifier.var.symbol));
    out.push_str(" (");
    work.extend([
        Piece::Text(") "),
        Piece::Expr(quantifier.hi, None),
        Piece::Text(", "),
        Piece::Expr(quantifier.lo, None),
    ]);
}

fn groups_left(op: BinOp) -> bool {
    op != BinOp::Implies
}

fn is_bitwise(op: BinOp) -> bool {
    use BinOp::*;
    matches!(op, BitOr | BitXor | BitAnd | Shl | Shr)
}

/// Whether an operator of the level needs brackets in what is around it.
fn brackets(level: u8, always: bool, style: Style, around: Option<u8>) -> bool {
    match (around, style) {
        (None, _) => false,
        (Some(_), Style::Full) => true,
        (Some(around), Style::Readable) => always || level < around,
    }
}
