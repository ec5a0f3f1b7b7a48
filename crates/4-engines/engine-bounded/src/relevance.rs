//! Which places may still lead to a goal, whatever the data: what is cut off elsewhere says nothing about it.

use crate::search::Goal;
use c_data::{Callee, End, ExprKind, FuncId, Function, Point, Program, Root, StmtKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// An active function, and those below it.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) function: FuncId,
    pub(crate) block: usize,
    pub(crate) below: Option<Rc<Link>>,
}

/// Of each block of each function, whether a goal may be reached from it.
pub(crate) struct Leads {
    blocks: Vec<Vec<bool>>,
    /// Control may lead there from everywhere: by what `exit` does, or by `longjmp`.
    everywhere: bool,
    main: Option<FuncId>,
}

impl Leads {
    pub(crate) fn new(program: &Program, goal: &Goal) -> Leads {
        Leads::of(program, goal.points.iter().copied().collect(), false)
    }

    /// Where runs may still come to one of some goals: what is not among it need not be followed. Functions that are not
    /// known may be others under another name, or call any, and what is not covered may do anything.
    pub(crate) fn slice<'g>(program: &Program, goals: impl Iterator<Item = &'g Goal>) -> Leads {
        Leads::of(program, goals.flat_map(|goal| goal.points.iter().copied()).collect(), true)
    }

    fn of(program: &Program, points: FxHashSet<Point>, careful: bool) -> Leads {
        let taken = addresses(program);
        let unknown = |f: FuncId| {
            let f = &program.functions[f.index()];
            careful
                && !f.has_body()
                && !crate::natives::knows(&f.name)
                && !f.name.contains("nondet")
        };
        let mut entered = vec![false; program.functions.len()];
        let mut blocks: Vec<Vec<bool>> =
            program.functions.iter().map(|f| vec![false; f.blocks.len()]).collect();
        loop {
            let leads = |f: &FuncId| entered[f.index()] || points.contains(&Point::Call(*f));
            let any_taken = taken.iter().any(leads);
            let mut changed = false;
            for (i, f) in program.functions.iter().enumerate().filter(|(_, f)| f.has_body()) {
                let calls = |callee: &Callee| match callee {
                    Callee::Direct(g) => leads(g) || unknown(*g),
                    Callee::Indirect(_) => any_taken,
                };
                let found = within(f, FuncId::new(i), &points, (&calls, careful));
                if found != blocks[i] {
                    blocks[i] = found;
                    changed = true;
                }
            }
            for (i, leads) in entered.iter_mut().enumerate() {
                *leads = blocks[i].first().copied().unwrap_or(false);
            }
            if !changed {
                break;
            }
        }
        let at_end = program.function("exit").is_some_and(|f| entered[f.index()]);
        let stmts = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.stmts);
        let jumps = stmts.into_iter().any(|s| matches!(s.kind, StmtKind::SetJump { .. }));
        let everywhere = at_end || jumps;
        Leads { blocks, everywhere, main: program.function("main") }
    }

    /// Whether the goal may be reached from a place; `uncovered` if nobody knows where control goes from there.
    pub(crate) fn from(&self, link: &Option<Rc<Link>>, uncovered: bool) -> bool {
        if self.everywhere || uncovered {
            return true;
        }
        let mut link = link.as_ref();
        let mut bottom = None;
        while let Some(here) = link {
            if self.blocks[here.function.index()].get(here.block).copied().unwrap_or(true) {
                return true;
            }
            bottom = Some(here.function);
            link = here.below.as_ref();
        }
        bottom != self.main
    }
}

/// The blocks of a function from which a goal may be reached.
fn within(
    f: &Function,
    id: FuncId,
    points: &FxHashSet<Point>,
    (calls, careful): (&dyn Fn(&Callee) -> bool, bool),
) -> Vec<bool> {
    let count = f.blocks.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (b, block) in f.blocks.iter().enumerate() {
        match &block.end {
            End::Jump(to) => before[to.index()].push(b),
            End::Branch(_, yes, no) => {
                before[yes.index()].push(b);
                before[no.index()].push(b);
            }
            End::Switch(_, cases, default) => {
                cases.iter().for_each(|c| before[c.2.index()].push(b));
                before[default.index()].push(b);
            }
            End::JumpTo(_) => before.iter_mut().for_each(|list| list.push(b)),
            End::Return(_) | End::FellOff | End::Unreachable => {}
        }
    }
    let mut out = vec![false; count];
    let mut todo = Vec::new();
    for (b, block) in f.blocks.iter().enumerate() {
        let here =
            |k: usize| points.contains(&Point::Before(id, c_data::BlockId::new(b), k as u32));
        let stmts = block.stmts.iter();
        let leads = (0..=block.stmts.len()).any(here)
            || careful && matches!(block.end, End::Unreachable)
            || stmts.clone().any(|s| match &s.kind {
                StmtKind::Call(c) => calls(&c.callee),
                StmtKind::NotCovered(_) => careful,
                _ => false,
            });
        if leads {
            out[b] = true;
            todo.push(b);
        }
    }
    while let Some(b) = todo.pop() {
        for &p in &before[b] {
            if !out[p] {
                out[p] = true;
                todo.push(p);
            }
        }
    }
    out
}

/// The functions whose address is taken.
fn addresses(program: &Program) -> Vec<FuncId> {
    let mut out = FxHashSet::default();
    let mut note = |root: &Root| {
        if let Root::Function(f) = root {
            out.insert(*f);
        }
    };
    for object in &program.objects {
        object.addresses.iter().for_each(|(_, root, _)| note(root));
    }
    for e in program.functions.iter().flat_map(|f| &f.exprs) {
        if let ExprKind::Root(root) = &e.kind {
            note(root);
        }
    }
    let mut out: Vec<FuncId> = out.into_iter().collect();
    out.sort_unstable();
    out
}
