//! An order of a program's bits for decision diagrams.
//!
//! Diagrams have *slots*, not variables: locals of different procedures that lie at the same place
//! of their frames and are alike share their slots, so that no cost depends on the number of
//! procedures ([moped §6]). A slot knows the one place of its frame that it stands for.
//!
//! [`Order::Derived`] puts, from the top of the diagrams,
//! 1. numbers that choose cells of arrays, and the states of large automata: a diagram then tells the cases
//!    apart before it speaks of what holds in each. Below, it would have to remember what holds in all;
//! 2. booleans and other numbers;
//! 3. arrays, with the numbers that they are compared with: what a program is given usually lies
//!    there ([moped §5]: inputs last).
//!
//! Numbers that are compared, added or assigned to each other are *of one kind*; their bits are
//! interleaved, the most significant on top, so that a diagram can compare all of them at once. Of
//! sorted numbers it need then remember how they compare so far, not their values. Booleans and kinds
//! are placed by FORCE (Aloul, Markov, Sakallah 2003): every statement pulls its variables towards
//! their common centre; a few rounds of sorting by the mean of the centres shorten the total span.

use ir::{
    BinaryOp, EdgeKind, Expr, ExprId, Id, IndexVec, Layout, Program, Rel, Scalar, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How to order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// From what the program does with its variables; see [`variable_order`].
    #[default]
    Derived,
    /// As declared: globals, then locals, each number in one piece. What the derived order is
    /// compared with.
    Naive,
    /// At random, for tests.
    Shuffled {
        /// Which one.
        seed: u64,
    },
}

/// A place in a valuation, as a bit of an area of [`Layout`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A bit of the globals.
    Global(u32),
    /// A bit of a frame.
    Local(u32),
    /// A bit of the results.
    Result(u32),
}

/// Slots in an order, and which variable's bits are where.
///
/// Invariant: `position` is a permutation, and `places[position[slot]]` the place of the slot. The
/// bits of a variable lie in consecutive slots, those of two variables of one scope in different
/// ones.
#[derive(Clone, Debug)]
pub struct SlotOrder {
    /// The first slot of each variable.
    first: IndexVec<VarId, u32>,
    position: Vec<u32>,
    places: Vec<Place>,
}

impl SlotOrder {
    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }
    /// The position, from the top, of a bit of a variable: bit `cell · width + bit` in terms of
    /// [`ir::Slot`].
    #[inline]
    pub fn position(&self, var: VarId, bit: u32) -> u32 {
        self.position[(self.first[var] + bit) as usize]
    }
    /// The place that a position stands for.
    pub fn place(&self, position: u32) -> Place {
        self.places[position as usize]
    }
}

/// Larger meetings tell nothing about nearness.
const LARGEST_GROUP: usize = 64;

/// What a condition on more variables is the conjunction of is told apart.
const LARGEST_CONDITION: usize = 16;

/// A hidden number of so many bits is the state of a large automaton, or counts what is awaited.
const WIDE_STATE: u32 = 4;

/// Rounds of FORCE after which the order is taken as it is.
const ROUNDS: usize = 60;

/// Interleaving pays for numbers that depend on each other all at once, and costs where a chain of
/// many does so in pairs. Beyond so many cells of one kind each stays in one piece; the bound is a
/// guess, since no larger program was at hand to measure.
const MOST_INTERLEAVED: usize = 40;

/// The slots of a program, ordered.
pub fn variable_order(program: &Program, layout: &Layout, order: Order) -> SlotOrder {
    let kinds = Kinds::new(program);
    let units = Units::new(program, layout, &kinds);
    let slots = match order {
        Order::Derived => derived(program, &kinds, &units),
        Order::Naive => naive(&units),
        Order::Shuffled { seed } => shuffled(naive(&units), seed),
    };
    let mut position = vec![0; slots.len()];
    for (at, &slot) in slots.iter().enumerate() {
        position[slot as usize] = at as u32;
    }
    let first = units.of.iter().map(|&unit| units.list[unit as usize].first).collect();
    let mut of_slot = Vec::with_capacity(slots.len());
    for unit in &units.list {
        of_slot.extend((0..unit.bits()).map(|bit| match unit.area {
            Area::Global => Place::Global(unit.offset + bit),
            Area::Local => Place::Local(unit.offset + bit),
            Area::Result => Place::Result(unit.offset + bit),
        }));
    }
    let places = slots.iter().map(|&slot| of_slot[slot as usize]).collect();
    SlotOrder { first, position, places }
}

/// Which numbers are of one kind: a union-find over variables.
struct Kinds {
    /// Empty if the program has no numbers.
    parent: Vec<u32>,
    /// Whether numbers of the kind choose cells of arrays; kept for all variables.
    index: Vec<bool>,
    /// Arrays and the scalars that their cells are compared with, added to or assigned.
    cells: Vec<(VarId, VarId)>,
}

impl Kinds {
    fn new(program: &Program) -> Kinds {
        let is_int = |ty: ir::Type| matches!(ty.scalar, Scalar::Int { .. });
        if !program.vars.iter().any(|v| is_int(v.ty)) {
            return Kinds { parent: Vec::new(), index: Vec::new(), cells: Vec::new() };
        }
        let count = program.vars.len();
        let mut kinds = Kinds {
            parent: (0..count as u32).collect(),
            index: vec![false; count],
            cells: Vec::new(),
        };
        // For each expression a number whose value it depends on.
        let mut carrier: FxHashMap<ExprId, Option<VarId>> = FxHashMap::default();
        let mut marked: Vec<VarId> = Vec::new();
        rels(program, |rel| {
            for root in rel.pre_exprs() {
                kinds.expr(program, root, &mut carrier, &mut marked);
            }
            for assign in &rel.assigns {
                if let Some(Some(from)) = assign.value.map(|e| carrier[&e]) {
                    kinds.meet(program, assign.var, from);
                }
                marked.extend(assign.index.and_then(|e| carrier[&e]));
            }
        });
        // An index that is read from an array makes no index of the array.
        for var in marked.into_iter().filter(|&v| program.vars[v].ty.array.is_none()) {
            let root = kinds.find(var.index() as u32);
            kinds.index[root as usize] = true;
        }
        for var in 0..count as u32 {
            let root = kinds.find(var);
            kinds.index[var as usize] = kinds.index[root as usize];
        }
        // Cells are of one kind with the scalars they meet, unless those are indices.
        for (array, other) in std::mem::take(&mut kinds.cells) {
            if !kinds.index[other.index()] {
                kinds.union(array, other);
            }
        }
        kinds
    }

    fn expr(
        &mut self,
        program: &Program,
        root: ExprId,
        carrier: &mut FxHashMap<ExprId, Option<VarId>>,
        marked: &mut Vec<VarId>,
    ) {
        use BinaryOp::*;
        if carrier.contains_key(&root) {
            return;
        }
        let is_int = |v: VarId| matches!(program.vars[v].ty.scalar, Scalar::Int { .. });
        program.exprs.postorder(root, |id, expr| {
            let mut both = |a: ExprId, b: ExprId, carrier: &FxHashMap<ExprId, Option<VarId>>| {
                let (a, b) = (carrier[&a], carrier[&b]);
                if let (Some(a), Some(b)) = (a, b) {
                    self.meet(program, a, b);
                }
                a.or(b)
            };
            let carried = match expr {
                Expr::Read(_, var) => Some(var).filter(|&v| is_int(v)),
                Expr::Index(_, var, index) => {
                    marked.extend(carrier[&index]);
                    Some(var).filter(|&v| is_int(v))
                }
                Expr::Ite(_, a, b) => both(a, b, carrier),
                Expr::Binary(When, _, a) => carrier[&a],
                Expr::Binary(Shl | Shr, a, _) => carrier[&a],
                Expr::Binary(Add | Sub | Mul | Div | BitAnd | BitOr | BitXor, a, b) => {
                    both(a, b, carrier)
                }
                Expr::Binary(Eq | Ne | Lt | Le | Gt | Ge, a, b) => {
                    both(a, b, carrier);
                    None
                }
                Expr::Bool(_) | Expr::Int(_) | Expr::Choice(_) | Expr::Not(_) => None,
                Expr::Binary(And | Or | Xor | Iff | Implies, ..) => None,
            };
            carrier.insert(id, carried);
        });
    }

    fn meet(&mut self, program: &Program, a: VarId, b: VarId) {
        let is_array = |v: VarId| program.vars[v].ty.array.is_some();
        match (is_array(a), is_array(b)) {
            (true, false) => self.cells.push((a, b)),
            (false, true) => self.cells.push((b, a)),
            _ => self.union(a, b),
        }
    }

    fn find(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            let up = self.parent[self.parent[v as usize] as usize];
            self.parent[v as usize] = up;
            v = up;
        }
        v
    }

    fn union(&mut self, a: VarId, b: VarId) {
        let (a, b) = (self.find(a.index() as u32), self.find(b.index() as u32));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// A number that tells kinds apart.
    fn kind(&self, var: VarId) -> u32 {
        let mut v = var.index() as u32;
        while self.parent[v as usize] != v {
            v = self.parent[v as usize];
        }
        v
    }
}

fn rels(program: &Program, mut visit: impl FnMut(&Rel)) {
    for edge in program.edges.iter() {
        match &edge.kind {
            EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => visit(rel),
            EdgeKind::Call(call) => {
                visit(&call.enter);
                visit(&call.back);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Area {
    Result,
    Local,
    Global,
}

/// The slots of a variable; shared by locals of different procedures that are alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Unit {
    area: Area,
    offset: u32,
    width: u32,
    cells: u32,
    number: bool,
    index: bool,
    /// The first slot.
    first: u32,
}

impl Unit {
    fn bits(self) -> u32 {
        self.width * self.cells
    }
}

struct Units {
    list: Vec<Unit>,
    of: IndexVec<VarId, u32>,
    slots: u32,
}

impl Units {
    fn new(program: &Program, layout: &Layout, kinds: &Kinds) -> Units {
        let mut ids: FxHashMap<Unit, u32> = FxHashMap::default();
        let mut units = Units { list: Vec::new(), of: IndexVec::new(), slots: 0 };
        for (id, var) in program.vars.enumerate() {
            let slot = layout.slot(id);
            let area = match var.kind {
                VarKind::Result(_) => Area::Result,
                VarKind::Local(_) => Area::Local,
                VarKind::Global => Area::Global,
            };
            let unit = Unit {
                area,
                offset: slot.offset,
                width: slot.width,
                cells: slot.cells,
                number: matches!(var.ty.scalar, Scalar::Int { .. }),
                index: kinds.index.get(id.index()) == Some(&true)
                    || var.hidden && slot.cells == 1 && slot.width >= WIDE_STATE,
                first: 0,
            };
            let next = units.list.len() as u32;
            let number = *ids.entry(unit).or_insert(next);
            if number == next {
                units.list.push(Unit { first: units.slots, ..unit });
                units.slots += unit.bits();
            }
            units.of.push(number);
        }
        units
    }

    /// Results, locals, globals, each in the order of declaration.
    fn by_place(&self, globals_first: bool) -> Vec<u32> {
        let mut out: Vec<u32> = (0..self.list.len() as u32).collect();
        out.sort_by_key(|&u| {
            let unit = self.list[u as usize];
            (globals_first && unit.area != Area::Global, unit.area, unit.offset, u)
        });
        out
    }

    /// The slots of a cell, the most significant bit on top.
    fn cell(&self, unit: u32, cell: u32) -> impl Iterator<Item = u32> + use<> {
        let Unit { first, width, .. } = self.list[unit as usize];
        (first + cell * width..first + (cell + 1) * width).rev()
    }
}

fn naive(units: &Units) -> Vec<u32> {
    let mut out = Vec::new();
    for unit in units.by_place(true) {
        for cell in 0..units.list[unit as usize].cells {
            out.extend(units.cell(unit, cell));
        }
    }
    out
}

fn shuffled(mut slots: Vec<u32>, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    for i in (1..slots.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        slots.swap(i, (state >> 33) as usize % (i + 1));
    }
    slots
}

/// Slots that FORCE moves together, in the order they then have.
struct Block {
    slots: Vec<u32>,
    tier: Tier,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Index,
    Plain,
    Array,
}

fn derived(program: &Program, kinds: &Kinds, units: &Units) -> Vec<u32> {
    // Units of one kind; sharing slots makes kinds one.
    let mut parent: Vec<u32> = (0..units.list.len() as u32).collect();
    fn find(parent: &mut [u32], mut u: u32) -> u32 {
        while parent[u as usize] != u {
            parent[u as usize] = parent[parent[u as usize] as usize];
            u = parent[u as usize];
        }
        u
    }
    let mut of_kind: FxHashMap<u32, u32> = FxHashMap::default();
    for (var, &unit) in units.of.enumerate() {
        if units.list[unit as usize].number {
            let other = *of_kind.entry(kinds.kind(var)).or_insert(unit);
            let (a, b) = (find(&mut parent, unit), find(&mut parent, other));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let by_place = units.by_place(false);
    let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for &unit in by_place.iter().filter(|&&u| units.list[u as usize].number) {
        members.entry(find(&mut parent, unit)).or_default().push(unit);
    }

    // `block_of[slot]`; the bits of a cell are always in one block.
    let mut blocks: Vec<Block> = Vec::new();
    let mut block_of = vec![0u32; units.slots as usize];
    let mut add = |slots: Vec<u32>, tier: Tier| {
        for &slot in &slots {
            block_of[slot as usize] = blocks.len() as u32;
        }
        blocks.push(Block { slots, tier });
    };
    for &unit in &by_place {
        let Unit { number, cells, .. } = units.list[unit as usize];
        if !number {
            (0..cells).for_each(|c| add(units.cell(unit, c).collect(), Tier::Plain));
            continue;
        }
        // A kind has its place where its first unit is.
        let Some(of_one_kind) = members.remove(&find(&mut parent, unit)) else { continue };
        let list = || of_one_kind.iter().map(|&u| units.list[u as usize]);
        let tier = match (list().any(|u| u.index), list().any(|u| u.cells > 1)) {
            (true, _) => Tier::Index,
            (_, true) => Tier::Array,
            _ => Tier::Plain,
        };
        if list().map(|u| u.cells as usize).sum::<usize>() > MOST_INTERLEAVED {
            for &u in &of_one_kind {
                let cells = 0..units.list[u as usize].cells;
                cells.for_each(|c| add(units.cell(u, c).collect(), tier));
            }
            continue;
        }
        let widest = list().map(|u| u.width).max().unwrap_or(0);
        let mut slots = Vec::new();
        for weight in (0..widest).rev() {
            for u in list().filter(|u| weight < u.width) {
                slots.extend((0..u.cells).map(|c| u.first + c * u.width + weight));
            }
        }
        add(slots, tier);
    }
    let groups = groups(program, units, &block_of);
    let mut order = force(blocks.len(), &groups);
    order.sort_by_key(|&b| blocks[b as usize].tier); // stable
    order.iter().flat_map(|&b| blocks[b as usize].slots.iter().copied()).collect()
}

/// The blocks that meet in an assignment, a guard or a constraint. Parallel assignments need not be
/// near each other.
fn groups(program: &Program, units: &Units, block_of: &[u32]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut add = |vars: &mut Vec<VarId>| {
        let cells = |var: VarId| {
            let Unit { first, width, cells, .. } = units.list[units.of[var] as usize];
            (0..cells).map(move |c| block_of[(first + c * width) as usize])
        };
        let mut group: Vec<u32> = vars.drain(..).flat_map(cells).collect();
        group.sort_unstable();
        group.dedup();
        if (2..=LARGEST_GROUP).contains(&group.len()) && !seen.contains(&group) {
            seen.insert(group.clone());
            groups.push(group);
        }
    };
    let mut vars = Vec::new();
    rels(program, |rel| {
        for assign in &rel.assigns {
            vars.push(assign.var);
            for e in [assign.index, assign.value].into_iter().flatten() {
                program.exprs.reads(e, |_, v| vars.push(v));
            }
            add(&mut vars);
        }
        for e in [rel.guard, rel.constraint] {
            program.exprs.reads(e, |_, v| vars.push(v));
            vars.sort_unstable();
            vars.dedup();
            if vars.len() <= LARGEST_CONDITION {
                add(&mut vars);
                continue;
            }
            vars.clear();
            let mut work = vec![e];
            while let Some(e) = work.pop() {
                if let Expr::Binary(BinaryOp::And, a, b) = program.exprs[e] {
                    work.extend([b, a]);
                    continue;
                }
                program.exprs.reads(e, |_, v| vars.push(v));
                add(&mut vars);
            }
        }
    });
    groups
}

/// The blocks `0..count` in an order in which the groups have short spans.
fn force(count: usize, groups: &[Vec<u32>]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut best = (span(groups, &order), order.clone());
    for _ in 0..ROUNDS {
        let mut place = vec![0f64; count];
        for (at, &block) in order.iter().enumerate() {
            place[block as usize] = at as f64;
        }
        let mut sum = vec![0f64; count];
        let mut weight = vec![0f64; count];
        for group in groups {
            let centre = group.iter().map(|&b| place[b as usize]).sum::<f64>() / group.len() as f64;
            for &b in group {
                sum[b as usize] += centre;
                weight[b as usize] += 1.0;
            }
        }
        let target: Vec<f64> = (0..count)
            .map(|b| if weight[b] > 0.0 { sum[b] / weight[b] } else { place[b] })
            .collect();
        let mut next = order.clone();
        next.sort_by(|&a, &b| target[a as usize].total_cmp(&target[b as usize]).then(a.cmp(&b)));
        if next == order {
            break;
        }
        order = next;
        let s = span(groups, &order);
        if s < best.0 {
            best = (s, order.clone());
        }
    }
    best.1
}

/// The total distance between the first and the last member of each group.
fn span(groups: &[Vec<u32>], order: &[u32]) -> u64 {
    let mut place = vec![0u64; order.len()];
    for (at, &block) in order.iter().enumerate() {
        place[block as usize] = at as u64;
    }
    groups
        .iter()
        .map(|g| {
            let places = g.iter().map(|&b| place[b as usize]);
            places.clone().max().unwrap_or(0) - places.min().unwrap_or(0)
        })
        .sum()
}
