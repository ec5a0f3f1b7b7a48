//! Statements and declarations of blocks.

use crate::lower::{Entity, Exit, Lowered, Lowerer, Op, Switch};
use crate::place::{Place, Where};
use crate::program::{BlockId, Call, Callee, End, FuncId, Gap, Home, LocalId, Stmt, StmtKind};
use c_types::{Kind, Length, Ty};
use front_c::{Declaration, ForInit, StmtId, StmtKind as Tree, Storage, Sym, TypeKind};
use rustc_hash::FxHashMap;

impl Lowerer<'_> {
    pub(crate) fn open_scope(&mut self) {
        self.scopes.push(FxHashMap::default());
        self.f.marks.push(None);
        self.f.scoped.push(Vec::new());
        self.f.cleanups.push(Vec::new());
    }

    pub(crate) fn close_scope(&mut self) {
        self.f.furthest = self.f.furthest.max(self.at.line);
        for entity in self.scopes.pop().unwrap_or_default().into_values() {
            // The scope of the function's own block ends with it.
            if let (Entity::Local(local), true) = (entity, self.scopes.len() > 1) {
                self.f.locals[local.index()].until = self.f.furthest;
            }
        }
        let depth = self.f.cleanups.len().saturating_sub(1);
        self.clean_down_to(depth);
        self.f.cleanups.pop();
        if let Some(Some(mark)) = self.f.marks.pop() {
            self.stmt(StmtKind::Free(mark));
        }
        let gone = self.f.scoped.pop().unwrap_or_default();
        self.gone(gone);
    }

    fn gone(&mut self, locals: Vec<LocalId>) {
        if !locals.is_empty() {
            self.stmt(StmtKind::Leave(locals));
        }
    }

    /// Says that a local in memory lives as long as the scope that is open: those of the outermost one live as long
    /// as the function's frame.
    pub(crate) fn lives_here(&mut self, local: LocalId) {
        if self.f.scoped.len() > 2
            && let Some(scope) = self.f.scoped.last_mut()
        {
            scope.push(local);
            if self.dry == 0 {
                self.f.inner.push(local);
            }
        }
    }

    /// Where control comes from elsewhere: what lives here does, however it was entered.
    fn living(&mut self, label: Option<BlockId>) {
        let all: Vec<LocalId> = self.f.scoped.iter().flatten().copied().collect();
        for &local in &all {
            self.stmt(StmtKind::Alive(local));
        }
        if let Some(label) = label.filter(|_| self.dry == 0) {
            self.f.living.push((label, all));
        }
    }

    /// A jump to a label leaves all blocks that are not around it.
    pub(crate) fn leave_by_jumps(&mut self) {
        for (block, living) in std::mem::take(&mut self.f.living) {
            let gone = self.f.inner.iter().filter(|l| !living.contains(l)).copied();
            let gone: Vec<LocalId> = gone.collect();
            let block = &mut self.f.blocks[block.index()];
            if !gone.is_empty() {
                block.stmts.insert(0, Stmt { kind: StmtKind::Leave(gone), at: block.end_at });
            }
        }
    }

    /// Calls what `cleanup` says of the locals of scopes from a depth on, the last one first.
    fn clean_down_to(&mut self, depth: usize) {
        let open = &self.f.cleanups[depth.min(self.f.cleanups.len())..];
        let due: Vec<(LocalId, FuncId)> = open.iter().flatten().copied().rev().collect();
        for (local, function) in due {
            let address = self.address_of(local);
            let ty = self.functions[function.index()].ty;
            self.stmt(StmtKind::Call(Call {
                callee: Callee::Direct(function),
                ty,
                args: vec![address],
                result: None,
                result_at: None,
            }));
        }
    }

    fn to_clean(&self) -> bool {
        self.f.cleanups.iter().any(|scope| !scope.is_empty())
    }

    /// Frees what scopes from a depth on have allocated.
    fn free_down_to(&mut self, depth: usize) {
        self.clean_down_to(depth);
        let mark = self.f.marks[depth.min(self.f.marks.len())..].iter().flatten().next().copied();
        if let Some(mark) = mark {
            self.stmt(StmtKind::Free(mark));
        }
        let open = &self.f.scoped[depth.min(self.f.scoped.len())..];
        let gone = open.iter().flatten().copied().collect();
        self.gone(gone);
    }

    /// The block of a label.
    pub(crate) fn label(&mut self, label: Sym) -> BlockId {
        if let Some(&block) = self.f.labels.get(&label) {
            return block;
        }
        let block = self.block();
        if self.dry == 0 {
            self.f.labels.insert(label, block);
        }
        block
    }

    pub(crate) fn place_label(&mut self, label: Sym) {
        let block = self.label(label);
        if self.dry == 0 {
            self.f.placed.insert(label);
            self.goto(block);
            self.living(Some(block));
        }
    }

    /// A statement. What is not covered ends runs that get there.
    pub(crate) fn statement(&mut self, s: StmtId) -> Lowered<()> {
        let here = self.here(self.unit().stmt(s).at);
        if here.line > 0 {
            self.at = here;
            self.f.furthest = self.f.furthest.max(here.line);
        }
        let scopes = (self.scopes.len(), self.f.exits.len(), self.f.switches.len());
        let marks = self.f.marks.len();
        let depth = self.depth;
        if let Err(gap) = self.deeper(|l| l.statement_here(s)) {
            self.depth = depth;
            self.scopes.truncate(scopes.0);
            self.f.exits.truncate(scopes.1);
            self.f.switches.truncate(scopes.2);
            self.f.marks.truncate(marks);
            self.f.scoped.truncate(marks);
            self.f.cleanups.truncate(marks);
            if self.dry > 0 {
                return Err(gap);
            }
            self.not_covered(gap);
        }
        Ok(())
    }

    fn statement_here(&mut self, s: StmtId) -> Lowered<()> {
        let unit = self.unit();
        let at = self.at;
        match &unit.stmt(s).kind {
            Tree::Empty => {}
            Tree::Expr(e) => self.effect(*e)?,
            Tree::Block(list, end) => {
                self.open_scope();
                for &stmt in list {
                    self.statement(stmt)?;
                }
                self.at = self.here(*end);
                self.close_scope();
            }
            Tree::Declare(list) => {
                for &ty in unit.extra.typedefs.get(&s).into_iter().flatten() {
                    self.measure(ty);
                }
                self.declarations(list)?;
                self.define_inner(s)?;
            }
            Tree::If(c, then, other) => {
                let (yes, no) = (self.block(), self.block());
                self.condition(*c, yes, no)?;
                let join = if other.is_some() { self.block() } else { no };
                self.f.current = yes;
                self.statement(*then)?;
                self.end(End::Jump(join), no);
                if let Some(other) = other {
                    self.statement(*other)?;
                    self.end(End::Jump(join), join);
                }
                self.f.current = join;
            }
            Tree::While(c, body) => {
                let (head, inside, after) = (self.block(), self.block(), self.block());
                self.goto(head);
                self.condition(*c, inside, after)?;
                self.f.current = inside;
                self.looped(*body, after, head)?;
                self.at = at;
                self.end(End::Jump(head), after);
            }
            Tree::DoWhile(body, c) => {
                let (head, test, after) = (self.block(), self.block(), self.block());
                self.goto(head);
                self.looped(*body, after, test)?;
                self.goto(test);
                self.condition(*c, head, after)?;
                self.f.current = after;
            }
            Tree::For(init, c, step, body) => {
                self.open_scope();
                match init {
                    ForInit::None => {}
                    ForInit::Expr(e) => self.effect(*e)?,
                    ForInit::Declare(list) => self.declarations(list)?,
                }
                let (head, inside) = (self.block(), self.block());
                let (next, after) = (self.block(), self.block());
                self.goto(head);
                match c {
                    Some(c) => self.condition(*c, inside, after)?,
                    None => self.end(End::Jump(inside), inside),
                }
                self.f.current = inside;
                self.looped(*body, after, next)?;
                self.goto(next);
                if let Some(step) = step {
                    self.at = at;
                    if let Err(gap) = self.effect(*step) {
                        self.not_covered(gap);
                    }
                }
                self.end(End::Jump(head), after);
                self.close_scope();
            }
            Tree::Switch(e, body) => self.switch(*e, *body)?,
            Tree::Goto(_) | Tree::GotoComputed(_) if self.to_clean() => {
                return self.gap("a jump where `cleanup` is due");
            }
            Tree::Goto(label) => {
                let block = self.label(*label);
                self.leave(End::Jump(block));
            }
            Tree::GotoComputed(e) => {
                let value = self.rvalue(*e)?;
                self.leave(End::JumpTo(value.expr));
            }
            Tree::Break => {
                let Some(exit) = self.f.exits.last() else { return self.gap("`break` out here") };
                let (block, scopes) = (exit.on_break, exit.scopes);
                self.free_down_to(scopes);
                self.leave(End::Jump(block));
            }
            Tree::Continue => {
                let exit = self.f.exits.iter().rev().find(|x| x.on_continue.is_some());
                let Some((Some(block), scopes)) = exit.map(|x| (x.on_continue, x.scopes)) else {
                    return self.gap("`continue` out here");
                };
                self.free_down_to(scopes);
                self.leave(End::Jump(block));
            }
            Tree::Return(value) => self.give_back(*value)?,
            Tree::Label(label, inner) => {
                self.place_label(*label);
                self.statement(*inner)?;
            }
            Tree::Case(low, high, inner) => {
                let block = self.block();
                let case = self.case(*low, *high, block);
                self.goto(block);
                self.living(None);
                case?;
                self.statement(*inner)?;
            }
            Tree::Default(inner) => {
                let block = self.block();
                match self.f.switches.last_mut() {
                    Some(switch) => switch.default = Some(block),
                    None => return self.gap("`default` out here"),
                }
                self.goto(block);
                self.living(None);
                self.statement(*inner)?;
            }
            Tree::Asm(asm) => {
                let nothing = asm.empty && (asm.outputs.is_empty() || asm.inputs.is_empty());
                let operands = asm.outputs.iter().chain(&asm.inputs);
                let effects = operands.into_iter().any(|e| self.effects[self.u][e.index()]);
                if (!nothing || effects) && !self.hands_on(asm)? {
                    return self.gap("assembler");
                }
            }
        }
        Ok(())
    }

    /// Assembler without text hands on what lies in the same register: `asm("" : "=r"(x) : "0"(y))` is `x = y`.
    fn hands_on(&mut self, asm: &front_c::Asm) -> Lowered<bool> {
        let tied = |k: usize| asm.ties.contains(&Some(k as u32));
        let known = (0..asm.outputs.len()).all(|k| asm.kept.get(k) == Some(&true) || tied(k));
        let whole = asm.ties.iter().flatten().all(|&k| (k as usize) < asm.outputs.len());
        let effects = asm.outputs.iter().any(|e| self.effects[self.u][e.index()]);
        if !asm.empty || !known || !whole || !asm.labels.is_empty() || effects {
            return Ok(false);
        }
        let mut values = Vec::new();
        for (&input, tie) in asm.inputs.iter().zip(&asm.ties) {
            let value = self.rvalue(input)?;
            match tie {
                Some(k) => values.push((*k, self.outlive(value)?)),
                None => continue,
            }
        }
        for (k, value) in values {
            let place = self.place(asm.outputs[k as usize])?;
            self.store(place, value, false)?;
        }
        Ok(true)
    }

    /// A condition; where it is not covered, both ways are left open, and not reached from here.
    fn condition(&mut self, c: front_c::ExprId, yes: BlockId, no: BlockId) -> Lowered<()> {
        match self.branch(c, yes, no) {
            Err(gap) if self.dry == 0 => {
                self.not_covered(gap);
                Ok(())
            }
            other => other,
        }
    }

    fn looped(&mut self, body: StmtId, after: BlockId, next: BlockId) -> Lowered<()> {
        let scopes = self.f.marks.len();
        self.f.exits.push(Exit { on_break: after, on_continue: Some(next), scopes });
        let result = self.statement(body);
        self.f.exits.pop();
        result
    }

    fn switch(&mut self, e: front_c::ExprId, body: StmtId) -> Lowered<()> {
        let value = self.rvalue(e)?;
        if !self.types.is_integer(value.ty) {
            return self.gap("a `switch` on what is no integer");
        }
        let ty = self.types.promoted(value.ty);
        let value = self.convert(value.expr, ty);
        let (head, head_at) = (self.f.current, self.at);
        let (inside, after) = (self.block(), self.block());
        self.f.current = inside;
        let scopes = self.f.marks.len();
        self.f.exits.push(Exit { on_break: after, on_continue: None, scopes });
        self.f.switches.push(Switch { cases: Vec::new(), default: None, ty });
        let result = self.statement(body);
        self.f.exits.pop();
        let switch = self.f.switches.pop();
        result?;
        self.end(End::Jump(after), head);
        if let Some(Switch { cases, default, .. }) = switch {
            self.at = head_at;
            self.end(End::Switch(value, cases, default.unwrap_or(after)), after);
        }
        self.f.current = after;
        Ok(())
    }

    fn case(
        &mut self,
        low: front_c::ExprId,
        high: Option<front_c::ExprId>,
        block: BlockId,
    ) -> Lowered<()> {
        let first = self.constant_expr(low)?;
        let last = match high {
            Some(high) => self.constant_expr(high)?,
            None => first,
        };
        let (Some(first), Some(last)) = (first, last) else {
            return self.gap("a `case` that is no constant");
        };
        let Some(ty) = self.f.switches.last().map(|s| s.ty) else {
            return self.gap("`case` out here");
        };
        let (first, last) = (self.wrap(first, ty), self.wrap(last, ty));
        if let Some(switch) = self.f.switches.last_mut() {
            switch.cases.push((first, last, block));
        }
        Ok(())
    }

    fn give_back(&mut self, value: Option<front_c::ExprId>) -> Lowered<()> {
        let Some(ty) = self.f.result else { return self.gap("`return` out here") };
        let end = match value {
            None if self.types.is_void(ty) => End::Return(None),
            None => End::FellOff,
            Some(e) if self.types.is_void(ty) => {
                self.effect(e)?;
                End::Return(None)
            }
            Some(e) => {
                let value = self.rvalue(e)?;
                let value = match self.types.parts(ty) {
                    Some(_) => self.as_parts(value, ty)?,
                    None => value,
                };
                let expr = match self.types.as_record(ty) {
                    Some(_) if self.types.as_record(value.ty).is_some() => value.expr,
                    Some(_) => return self.gap("a number is returned as a struct"),
                    None => self.scalar(value, ty)?,
                };
                // What is cleaned up must not change it.
                let expr = match (self.to_clean(), self.types.is_scalar(ty)) {
                    (false, _) => expr,
                    (true, true) => self.keep(expr),
                    (true, false) => self.outlive(Op { expr, ty })?.expr,
                };
                End::Return(Some(expr))
            }
        };
        self.clean_down_to(0);
        self.leave(end);
        Ok(())
    }

    // Declarations.

    fn declarations(&mut self, list: &[Declaration]) -> Lowered<()> {
        for d in list {
            self.at = self.here(d.at);
            if let Err(gap) = self.declaration(d) {
                // The name is this one's from here on, whatever it is.
                let void = self.types.of(Kind::Void);
                let local = self.local(self.text(d.name), void, Home::Memory, self.at);
                self.bind(d.name, Entity::Local(local));
                if self.dry > 0 {
                    return Err(gap);
                }
                self.not_covered(Gap { at: gap.at, what: gap.what });
            }
        }
        Ok(())
    }

    fn bind(&mut self, name: Sym, entity: Entity) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, entity);
        }
    }

    fn declaration(&mut self, d: &Declaration) -> Lowered<()> {
        let unit = self.unit();
        let cleanup = match d.attributes.cleanup {
            Some(name) => match self.lookup(name) {
                Some(Entity::Function(id)) => Some(id),
                _ => return self.gap("the attribute `cleanup`"),
            },
            None => None,
        };
        let node = unit.ty(d.ty);
        let auto = matches!(node.kind, TypeKind::Other(sym) if unit.name(sym) == "__auto_type");
        let ty = match (auto, d.init.map(|init| &unit.inits[init.index()])) {
            (true, Some(front_c::Init::Expr(e))) => {
                let e = *e;
                let value = self.dry(|l| Ok(l.rvalue(e)?.ty))?;
                self.types.plain(value)
            }
            _ => self.ty(d.ty)?,
        };
        let is_function = matches!(self.types.kind(ty), Kind::Function(_));
        if is_function && d.storage == Storage::Auto {
            let entity = self.declare_inner(d.name, ty);
            self.bind(d.name, entity);
            return Ok(());
        }
        if d.storage == Storage::Extern || is_function {
            let entity = self.declare(d, self.u < self.own, false)?;
            self.bind(d.name, entity);
            return Ok(());
        }
        let ty = match d.init {
            Some(init) => self.completed_by(ty, init)?,
            None => ty,
        };
        let asked = self.asked_alignment(d.attributes.aligned)?;
        if d.storage == Storage::Static || d.thread {
            let name = format!("{}::{}", self.f.name, self.text(d.name));
            let own = self.u < self.own;
            let object = self.object(&name, ty, asked.unwrap_or(1), own);
            self.bind(d.name, Entity::Object(object));
            if let Some(init) = d.init
                && self.dry == 0
            {
                self.static_initialiser(object, init)?;
            }
            return Ok(());
        }
        if self.is_variable(ty) {
            if cleanup.is_some() {
                return self.gap("the attribute `cleanup`");
            }
            return self.variable_length(d, ty);
        }
        self.size_of(ty)?;
        let scalar = self.types.is_scalar(ty);
        let taken = self.f.taken.contains(&d.name) || cleanup.is_some();
        let home = if scalar && !taken { Home::Register } else { Home::Memory };
        let local = self.local(self.text(d.name), ty, home, self.at);
        if let Some(asked) = asked {
            let slot = &mut self.f.locals[local.index()];
            slot.align = slot.align.max(asked);
        }
        self.bind(d.name, Entity::Local(local));
        if home == Home::Memory {
            self.lives_here(local);
        }
        if home == Home::Memory || d.init.is_none() {
            self.stmt(StmtKind::Begin(local));
        }
        if let Some(init) = d.init {
            let (ty, register, address) = self.entity(Entity::Local(local));
            let at = match (register, address) {
                (Some(local), _) => Where::Register(local),
                (None, Some(address)) => Where::Memory(address),
                (None, None) => return self.gap("a local without a place"),
            };
            self.initialise(Place { at, ty }, init)?;
        }
        if let (Some(function), Some(scope)) = (cleanup, self.f.cleanups.last_mut()) {
            scope.push((local, function));
        }
        Ok(())
    }

    pub(crate) fn is_variable(&self, mut ty: Ty) -> bool {
        while let Kind::Array(element, length) = self.types.kind(ty) {
            if matches!(length, Length::Variable(_)) {
                return true;
            }
            ty = *element;
        }
        false
    }

    /// An array of variable length lives behind a pointer.
    fn variable_length(&mut self, d: &Declaration, ty: Ty) -> Lowered<()> {
        if d.init.is_some() {
            return self.gap("an initial value of an array of variable length");
        }
        let size = self.size_expr(ty)?;
        let Kind::Array(..) = self.types.kind(ty) else { return self.gap("no array") };
        if let Some(slot) = self.f.marks.last()
            && slot.is_none()
        {
            let ty = self.types.size_type();
            let mark: LocalId = self.temp(ty);
            self.stmt(StmtKind::Mark(mark));
            if let Some(slot) = self.f.marks.last_mut() {
                *slot = Some(mark);
            }
        }
        // `ByAddress`: the local's register holds the address of the array.
        let local = self.local(self.text(d.name), ty, Home::ByAddress, self.at);
        self.stmt(StmtKind::Allocate { to: local, size });
        self.bind(d.name, Entity::Local(local));
        Ok(())
    }

    /// Gives an object its initial value.
    pub(crate) fn initialise(&mut self, place: Place, init: front_c::InitId) -> Lowered<()> {
        let ty = self.types.plain(place.ty);
        if self.types.is_scalar(ty) {
            let e = self.scalar_initialiser(init)?;
            if let Some(e) = e {
                let value = self.rvalue(e)?;
                self.store(place, value, false)?;
            } else {
                let zero = self.zero(ty);
                self.store(place, Op { expr: zero, ty }, false)?;
            }
            return Ok(());
        }
        let Where::Memory(address) = place.at else { return self.gap("an object in no memory") };
        self.initialise_aggregate(address, place.ty, init)
    }
}
