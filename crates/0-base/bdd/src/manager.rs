//! The manager: the tables, the limits, and the one way to make a node.

use std::fmt;

use crate::computed::ComputedTable;
use crate::edge::Bdd;
use crate::nodes::{HUGE, LARGE, MAX_LEVEL, MAX_NODES, Node, NodeTable};
use crate::order::Order;
use crate::spec::{SpecId, Specs};

/// The largest number that can name a variable.
pub const MAX_VAR: u32 = MAX_LEVEL;

/// Why an operation gave up. The manager stays consistent and usable.
// A word wide, so that a `Result<Bdd, Stop>` travels in two registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Stop {
    /// The node limit is reached, or the tables may not take more memory. A collection may
    /// make room.
    Nodes,
    /// The gate's [`poll`](Gate::poll) asked to stop.
    Interrupted,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Nodes => "out of room for nodes",
            Stop::Interrupted => "interrupted",
        })
    }
}

impl std::error::Error for Stop {}

/// Someone to ask before going on.
pub trait Gate: Send {
    /// Called after every [`Config::poll_interval`] steps, and before work that takes long; `false` stops the operation with
    /// [`Stop::Interrupted`].
    fn poll(&mut self) -> bool;

    /// Called before a table is enlarged, with the bytes that this takes on top of
    /// [`Manager::bytes`], the copying included. `false` keeps the table as it is, and an
    /// operation that cannot do without stops with [`Stop::Nodes`].
    fn may_grow(&mut self, bytes: usize) -> bool;
}

/// The settings of a [`Manager`].
#[derive(Clone, Debug)]
pub struct Config {
    /// The number of nodes, garbage included, beyond which operations give [`Stop::Nodes`].
    /// At most 2^27.
    pub node_limit: usize,
    /// The number of nodes below which [`Manager::want_gc`] is content. Collecting late pays:
    /// garbage is what the next images find again in the computed table.
    pub collect_at: usize,
    /// The number of entries beyond which the computed table does not grow with the nodes.
    pub cache_limit: usize,
    /// The number of steps (computed-table misses) between two calls of [`Gate::poll`].
    pub poll_interval: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            node_limit: MAX_NODES,
            collect_at: 1 << 18,
            cache_limit: 1 << 26,
            poll_interval: 4096,
        }
    }
}

/// What a [`Manager`] has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Steps of operations that looked into the computed table.
    pub lookups: u64,
    /// Those that found their result there.
    pub hits: u64,
    /// Collections.
    pub collections: u64,
    /// Reorderings.
    pub reorderings: u64,
}

/// The tables in which [`Bdd`] handles have their meaning.
///
/// All operations take `&mut self`, recurse over the levels of their operands (see
/// [`stack_bytes`](crate::stack_bytes)), and never collect on their own: call
/// [`gc`](Manager::gc) at points where all handles in use are known.
pub struct Manager {
    pub(crate) table: NodeTable,
    pub(crate) computed: ComputedTable,
    pub(crate) specs: Specs,
    pub(crate) order: Order,
    gate: Option<Box<dyn Gate>>,
    pub(crate) collect_at: usize,
    cache_limit: usize,
    poll_interval: u64,
    /// Steps done: computed-table misses.
    misses: u64,
    /// The value of `misses` at which to poll.
    poll_at: u64,
    pub(crate) collections: u64,
    pub(crate) reorderings: u64,
    /// Nodes left by the last collection.
    pub(crate) survivors: usize,
    /// The largest number of nodes at a collection; between collections the number only grows.
    pub(crate) peak: usize,
    /// An operation ran out of room since the last collection.
    pub(crate) starved: bool,
    /// The last time that an operation ran out of room, it was the gate that refused more.
    refused: bool,
}

/// The binary logarithm of the first size of both tables.
const START_LOG2: u32 = 10;

pub(crate) fn check_var(var: u32) {
    assert!(var <= MAX_VAR, "{var} cannot name a variable");
}

impl Manager {
    /// An empty manager. It knows every variable already, and pays only for those it meets.
    #[must_use]
    pub fn new(config: Config) -> Manager {
        let poll_interval = u64::from(config.poll_interval.max(1));
        Manager {
            table: NodeTable::new(START_LOG2, config.node_limit.min(MAX_NODES)),
            computed: ComputedTable::new(START_LOG2),
            specs: Specs::default(),
            order: Order::default(),
            gate: None,
            collect_at: config.collect_at,
            cache_limit: config.cache_limit,
            poll_interval,
            misses: 0,
            poll_at: poll_interval,
            collections: 0,
            reorderings: 0,
            survivors: 1,
            peak: 1,
            starved: false,
            refused: false,
        }
    }

    /// Sets or removes the gate.
    pub fn set_gate(&mut self, gate: Option<Box<dyn Gate>>) {
        self.gate = gate;
    }

    /// Changes the node limit, which may lie below the present number of nodes.
    pub fn set_node_limit(&mut self, nodes: usize) {
        self.table.set_limit(nodes);
    }

    /// The node limit.
    #[must_use]
    pub fn node_limit(&self) -> usize {
        self.table.limit()
    }

    /// Whether the last operation that gave [`Stop::Nodes`] was refused memory; else it had reached the node limit.
    #[must_use]
    pub fn was_refused(&self) -> bool {
        self.refused
    }

    /// Nodes in the table, garbage and the terminal included.
    #[must_use]
    pub fn live_nodes(&self) -> usize {
        self.table.len()
    }

    /// The largest value that [`live_nodes`](Manager::live_nodes) has had.
    #[must_use]
    pub fn peak_nodes(&self) -> usize {
        self.peak.max(self.table.len())
    }

    /// The bytes that the tables take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.table.bytes() + self.computed.bytes()
    }

    /// What has been done so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            lookups: self.misses + self.computed.hits,
            hits: self.computed.hits,
            collections: self.collections,
            reorderings: self.reorderings,
        }
    }

    /// Registers a quantification and a renaming, to be done in one pass by
    /// [`exists_rename`](Manager::exists_rename) and [`image`](Manager::image).
    ///
    /// The variables of `quantify` are quantified first; what is left is renamed at once, so
    /// that `[(0, 1), (1, 0)]` swaps. Several variables may be renamed to one, and to a
    /// variable that is itself kept; the order of `quantify` and `rename` has no meaning. The
    /// same request gives the same number, at the cost of one look-up.
    ///
    /// # Panics
    /// If one variable is renamed to two, or a number exceeds [`MAX_VAR`].
    pub fn spec(&mut self, quantify: &[u32], rename: &[(u32, u32)]) -> SpecId {
        self.specs.intern(quantify, rename, &self.order)
    }

    /// The function of one variable.
    ///
    /// # Panics
    /// If `var` exceeds [`MAX_VAR`].
    pub fn var(&mut self, var: u32) -> Result<Bdd, Stop> {
        check_var(var);
        self.make(self.order.level(var), Bdd::FALSE, Bdd::TRUE)
    }

    /// Checks the invariants of the tables, for tests; an error says which one is broken.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), String> {
        self.table.validate()
    }

    /// Whether the handle names a node that is there. A stale handle is noticed only as long
    /// as its slot has not been given to another node.
    #[must_use]
    pub fn is_valid(&self, f: Bdd) -> bool {
        (f.index() as usize) < self.table.slots() && self.table.level(f) != crate::nodes::FREE
    }

    #[inline(always)]
    pub(crate) fn debug_check(&self, functions: &[Bdd]) {
        if cfg!(debug_assertions) {
            for &f in functions {
                assert!(self.is_valid(f), "the handle {f:?} was collected");
            }
        }
    }

    #[inline(always)]
    pub(crate) fn node_of(&self, f: Bdd) -> Node {
        *self.table.node(f)
    }

    /// The function `if level then hi else lo`, for `level` above both.
    #[inline(always)]
    pub(crate) fn make(&mut self, level: u32, lo: Bdd, hi: Bdd) -> Result<Bdd, Stop> {
        if lo == hi {
            return Ok(lo);
        }
        let c = hi.complement();
        let (lo, hi) = (lo.xor_complement(c), hi.xor_complement(c));
        let index = match self.table.find_or_add(level, lo, hi) {
            Ok(index) => index,
            Err(_) => self.make_in_larger_table(level, lo, hi)?,
        };
        Ok(Bdd::of_node(index, c))
    }

    #[cold]
    #[inline(never)]
    fn make_in_larger_table(&mut self, level: u32, lo: Bdd, hi: Bdd) -> Result<u32, Stop> {
        self.enlarge()?;
        self.table.find_or_add(level, lo, hi).map_err(|_| Stop::Nodes)
    }

    /// Makes room for at least one more node.
    pub(crate) fn enlarge(&mut self) -> Result<(), Stop> {
        // Large tables take long to copy: ask before each of the two.
        self.ask()?;
        let full = self.table.len() >= self.table.limit();
        if full || !self.may_grow(self.table.bytes_to_enlarge()) || !self.table.enlarge() {
            self.starved = true;
            self.refused = !full;
            return Err(Stop::Nodes);
        }
        // Operations can do with a smaller computed table: a refusal here stops nothing.
        self.ask()?;
        // Half as many entries as nodes, of large tables a quarter, of huge ones an eighth: less memory, for hardly more
        // steps.
        let capacity = self.table.capacity();
        let entries = match capacity {
            _ if capacity <= LARGE => capacity / 2,
            _ if capacity <= HUGE => capacity / 4,
            _ => capacity / 8,
        };
        if self.computed.len() < entries
            && entries <= self.cache_limit
            && self.may_grow(ComputedTable::bytes_for(entries))
        {
            self.computed.enlarge(entries.ilog2());
        }
        Ok(())
    }

    pub(crate) fn may_grow(&mut self, bytes: usize) -> bool {
        self.gate.as_mut().is_none_or(|gate| gate.may_grow(bytes))
    }

    /// Called once for every step, that is, after a look-up that failed.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        self.misses += 1;
        if self.misses < self.poll_at { Ok(()) } else { self.poll() }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn poll(&mut self) -> Result<(), Stop> {
        self.poll_at = self.misses + self.poll_interval;
        self.ask()
    }

    fn ask(&mut self) -> Result<(), Stop> {
        let go_on = self.gate.as_mut().is_none_or(|gate| gate.poll());
        if go_on { Ok(()) } else { Err(Stop::Interrupted) }
    }
}
