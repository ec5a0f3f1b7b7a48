//! Symbolic pushdown systems: control locations, stack symbols and rules ([moped §2]).
//!
//! A rule rewrites a control location and the topmost stack symbol, its *head*, to a control
//! location and at most two symbols. Global variables belong to the control location, local ones
//! to each symbol on the stack; which locals a symbol has is told by its [`Frame`]. A relation says
//! which values before go with which values after.
//!
//! [`Spds::from_program`] is direct: nodes are symbols, and one control location will do.
//! [`Spds::to_program`] is for engines that want procedures: the control location becomes a global,
//! each symbol that a rule pushes on top (or that the start puts on the stack) becomes a procedure,
//! and a symbol is copied into each procedure that can come to it.
//!
//! ```
//! use ir::spds::{Head, Right, Spds};
//! use ir::Rel;
//!
//! // p <y> --> p <y y>,  p <y> --> q <>
//! let mut s = Spds::new();
//! let (p, q, frame) = (s.control("p"), s.control("q"), s.frame("", 0));
//! let at = s.origin(0, 1, 1, "");
//! let y = s.symbol("y", frame, at);
//! let head = Head { control: p, symbol: y };
//! s.rule(head, p, Right::Push(y, y), Rel::identity(), at);
//! s.rule(head, q, Right::Pop, Rel::identity(), at);
//! s.start.control = p;
//! s.start.stack = vec![y];
//! s.validate().unwrap();
//! let program = s.to_program();
//! assert_eq!(program.labelled(None, "y").len(), 1);
//! ```

mod dump;
mod formula;
mod from_program;
mod to_program;
mod validate;

pub use dump::dump;

use crate::program::Texts;
use crate::{
    Assign, EventsId, Expr, ExprId, Exprs, Id, IndexVec, Init, MarkSet, Origin, ProcId, Rel,
    TextId, Time, Type, Var, VarId, VarKind, define_id,
};
use rustc_hash::{FxHashMap, FxHashSet};

define_id!(
    /// A control location.
    ControlId
);
define_id!(
    /// A stack symbol.
    SymbolId
);
define_id!(
    /// A rule.
    RuleId
);

/// The locals that some symbols share. The same type as the id of a procedure, because
/// [`VarKind::Local`] names the owner of a local: in a system made from a program, frames have the
/// numbers of its procedures.
pub type FrameId = ProcId;

/// The local variables of some symbols.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its name: the procedure's.
    pub name: TextId,
    /// Its variables; the leading `params` are parameters.
    pub locals: Vec<VarId>,
    /// How many of them are parameters.
    pub params: usize,
}

/// A stack symbol.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name, different from that of others.
    pub name: TextId,
    /// Which locals it carries.
    pub frame: FrameId,
    /// The statement that stands there. Line 0 if there is none.
    pub origin: Origin,
    /// It appears in traces, and `--reach-all` reports on it.
    pub statement: bool,
    /// Control comes here where an assertion failed; it has no rules. With a label, the run is here once before it
    /// has failed.
    pub error: bool,
    /// The labels that `--reach` knows it by.
    pub labels: Vec<TextId>,
}

/// What the rules that apply to a configuration depend on: its control location and topmost symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Head {
    /// The control location.
    pub control: ControlId,
    /// The topmost symbol.
    pub symbol: SymbolId,
}

/// What replaces the topmost symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Right {
    /// Nothing.
    Pop,
    /// Another symbol.
    Step(SymbolId),
    /// Two: the new topmost one, then the one below it.
    Push(SymbolId, SymbolId),
}

impl Right {
    /// The new topmost symbol.
    pub fn top(self) -> Option<SymbolId> {
        match self {
            Right::Pop => None,
            Right::Step(top) | Right::Push(top, _) => Some(top),
        }
    }
    /// The symbol below it, on a push.
    pub fn below(self) -> Option<SymbolId> {
        match self {
            Right::Push(_, below) => Some(below),
            _ => None,
        }
    }
}

/// A rule.
///
/// In its relation, `Pre` is globals and the locals of the head's symbol, `Post` globals and the
/// locals of the new topmost symbol, `Saved` the locals of the symbol below it. What is not
/// assigned follows the frame rule: globals keep their value; locals of a symbol that takes the
/// place of the head's (the only one of a step, the lower one of a push) keep theirs if it has the
/// same frame; other locals are arbitrary.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Where it applies.
    pub from: Head,
    /// The new control location.
    pub to: ControlId,
    /// What replaces the symbol.
    pub right: Right,
    /// What it does to the variables.
    pub rel: Rel,
    /// Where it stands in the source.
    pub origin: Origin,
    /// It executes the statement of its head's symbol.
    pub step: bool,
    /// What a monitor sees on it.
    pub events: EventsId,
    /// Acceptance marks, a bit each.
    pub marks: MarkSet,
}

/// Where runs begin.
#[derive(Clone, Debug)]
pub struct Start {
    /// The control location.
    pub control: ControlId,
    /// The stack, topmost symbol first; not empty.
    pub stack: Vec<SymbolId>,
    /// A condition on the globals and the locals of the topmost symbol.
    pub init: Init,
}

/// A symbolic pushdown system. Any rule may be added at any time; [`Spds::validate`] checks the
/// whole.
#[derive(Clone, Debug)]
pub struct Spds {
    /// Names of the source files, as the user gave them.
    pub files: Vec<String>,
    /// All expressions.
    pub exprs: Exprs,
    /// All variables: globals, and locals of frames.
    pub vars: IndexVec<VarId, Var>,
    /// The globals in order of declaration.
    pub globals: Vec<VarId>,
    /// The frames.
    pub frames: IndexVec<FrameId, Frame>,
    /// The control locations, by name.
    pub controls: IndexVec<ControlId, TextId>,
    /// The stack symbols.
    pub symbols: IndexVec<SymbolId, Symbol>,
    /// The rules.
    pub rules: IndexVec<RuleId, Rule>,
    /// Where runs begin.
    pub start: Start,
    texts: Texts,
    events: Vec<Vec<TextId>>,
    control_ids: FxHashMap<TextId, ControlId>,
    symbol_ids: FxHashMap<TextId, SymbolId>,
    /// [`Spds::long_rule`] pushes the lowest symbols first.
    lowest_first: bool,
    /// The last number given to names made from each name.
    numbers: FxHashMap<TextId, u64>,
    /// Names that a fresh symbol must not have: of labels and procedures.
    meant: FxHashSet<TextId>,
}

impl Default for Spds {
    fn default() -> Self {
        Self::new()
    }
}

impl Spds {
    /// A system without rules.
    pub fn new() -> Spds {
        Spds {
            files: Vec::new(),
            exprs: Exprs::default(),
            vars: IndexVec::new(),
            globals: Vec::new(),
            frames: IndexVec::new(),
            controls: IndexVec::new(),
            symbols: IndexVec::new(),
            rules: IndexVec::new(),
            start: Start { control: ControlId(0), stack: Vec::new(), init: Init::default() },
            texts: Texts::default(),
            events: vec![Vec::new()],
            control_ids: FxHashMap::default(),
            symbol_ids: FxHashMap::default(),
            lowest_first: false,
            numbers: FxHashMap::default(),
            meant: FxHashSet::default(),
        }
    }

    /// A text.
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id)
    }
    /// A symbol's name.
    pub fn symbol_name(&self, id: SymbolId) -> &str {
        self.text(self.symbols[id].name)
    }
    /// A control location's name.
    pub fn control_name(&self, id: ControlId) -> &str {
        self.text(self.controls[id])
    }
    /// A variable's name.
    pub fn var_name(&self, id: VarId) -> &str {
        self.text(self.vars[id].name)
    }
    /// The symbol of that name.
    pub fn symbol_named(&self, name: &str) -> Option<SymbolId> {
        self.symbol_ids.get(&self.texts.find(name)?).copied()
    }
    /// The control location of that name.
    pub fn control_named(&self, name: &str) -> Option<ControlId> {
        self.control_ids.get(&self.texts.find(name)?).copied()
    }
    /// A set of events, as texts.
    pub fn events(&self, id: EventsId) -> &[TextId] {
        &self.events[id.index()]
    }

    /// An origin. Line 0 for what has no place in the source.
    pub fn origin(&mut self, file: u32, line: u32, column: u32, text: &str) -> Origin {
        Origin { file, line, column, text: self.texts.add(text) }
    }
    /// A text, kept once.
    pub fn intern(&mut self, text: &str) -> TextId {
        self.texts.add(text)
    }
    /// Declares a global.
    pub fn global(&mut self, name: &str, ty: Type, origin: Origin) -> VarId {
        let name = self.texts.add(name);
        let var = Var { name, ty, kind: VarKind::Global, origin, hidden: false, signed: false };
        let id = self.vars.push(var);
        self.globals.push(id);
        id
    }
    /// Declares a frame, whose first `params` locals will be parameters.
    pub fn frame(&mut self, name: &str, params: usize) -> FrameId {
        let name = self.texts.add(name);
        self.frames.push(Frame { name, locals: Vec::new(), params })
    }
    /// Declares a local.
    pub fn local(&mut self, frame: FrameId, name: &str, ty: Type, origin: Origin) -> VarId {
        let name = self.texts.add(name);
        let var =
            Var { name, ty, kind: VarKind::Local(frame), origin, hidden: false, signed: false };
        let id = self.vars.push(var);
        self.frames[frame].locals.push(id);
        id
    }
    /// The control location of that name, new if need be.
    pub fn control(&mut self, name: &str) -> ControlId {
        let name = self.texts.add(name);
        if let Some(&id) = self.control_ids.get(&name) {
            return id;
        }
        let id = self.controls.push(name);
        self.control_ids.insert(name, id);
        id
    }
    /// The symbol of that name; if it is new, a statement labelled with its name.
    pub fn symbol(&mut self, name: &str, frame: FrameId, origin: Origin) -> SymbolId {
        if let Some(id) = self.symbol_named(name) {
            return id;
        }
        let label = self.texts.add(name);
        self.add_symbol(Symbol {
            name: label,
            frame,
            origin,
            statement: true,
            error: false,
            labels: vec![label],
        })
    }
    /// A new statement that is labelled with the name; its own name differs if another symbol has
    /// that one.
    pub fn new_symbol(&mut self, name: &str, frame: FrameId, origin: Origin) -> SymbolId {
        let label = self.texts.add(name);
        let name = self.fresh(name);
        let (statement, error, labels) = (true, false, vec![label]);
        self.add_symbol(Symbol { name, frame, origin, statement, error, labels })
    }
    /// Adds a symbol; one of its name must not be there.
    pub fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        let name = symbol.name;
        let id = self.symbols.push(symbol);
        self.symbol_ids.insert(name, id);
        id
    }
    /// `base`, or the first of `base_1`, `base_2`, … that no symbol is called, and no label or
    /// procedure of the program that the system was made from.
    fn fresh(&mut self, base: &str) -> TextId {
        let base_id = self.texts.add(base);
        let mut name = base_id;
        while self.symbol_ids.contains_key(&name) || self.meant.contains(&name) {
            let number = self.numbers.entry(base_id).or_default();
            *number += 1;
            name = self.texts.add(&format!("{base}_{number}"));
        }
        name
    }
    /// A symbol that no source mentions, named after another one.
    fn fresh_symbol(&mut self, like: SymbolId, frame: FrameId) -> SymbolId {
        let base = self.symbol_name(like).to_owned();
        let name = self.fresh(&base);
        let origin = self.origin(0, 0, 0, "");
        let labels = Vec::new();
        self.add_symbol(Symbol { name, frame, origin, statement: false, error: false, labels })
    }
    /// Adds a rule, which is a step.
    pub fn rule(
        &mut self,
        from: Head,
        to: ControlId,
        right: Right,
        rel: Rel,
        origin: Origin,
    ) -> RuleId {
        let events = EventsId::new(0);
        self.rules.push(Rule { from, to, right, rel, origin, step: true, events, marks: 0 })
    }

    /// Adds a rule with any number of symbols on its right side, the topmost first. More than two
    /// are split: a fresh symbol, with the locals of the second, stands for all but the first;
    /// when it comes to the top, under whatever control location, it is replaced by the second and
    /// another fresh symbol, and so on. All control locations must be there already. The relation
    /// speaks of the first two symbols; locals of the others are arbitrary.
    ///
    /// After [`Spds::push_lowest_first`] the lowest symbols are pushed first, under a fresh symbol
    /// with the locals of the head, and the relation is applied at the end. Every symbol is then in
    /// a place of its own on the stack, but a rule whose relation has no values to go on with stops
    /// half-way instead of not being applied: that is right for reachability only.
    pub fn long_rule(
        &mut self,
        from: Head,
        to: ControlId,
        right: &[SymbolId],
        rel: Rel,
        origin: Origin,
    ) {
        let [first, second, rest @ ..] = right else {
            let short = right.first().map_or(Right::Pop, |&top| Right::Step(top));
            self.rule(from, to, short, rel, origin);
            return;
        };
        if rest.is_empty() {
            self.rule(from, to, Right::Push(*first, *second), rel, origin);
            return;
        }
        if self.lowest_first {
            let mut head = from;
            let frame = self.symbols[from.symbol].frame;
            for &below in rest.iter().rev() {
                let holder = self.fresh_symbol(from.symbol, frame);
                let copy = self.hand_over(frame, self.symbols[below].frame);
                let id = self.rule(head, from.control, Right::Push(holder, below), copy, origin);
                self.rules[id].step = false;
                head.symbol = holder;
            }
            self.rule(head, to, Right::Push(*first, *second), rel, origin);
            return;
        }
        let mut holder = self.fresh_symbol(*second, self.symbols[*second].frame);
        self.rule(from, to, Right::Push(*first, holder), rel, origin);
        let mut top = *second;
        for (i, &below) in rest.iter().enumerate() {
            let next = match rest.len() - i {
                1 => below,
                _ => self.fresh_symbol(below, self.symbols[below].frame),
            };
            let rel = self.hand_over(self.symbols[top].frame, self.symbols[next].frame);
            for control in self.controls.ids() {
                let from = Head { control, symbol: holder };
                let id = self.rule(from, control, Right::Push(top, next), rel.clone(), origin);
                self.rules[id].step = false;
            }
            (holder, top) = (next, below);
        }
    }

    /// For questions about stacks: from now on, no fresh symbol stands for several, except on top
    /// of the stack in the middle of a rule (see [`Spds::long_rule`]).
    pub fn push_lowest_first(&mut self) {
        self.lowest_first = true;
    }

    /// Makes a start with several symbols one with a fresh symbol, whose rules push them, the
    /// lowest ones first.
    pub fn push_start(&mut self) {
        let [first, second, rest @ ..] = &self.start.stack[..] else { return };
        let (first, second, rest) = (*first, *second, rest.to_vec());
        let origin = self.origin(0, 0, 0, "");
        let frame = self.frame("(start)", 0);
        let control = self.start.control;
        let mut fresh = || {
            let name = self.fresh("(start)");
            let (statement, error, labels) = (false, false, Vec::new());
            self.add_symbol(Symbol { name, frame, origin, statement, error, labels })
        };
        let holders: Vec<SymbolId> = (0..=rest.len()).map(|_| fresh()).collect();
        for (i, &below) in rest.iter().rev().enumerate() {
            let head = Head { control, symbol: holders[i] };
            let right = Right::Push(holders[i + 1], below);
            let id = self.rule(head, control, right, Rel::identity(), origin);
            self.rules[id].step = false;
        }
        // The condition speaks of the first symbol's locals, which exist when it is there.
        let Init { condition, choices } = std::mem::take(&mut self.start.init);
        let vars = &self.vars;
        let constraint = self.exprs.map_leaves(condition, |exprs, leaf| match leaf {
            Expr::Read(_, v) if vars[v].kind != VarKind::Global => Some(exprs.post(v)),
            Expr::Index(_, v, i) if vars[v].kind != VarKind::Global => {
                Some(exprs.add(Expr::Index(Time::Post, v, i)))
            }
            _ => None,
        });
        let head = Head { control, symbol: holders[rest.len()] };
        let rel = Rel { constraint, choices, ..Rel::identity() };
        let id = self.rule(head, control, Right::Push(first, second), rel, origin);
        self.rules[id].step = false;
        self.start.stack = vec![holders[0]];
    }

    /// On a push from a symbol of one frame: the new topmost symbol, of the same frame, gets its
    /// locals; those of the symbol below are arbitrary.
    fn hand_over(&mut self, frame: FrameId, below: FrameId) -> Rel {
        let mut assigns = Vec::new();
        for var in self.frames[frame].locals.clone() {
            assigns.extend(self.copy(var, Time::Post));
        }
        if below == frame {
            let arbitrary = |&var| Assign { time: Time::Saved, var, index: None, value: None };
            assigns.extend(self.frames[below].locals.iter().map(arbitrary));
        }
        Rel { assigns: assigns.into(), ..Rel::identity() }
    }

    /// Assignments that give a variable the value it had before, cell by cell.
    fn copy(&mut self, var: VarId, time: Time) -> Vec<Assign> {
        let Some(dim) = self.vars[var].ty.array else {
            let value = Some(self.exprs.pre(var));
            return vec![Assign { time, var, index: None, value }];
        };
        let mut out = Vec::with_capacity(dim.len as usize);
        for cell in 0..dim.len as i64 {
            let index = self.exprs.int(dim.lo + cell);
            let value = Some(self.exprs.add(Expr::Index(Time::Pre, var, index)));
            out.push(Assign { time, var, index: Some(index), value });
        }
        out
    }

    /// Whether the locals of `symbol` keep their value, unless assigned, where it takes the place
    /// of the symbol of `from`.
    fn keeps(&self, from: Head, symbol: SymbolId) -> bool {
        self.symbols[from.symbol].frame == self.symbols[symbol].frame
    }

    /// The targets of a rule with the head and right side, each with whether it keeps its value
    /// unless it is assigned.
    pub fn targets(&self, from: Head, right: Right) -> Vec<(Time, VarId, bool)> {
        let mut out: Vec<(Time, VarId, bool)> =
            self.globals.iter().map(|&var| (Time::Post, var, true)).collect();
        let locals = |symbol: SymbolId| self.frames[self.symbols[symbol].frame].locals.iter();
        match right {
            Right::Pop => {}
            Right::Step(top) => {
                let keeps = self.keeps(from, top);
                out.extend(locals(top).map(|&var| (Time::Post, var, keeps)));
            }
            Right::Push(top, below) => {
                out.extend(locals(top).map(|&var| (Time::Post, var, false)));
                let keeps = self.keeps(from, below);
                out.extend(locals(below).map(|&var| (Time::Saved, var, keeps)));
            }
        }
        out
    }

    /// Whether a rule with the head and right side may read the variable at the time.
    fn in_vocabulary(&self, from: Head, right: Right, time: Time, var: VarId) -> bool {
        let frame = |symbol: SymbolId| self.symbols[symbol].frame;
        match (self.vars[var].kind, time) {
            (VarKind::Global, Time::Pre | Time::Post) => true,
            (VarKind::Local(f), Time::Pre) => frame(from.symbol) == f,
            (VarKind::Local(f), Time::Post) => right.top().is_some_and(|s| frame(s) == f),
            (VarKind::Local(f), Time::Saved) => right.below().is_some_and(|s| frame(s) == f),
            _ => false,
        }
    }
}

/// The expression `root` of `from` as an expression of `to`, leaves replaced by what `leaf` returns
/// (`None`: as they are).
fn import(
    from: &Exprs,
    root: ExprId,
    to: &mut Exprs,
    memo: &mut FxHashMap<ExprId, ExprId>,
    mut leaf: impl FnMut(Expr) -> Expr,
) -> ExprId {
    if let Some(&done) = memo.get(&root) {
        return done;
    }
    from.postorder(root, |id, expr| {
        if memo.contains_key(&id) {
            return;
        }
        let image = |e: ExprId| memo[&e];
        let new = match expr {
            Expr::Not(a) => Expr::Not(image(a)),
            Expr::Binary(op, a, b) => Expr::Binary(op, image(a), image(b)),
            Expr::Ite(c, a, b) => Expr::Ite(image(c), image(a), image(b)),
            Expr::Index(time, var, index) => leaf(Expr::Index(time, var, image(index))),
            Expr::Bool(_) | Expr::Int(_) | Expr::Read(..) | Expr::Choice(_) => leaf(expr),
        };
        memo.insert(id, to.add(new));
    });
    memo[&root]
}
