//! The data program for people.

use crate::program::{
    BinOp, Callee, End, ExprId, ExprKind, FuncId, Function, Home, LocalId, Program, Root, StmtKind,
    UnOp,
};
use std::fmt::Write;

/// The program as text: objects with their bytes, functions block by block.
pub fn dump(program: &Program) -> String {
    let mut out = String::new();
    let used = used(program);
    for (i, object) in program.objects.iter().enumerate() {
        if !(object.own && (object.defined || used[i])) {
            continue;
        }
        let _ = write!(out, "object {}: {}", object.name, program.types.show(object.ty));
        let _ = write!(out, "  ; {} bytes", object.size);
        if !object.defined {
            out.push_str(", declared only");
        }
        let filled = object.bytes.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
        if filled > 0 && !object.name.starts_with('"') {
            out.push_str(", starts with");
            for byte in &object.bytes[..filled.min(16)] {
                let _ = write!(out, " {byte:02x}");
            }
            if filled > 16 {
                out.push_str(" …");
            }
        }
        for (at, root, by) in &object.addresses {
            let _ = write!(out, ", at {at} {}", root_name(program, *root));
            if *by != 0 {
                let _ = write!(out, "{by:+}");
            }
        }
        out.push('\n');
    }
    for (i, function) in program.functions.iter().enumerate() {
        if function.has_body() && function.own {
            Dump { program, function, id: FuncId::new(i), out: &mut out }.function();
        }
    }
    for gap in &program.gaps {
        let _ = writeln!(out, "not covered: {}: {}", program.place(gap.at), gap.what);
    }
    out
}

/// Which objects the program's own functions mention.
fn used(program: &Program) -> Vec<bool> {
    let mut out = vec![false; program.objects.len()];
    for function in program.functions.iter().filter(|f| f.own) {
        for expr in &function.exprs {
            if let ExprKind::Root(Root::Object(o)) = expr.kind {
                out[o.index()] = true;
            }
        }
    }
    out
}

fn root_name(program: &Program, root: Root) -> String {
    match root {
        Root::Object(o) => format!("&{}", program.objects[o.index()].name),
        Root::Function(f) => format!("&{}", program.functions[f.index()].name),
        Root::Label(f, block) => {
            format!("&&{}:b{}", program.functions[f.index()].name, block.index())
        }
    }
}

struct Dump<'a> {
    program: &'a Program,
    function: &'a Function,
    id: FuncId,
    out: &'a mut String,
}

impl Dump<'_> {
    fn function(&mut self) {
        let shown = self.program.types.show(self.function.ty);
        // The name goes where the parameters start.
        let head = match shown.find(" (") {
            Some(at) => format!("{} {}{}", &shown[..at], self.function.name, &shown[at + 1..]),
            None => format!("{}: {shown}", self.function.name),
        };
        let place = self.program.place(self.function.at);
        let _ = writeln!(self.out, "\n{head}  ; {place}");
        for (i, local) in self.function.locals.iter().enumerate() {
            let id = LocalId::new(i);
            if local.name.is_empty() && local.home == Home::Register {
                continue;
            }
            let param = if self.function.params.contains(&id) { "param" } else { "local" };
            let home = match local.home {
                Home::Register => "",
                Home::Memory => "  ; in memory",
                Home::ByAddress => "  ; by address",
            };
            let (name, ty) = (self.local(id), self.program.types.show(local.ty));
            let _ = writeln!(self.out, "  {param} {name}: {ty}{home}");
        }
        let reached = self.reached();
        for (i, block) in self.function.blocks.iter().enumerate() {
            if !reached[i] {
                continue;
            }
            let _ = writeln!(self.out, "  b{i}:");
            for stmt in &block.stmts {
                let text = self.statement(&stmt.kind);
                let _ = writeln!(self.out, "    {text}  ; {}", stmt.at.line);
            }
            let end = self.end(&block.end);
            let _ = writeln!(self.out, "    {end}");
        }
    }

    /// Which blocks control can get to.
    fn reached(&self) -> Vec<bool> {
        let mut seen = vec![false; self.function.blocks.len()];
        let mut todo = vec![0];
        // Labels whose address is taken anywhere may be jumped to.
        let labels = self.function.exprs.iter().map(|e| &e.kind).filter_map(|kind| match kind {
            ExprKind::Root(Root::Label(f, block)) if *f == self.id => Some(block.index()),
            _ => None,
        });
        todo.extend(labels);
        let fixed = self.program.objects.iter().flat_map(|o| &o.addresses);
        todo.extend(fixed.filter_map(|(_, root, _)| match root {
            Root::Label(f, block) if *f == self.id => Some(block.index()),
            _ => None,
        }));
        while let Some(block) = todo.pop() {
            if std::mem::replace(&mut seen[block], true) {
                continue;
            }
            match &self.function.blocks[block].end {
                End::Jump(to) => todo.push(to.index()),
                End::Branch(_, a, b) => todo.extend([a.index(), b.index()]),
                End::Switch(_, cases, default) => {
                    todo.extend(cases.iter().map(|c| c.2.index()));
                    todo.push(default.index());
                }
                End::JumpTo(_) | End::Return(_) | End::FellOff | End::Unreachable => {}
            }
        }
        seen
    }

    fn local(&self, id: LocalId) -> String {
        let local = &self.function.locals[id.index()];
        let same = |l: &&crate::Local| l.name == local.name;
        match local.name.is_empty() {
            true => format!("t{}", id.index()),
            false if self.function.locals[..id.index()].iter().any(|l| same(&l)) => {
                format!("{}#{}", local.name, id.index())
            }
            false => local.name.clone(),
        }
    }

    fn statement(&self, kind: &StmtKind) -> String {
        let e = |id: &ExprId| self.expr(*id);
        match kind {
            StmtKind::Set(local, value) => format!("{} = {}", self.local(*local), e(value)),
            StmtKind::Eval(value) => format!("eval {}", e(value)),
            StmtKind::Store { to, value } => {
                let ty = self.program.types.show(self.function.expr(*value).ty);
                format!("{} := {}  : {ty}", self.at(*to), e(value))
            }
            StmtKind::StoreBits { to, first, width, value } => {
                format!("{}.[{first}+:{width}] := {}", self.at(*to), e(value))
            }
            StmtKind::Copy { to, from, size } => {
                format!("{} := {}  : {size} bytes", self.at(*to), self.at(*from))
            }
            StmtKind::Zero { to, size } => format!("{} := 0  : {size} bytes", self.at(*to)),
            StmtKind::Call(call) => {
                let callee = match call.callee {
                    Callee::Direct(f) => self.program.functions[f.index()].name.clone(),
                    Callee::Indirect(address) => format!("(*{})", self.expr(address)),
                };
                let args: Vec<String> = call.args.iter().map(e).collect();
                let call_text = format!("{callee}({})", args.join(", "));
                match (call.result, call.result_at) {
                    (Some(result), _) => format!("{} = {call_text}", self.local(result)),
                    (None, Some(at)) => format!("{} := {call_text}", self.at(at)),
                    (None, None) => call_text,
                }
            }
            StmtKind::Allocate { to, size } => {
                format!("{} = allocate {}", self.local(*to), e(size))
            }
            StmtKind::Mark(local) => format!("{} = mark", self.local(*local)),
            StmtKind::Free(local) => format!("free {}", self.local(*local)),
            StmtKind::Begin(local) => format!("begin {}", self.local(*local)),
            StmtKind::Alive(local) => format!("alive {}", self.local(*local)),
            StmtKind::Leave(list) => {
                let names: Vec<String> = list.iter().map(|l| self.local(*l)).collect();
                format!("leave {}", names.join(", "))
            }
            StmtKind::VaStart(list) => format!("va_start {}", e(list)),
            StmtKind::VaNext { to, list, ty } => {
                let ty = self.program.types.show(*ty);
                format!("{} = va_next {}, {ty}", self.local(*to), e(list))
            }
            StmtKind::SetJump { buffer, result } => {
                format!("{} = setjmp {}", self.local(*result), e(buffer))
            }
            StmtKind::Overflow { op, operands, result, overflow } => format!(
                "{}, {} = {} {} {} with overflow",
                self.local(*result),
                self.local(*overflow),
                e(&operands.0),
                op.text(),
                e(&operands.1)
            ),
            StmtKind::Closure { to, function, chain } => {
                format!("{} = closure {} with {}", self.local(*to), e(function), e(chain))
            }
            StmtKind::Within { index, count, .. } => format!("within {} of {}", e(index), e(count)),
            StmtKind::NotCovered(what) => format!("not covered: {what}"),
        }
    }

    fn end(&self, end: &End) -> String {
        match end {
            End::Jump(to) => format!("goto b{}", to.index()),
            End::Branch(c, a, b) => {
                format!("if {} goto b{} else b{}", self.expr(*c), a.index(), b.index())
            }
            End::Switch(value, cases, default) => {
                let mut out = format!("switch {}", self.expr(*value));
                for (low, high, to) in cases {
                    let _ = match low == high {
                        true => write!(out, ", {low}: b{}", to.index()),
                        false => write!(out, ", {low}..{high}: b{}", to.index()),
                    };
                }
                let _ = write!(out, ", else b{}", default.index());
                out
            }
            End::JumpTo(to) => format!("goto *{}", self.expr(*to)),
            End::Return(Some(value)) => format!("return {}", self.expr(*value)),
            End::Return(None) => "return".to_owned(),
            End::FellOff => "return without a value".to_owned(),
            End::Unreachable => "unreachable".to_owned(),
        }
    }

    /// What lies at an address.
    fn at(&self, address: ExprId) -> String {
        match self.function.expr(address).kind {
            ExprKind::AddressOf(local) => self.local(local),
            ExprKind::Root(Root::Object(o)) => self.program.objects[o.index()].name.clone(),
            _ => format!("*({})", self.expr(address)),
        }
    }

    /// An expression. Operands have smaller numbers, so this could be a loop; texts of operands are put
    /// together with an explicit stack instead.
    fn expr(&self, id: ExprId) -> String {
        enum Part {
            Expr(ExprId),
            Text(String),
        }
        let mut out = String::new();
        let mut todo = vec![Part::Expr(id)];
        while let Some(part) = todo.pop() {
            let id = match part {
                Part::Text(text) => {
                    out.push_str(&text);
                    continue;
                }
                Part::Expr(id) => id,
            };
            let expr = self.function.expr(id);
            let ty = || self.program.types.show(expr.ty);
            let signed = self.program.types.as_int(expr.ty).is_some_and(|int| int.signed);
            match &expr.kind {
                ExprKind::Int(n) => {
                    let _ = write!(out, "{n}");
                    if !signed && self.program.types.is_integer(expr.ty) {
                        out.push('u');
                    }
                }
                ExprKind::Float(x) => {
                    let _ = write!(out, "{x:?}");
                }
                ExprKind::Local(local) => out.push_str(&self.local(*local)),
                ExprKind::AddressOf(local) => {
                    let _ = write!(out, "&{}", self.local(*local));
                }
                ExprKind::Root(root) => out.push_str(&root_name(self.program, *root)),
                ExprKind::Load(address) => match self.function.expr(*address).kind {
                    ExprKind::AddressOf(_) | ExprKind::Root(Root::Object(_)) => {
                        out.push_str(&self.at(*address));
                    }
                    _ => {
                        out.push_str("*(");
                        todo.push(Part::Text(")".to_owned()));
                        todo.push(Part::Expr(*address));
                    }
                },
                ExprKind::LoadBits(address, first, width) => {
                    out.push_str("*(");
                    todo.push(Part::Text(format!(").[{first}+:{width}]")));
                    todo.push(Part::Expr(*address));
                }
                ExprKind::Unary(op, a) => {
                    out.push(if *op == UnOp::Neg { '-' } else { '~' });
                    todo.push(Part::Expr(*a));
                }
                ExprKind::Binary(op, a, b) => {
                    out.push('(');
                    let mark = match op {
                        BinOp::Add | BinOp::Sub | BinOp::Mul if signed => "!",
                        _ => "",
                    };
                    todo.push(Part::Text(")".to_owned()));
                    todo.push(Part::Expr(*b));
                    todo.push(Part::Text(format!(" {}{mark} ", op.text())));
                    todo.push(Part::Expr(*a));
                }
                ExprKind::Convert(a) => {
                    let _ = write!(out, "({})", ty());
                    todo.push(Part::Expr(*a));
                }
            }
        }
        out
    }
}
