//! Functions inside of functions (GNU C).
//!
//! - IF1: a function whose locals are used by one inside of it has a *frame*: an array of words in memory, with the
//!   addresses of these locals. It is filled where the function begins.
//! - IF2: a function inside of another has one parameter more, the first one: the frame of the function around it.
//!   The first word of its own frame is that parameter, so that functions further out can be found.
//! - IF3: arrays of variable length, and their lengths, are known only when they were met: their words are filled
//!   where the inner function is defined.
//! - IF4: the value of such a function's name is a closure: an address that calls it with that frame
//!   ([`StmtKind::Closure`]). Nobody may call it when the frame is gone.
//! - IF5: a jump to a label of the function around is a `longjmp`; that function calls `setjmp` where it begins.
//!
//! After [closures], which calls the frame's address a static chain.

use crate::lower::{Current, Entity, Lowered, Lowerer};
use crate::program::{
    Block, BlockId, Call, Callee, End, ExprId, ExprKind, FuncId, Home, Local, LocalId, Root,
    StmtKind,
};
use c_types::{IntKind, Kind, Length, Signature, Ty};
use front_c::{StmtId, Sym};
use rustc_hash::FxHashMap;

/// A function around the one that is being lowered.
pub(crate) struct Outer {
    pub(crate) f: Current,
    pub(crate) scopes: Vec<FxHashMap<Sym, Entity>>,
}

/// A function inside of another one.
#[derive(Clone, Copy)]
pub(crate) struct Inner {
    pub(crate) id: FuncId,
    /// Its type as it is declared.
    pub(crate) ty: Ty,
    /// How many functions are around the one that it is in.
    pub(crate) level: usize,
    defined: bool,
}

/// What a word of a frame has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// The address of a local, which is known from the beginning.
    Early(LocalId),
    /// The address of an array of variable length.
    Late(LocalId),
    /// A number that stays.
    Number(LocalId),
}

/// The frame of a function.
#[derive(Default)]
pub(crate) struct Frame {
    local: Option<LocalId>,
    /// Words from the second one on, and whether they were filled.
    words: Vec<(Word, bool)>,
    /// The first word is used.
    outward: bool,
    /// Labels that inner functions jump to, with the buffers of their `setjmp`.
    jumps: Vec<(Sym, LocalId)>,
}

impl Frame {
    fn slot(&mut self, word: Word) -> u64 {
        let at = self.words.iter().position(|w| w.0 == word).unwrap_or_else(|| {
            self.words.push((word, false));
            self.words.len() - 1
        });
        at as u64 + 1
    }
}

/// How many words a buffer of `setjmp` has.
const JUMP_WORDS: u64 = 25;

impl Lowerer<'_> {
    fn word_type(&mut self) -> Ty {
        let void = self.types.of(Kind::Void);
        self.types.pointer_to(void)
    }

    /// The frame of a function around this one, or of this one itself.
    fn frame_local(&mut self, level: usize) -> LocalId {
        let ty = self.word_type();
        let align = self.types.align(ty);
        let at = self.at;
        let f = match self.outers.get_mut(level) {
            Some(outer) => &mut outer.f,
            None => &mut self.f,
        };
        *f.frame.local.get_or_insert_with(|| {
            let name = "(frame)".to_owned();
            f.locals.push(Local { name, ty, home: Home::Memory, align, at, until: 0 });
            LocalId::new(f.locals.len() - 1)
        })
    }

    /// The address of the frame of a function around this one, or of this one.
    fn frame_of(&mut self, level: usize) -> ExprId {
        let local = self.frame_local(level);
        let depth = self.outers.len();
        if level >= depth {
            return self.address_of(local);
        }
        let word = self.word_type();
        let chain = self.f.chain.unwrap_or(LocalId::new(0));
        let mut frame = self.read(chain);
        for between in (level + 1..depth).rev() {
            self.frame_local(between);
            self.outers[between].f.frame.outward = true;
            let pointer = self.types.pointer_to(word);
            let at = self.retyped(frame, pointer);
            frame = self.expr(ExprKind::Load(at), word);
        }
        frame
    }

    /// What a word of a frame holds, as something of a type.
    fn read_of_frame(&mut self, level: usize, word: Word, ty: Ty) -> ExprId {
        let slot = self.outers[level].f.frame.slot(word);
        let frame = self.frame_of(level);
        let bytes = u64::from(self.types.model().pointer / 8);
        let at = self.offset(frame, slot * bytes, ty);
        self.expr(ExprKind::Load(at), ty)
    }

    /// The address of a local of a function around this one.
    pub(crate) fn outer_local(&mut self, level: usize, local: LocalId) -> (Ty, ExprId) {
        let ty = self.outers[level].f.locals[local.index()].ty;
        let word = match self.is_variable(ty) {
            true => Word::Late(local),
            false => Word::Early(local),
        };
        let pointer = self.types.pointer_to(ty);
        (ty, self.read_of_frame(level, word, pointer))
    }

    /// The length of an array of variable length.
    pub(crate) fn count_of(&mut self, number: u32) -> ExprId {
        let (serial, local) = self.counts[number as usize];
        let level = self.outers.iter().position(|outer| outer.f.serial == serial);
        match level {
            Some(level) if serial != self.f.serial => {
                let size = self.types.size_type();
                self.read_of_frame(level, Word::Number(local), size)
            }
            _ => self.read(local),
        }
    }

    /// What a name stands for in functions around this one.
    pub(crate) fn lookup_outside(&self, name: Sym) -> Option<Entity> {
        for (level, outer) in self.outers.iter().enumerate().rev() {
            let found = outer.scopes.iter().rev().find_map(|s| s.get(&name)).copied();
            match found {
                Some(Entity::Local(local)) => return Some(Entity::Outside(level, local)),
                Some(other) => return Some(other),
                None => {}
            }
        }
        None
    }

    /// The closure that the name of an inner function is (IF4).
    pub(crate) fn closure(&mut self, number: usize) -> (Ty, ExprId) {
        let Inner { id, ty, level, .. } = self.inners[number];
        let pointer = self.types.pointer_to(ty);
        let to = self.temp(pointer);
        let function = self.root(Root::Function(id), ty);
        let chain = self.frame_of(level);
        self.stmt(StmtKind::Closure { to, function, chain });
        (ty, self.read(to))
    }

    /// What a call of an inner function by its name passes first.
    pub(crate) fn chain_of(&mut self, number: usize) -> ExprId {
        let level = self.inners[number].level;
        let frame = self.frame_of(level);
        let word = self.word_type();
        self.retyped(frame, word)
    }

    /// Declares a function inside of this one.
    pub(crate) fn declare_inner(&mut self, name: Sym, ty: Ty) -> Entity {
        let level = self.outers.len();
        let known = self.scopes.last().and_then(|scope| scope.get(&name)).copied();
        if let Some(Entity::Inner(number)) = known
            && !self.inners[number].defined
        {
            return Entity::Inner(number);
        }
        let text = format!("{}::{}", self.f.name, self.text(name));
        let signature = self.types.signature(ty).cloned();
        let word = self.word_type();
        let hidden = signature.map(|s| {
            let mut params = s.params.clone();
            if !s.unprototyped {
                params.insert(0, word);
            }
            Signature { params, ..s }
        });
        let own = hidden.map_or(ty, |s| self.types.of(Kind::Function(s)));
        let id = self.new_function(&text, own, self.u < self.own);
        self.functions[id.index()].chained = true;
        self.inners.push(Inner { id, ty, level, defined: false });
        Entity::Inner(self.inners.len() - 1)
    }

    /// Defines a function inside of this one.
    pub(crate) fn define_inner(&mut self, s: StmtId) -> Lowered<()> {
        let unit = self.unit();
        let Some(f) = unit.extra.inner.get(&s) else { return Ok(()) };
        if self.dry > 0 {
            return self.gap("a function inside of what is not evaluated");
        }
        let ty = self.ty(f.ty)?;
        let Entity::Inner(number) = self.declare_inner(f.name, ty) else {
            return self.gap("a function inside a function");
        };
        self.inners[number].defined = true;
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(f.name, Entity::Inner(number));
        }
        let at = self.at;
        let outer =
            Outer { f: std::mem::take(&mut self.f), scopes: std::mem::take(&mut self.scopes) };
        self.outers.push(outer);
        let name = self.functions[self.inners[number].id.index()].name.clone();
        self.lower_function(self.inners[number].id, f, name);
        if let Some(Outer { f, scopes }) = self.outers.pop() {
            (self.f, self.scopes) = (f, scopes);
        }
        self.at = at;
        self.fill_late();
        Ok(())
    }

    /// IF3
    fn fill_late(&mut self) {
        for i in 0..self.f.frame.words.len() {
            let (word, filled) = self.f.frame.words[i];
            let value = match word {
                Word::Late(local) => self.address_of(local),
                Word::Number(local) => self.read(local),
                Word::Early(_) => continue,
            };
            if !filled {
                self.f.frame.words[i].1 = true;
                self.fill(i as u64 + 1, value);
            }
        }
    }

    fn fill(&mut self, slot: u64, value: ExprId) {
        let level = self.outers.len();
        let frame = self.frame_of(level);
        let bytes = u64::from(self.types.model().pointer / 8);
        let ty = self.type_of(value);
        let to = self.offset(frame, slot * bytes, ty);
        self.stmt(StmtKind::Store { to, value });
    }

    /// IF5: what labels that were not met are turned into.
    pub(crate) fn jump_outward(&mut self) -> Lowered<()> {
        let mut missing: Vec<(Sym, BlockId)> =
            self.f.labels.iter().map(|(&sym, &block)| (sym, block)).collect();
        missing.retain(|(sym, _)| !self.f.placed.contains(sym));
        missing.sort();
        for (sym, block) in missing {
            let Some(level) = self.outers.len().checked_sub(1) else { return Ok(()) };
            let word = self.types.int(IntKind::Long);
            let ty = self.types.of(Kind::Array(word, Length::Known(JUMP_WORDS)));
            let align = self.types.align(ty);
            let at = self.at;
            let outer = &mut self.outers[level].f;
            let known = outer.frame.jumps.iter().find(|(s, _)| *s == sym).map(|(_, l)| *l);
            let buffer = known.unwrap_or_else(|| {
                let name = "(jump)".to_owned();
                outer.locals.push(Local { name, ty, home: Home::Memory, align, at, until: 0 });
                let buffer = LocalId::new(outer.locals.len() - 1);
                outer.frame.jumps.push((sym, buffer));
                buffer
            });
            self.f.current = block;
            let (_, address) = self.outer_local(level, buffer);
            let one = self.int(1);
            let Some(Entity::Function(jump)) = self.externs.get("longjmp").copied() else {
                return self.gap("a jump out of a function");
            };
            let ty = self.functions[jump.index()].ty;
            let word = self.word_type();
            let address = self.retyped(address, word);
            self.stmt(StmtKind::Call(Call {
                callee: Callee::Direct(jump),
                ty,
                args: vec![address, one],
                result: None,
                result_at: None,
            }));
            self.end(End::Unreachable, block);
        }
        Ok(())
    }

    /// IF1: fills the frame where the function begins.
    pub(crate) fn finish_frame(&mut self) {
        let Some(local) = self.f.frame.local else { return };
        let word = self.word_type();
        let count = self.f.frame.words.len() as u64 + 1;
        let ty = self.types.of(Kind::Array(word, Length::Known(count)));
        self.f.locals[local.index()].ty = ty;
        // The first block is the entry: what it had goes to another one.
        let end_at = self.f.blocks[0].end_at;
        let body = std::mem::replace(
            &mut self.f.blocks[0],
            Block { stmts: Vec::new(), end: End::Unreachable, end_at },
        );
        self.f.blocks.push(body);
        self.f.open.push(false);
        self.f.open[0] = true;
        let first = BlockId::new(self.f.blocks.len() - 1);
        self.f.current = BlockId::new(0);
        if let Some(chain) = self.f.chain.filter(|_| self.f.frame.outward) {
            let value = self.read(chain);
            self.fill(0, value);
        }
        for i in 0..self.f.frame.words.len() {
            if let Word::Early(local) = self.f.frame.words[i].0 {
                let value = self.address_of(local);
                self.fill(i as u64 + 1, value);
            }
        }
        for (sym, buffer) in std::mem::take(&mut self.f.frame.jumps) {
            let int = self.int_type();
            let result = self.temp(int);
            let buffer = self.address_of(buffer);
            self.stmt(StmtKind::SetJump { buffer, result });
            let came = self.read(result);
            let label = self.label(sym);
            let next = self.block();
            self.end(End::Branch(came, label, next), next);
        }
        self.end(End::Jump(first), first);
    }

    /// Names that functions inside of this one mention: their locals live in memory.
    pub(crate) fn mentioned_inside(&self, from: u32, to: u32) -> Vec<Sym> {
        let unit = self.unit();
        let inside = unit.extra.inner.values().filter(|f| (from..to).contains(&f.at.offset));
        let ranges: Vec<(u32, u32)> =
            inside.filter(|f| f.at.offset > from).map(|f| (f.at.offset, f.end.offset)).collect();
        if ranges.is_empty() {
            return Vec::new();
        }
        let names = unit.exprs.iter().filter_map(|e| match e.kind {
            front_c::ExprKind::Name(sym) => Some((e.at.offset, sym)),
            _ => None,
        });
        names
            .filter(|(at, _)| ranges.iter().any(|(a, b)| (*a..=*b).contains(at)))
            .map(|(_, sym)| sym)
            .collect()
    }
}
