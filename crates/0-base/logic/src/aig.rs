//! And-inverter graphs: hash-consed, simplified as they are built.
//!
//! A function is a literal ([`Lit`]): a node and whether it is complemented. Nodes are the constant,
//! inputs, and conjunctions of two literals. Children have smaller numbers than their parents, so
//! ascending order is a topological one and nothing needs recursion.
//!
//! [`Aig::and`] applies the two-level rules of [twolevel §3], those that never add nodes.

use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Not;

/// A function in an [`Aig`]: twice the node, plus one if complemented.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// Constant false.
    pub const FALSE: Lit = Lit(0);
    /// Constant true.
    pub const TRUE: Lit = Lit(1);

    /// The constant.
    pub fn constant(value: bool) -> Lit {
        Lit(value as u32)
    }
    /// The node's number.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }
    /// Whether it is the complement of its node.
    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }
    /// Whether it is true or false.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
    /// The literal, complemented if `flip`.
    pub fn xor_sign(self, flip: bool) -> Lit {
        Lit(self.0 ^ flip as u32)
    }
    /// The uncomplemented literal of a node.
    pub fn of_node(node: u32) -> Lit {
        Lit(node << 1)
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Lit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Lit::FALSE => f.write_str("0"),
            Lit::TRUE => f.write_str("1"),
            lit => write!(f, "{}{}", if lit.is_complement() { "!" } else { "" }, lit.node()),
        }
    }
}

/// Marks an input in place of its first child.
const INPUT: Lit = Lit(u32::MAX);

/// The graph.
///
/// Invariant 1: the children of a conjunction are ordered, distinct and not constant, and no other
/// conjunction has the same.
/// Invariant 2: children precede parents.
#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<[Lit; 2]>,
    /// What each node is under 64 pseudo-random valuations of the inputs.
    words: Vec<u64>,
    unique: FxHashMap<(Lit, Lit), u32>,
    inputs: u32,
}

impl Default for Aig {
    fn default() -> Self {
        Aig::new()
    }
}

/// A step of simplification.
enum Rule {
    Is(Lit),
    Again(Lit, Lit),
    None,
}

impl Aig {
    /// Only the constants.
    pub fn new() -> Aig {
        Aig {
            nodes: vec![[Lit::FALSE; 2]],
            words: vec![0],
            unique: FxHashMap::default(),
            inputs: 0,
        }
    }

    /// A new input.
    pub fn input(&mut self) -> Lit {
        let node = self.nodes.len() as u32;
        self.nodes.push([INPUT, Lit(self.inputs)]);
        self.inputs += 1;
        self.words.push(mix(u64::from(self.inputs)));
        Lit::of_node(node)
    }
    /// How many nodes there are, inputs and the constant included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether there is only the constant.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }
    /// How many inputs were made.
    pub fn input_count(&self) -> usize {
        self.inputs as usize
    }
    /// About how many bytes the graph takes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * (8 + 8 + 24)
    }
    /// Whether the literal is an input, complemented or not.
    pub fn is_input(&self, lit: Lit) -> bool {
        self.nodes[lit.node() as usize][0] == INPUT
    }
    /// The children, if the node is a conjunction.
    pub fn children(&self, node: u32) -> Option<(Lit, Lit)> {
        let [a, b] = self.nodes[node as usize];
        (a != INPUT && node != 0).then_some((a, b))
    }
    /// The function under 64 fixed valuations of the inputs, one to a bit: where two literals have
    /// different words they are different functions.
    pub fn word(&self, lit: Lit) -> u64 {
        self.words[lit.node() as usize] ^ if lit.is_complement() { u64::MAX } else { 0 }
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        // Ordered first: which rule applies must not depend on the order of the operands.
        let mut key = (a.min(b), a.max(b));
        loop {
            match self.rule(key.0, key.1) {
                Rule::Is(lit) => return lit,
                Rule::Again(x, y) => key = (x.min(y), x.max(y)),
                Rule::None => break,
            }
        }
        let (a, b) = key;
        if let Some(&node) = self.unique.get(&key) {
            return Lit::of_node(node);
        }
        let node = self.nodes.len();
        assert!(node < 1 << 31, "a graph has fewer than 2^31 nodes");
        self.nodes.push([key.0, key.1]);
        self.words.push(self.word(a) & self.word(b));
        self.unique.insert(key, node as u32);
        Lit::of_node(node as u32)
    }

    /// The rules of [twolevel Table 2]: neutrality, boundedness, idempotence, contradiction (level
    /// 1); contradiction, subsumption, idempotence, resolution, substitution (level 2).
    fn rule(&self, a: Lit, b: Lit) -> Rule {
        if a == b || b == Lit::TRUE {
            return Rule::Is(a);
        }
        if a == Lit::TRUE {
            return Rule::Is(b);
        }
        if a == !b || a == Lit::FALSE || b == Lit::FALSE {
            return Rule::Is(Lit::FALSE);
        }
        let (ca, cb) = (self.children(a.node()), self.children(b.node()));
        // One side is a conjunction.
        for (x, cx, y) in [(a, ca, b), (b, cb, a)] {
            let Some((x0, x1)) = cx else { continue };
            if x.is_complement() {
                if x0 == !y || x1 == !y {
                    return Rule::Is(y);
                }
                if x0 == y {
                    return Rule::Again(!x1, y);
                }
                if x1 == y {
                    return Rule::Again(!x0, y);
                }
            } else {
                if x0 == !y || x1 == !y {
                    return Rule::Is(Lit::FALSE);
                }
                if x0 == y || x1 == y {
                    return Rule::Is(x);
                }
            }
        }
        // Both are.
        let (Some((a0, a1)), Some((b0, b1))) = (ca, cb) else { return Rule::None };
        match (a.is_complement(), b.is_complement()) {
            (false, false) => {
                if a0 == !b0 || a0 == !b1 || a1 == !b0 || a1 == !b1 {
                    return Rule::Is(Lit::FALSE);
                }
                if a0 == b0 || a1 == b0 {
                    return Rule::Again(a, b1);
                }
                if a0 == b1 || a1 == b1 {
                    return Rule::Again(a, b0);
                }
            }
            (true, true) => {
                for (x, y) in [(a0, a1), (a1, a0)] {
                    if (x == b0 && y == !b1) || (x == b1 && y == !b0) {
                        return Rule::Is(!x);
                    }
                }
            }
            (na, _) => {
                let ((n0, n1), (p, p0, p1)) =
                    if na { ((a0, a1), (b, b0, b1)) } else { ((b0, b1), (a, a0, a1)) };
                if n0 == !p0 || n0 == !p1 || n1 == !p0 || n1 == !p1 {
                    return Rule::Is(p);
                }
                if n0 == p0 || n0 == p1 {
                    return Rule::Again(!n1, p);
                }
                if n1 == p0 || n1 == p1 {
                    return Rule::Again(!n0, p);
                }
            }
        }
        Rule::None
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }
    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (x, y) = (self.and(a, !b), self.and(!a, b));
        self.or(x, y)
    }
    /// Equality.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }
    /// `if c then a else b`.
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        if a == !b {
            return self.iff(c, a);
        }
        let (x, y) = (self.and(c, a), self.and(!c, b));
        self.or(x, y)
    }
    /// The conjunction of all.
    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(Lit::TRUE, |all, lit| self.and(all, lit))
    }
    /// Whether two vectors of equal length are equal.
    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(Lit::TRUE, |all, (&x, &y)| {
            let same = self.iff(x, y);
            self.and(all, same)
        })
    }

    /// The nodes on which the roots depend, ascending; the constant is left out.
    pub fn cone(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<u32> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut out = Vec::new();
        let mut stack: Vec<u32> = roots.into_iter().map(Lit::node).collect();
        while let Some(node) = stack.pop() {
            if node == 0 || !seen.insert(node) {
                continue;
            }
            out.push(node);
            if let Some((a, b)) = self.children(node) {
                stack.extend([a.node(), b.node()]);
            }
        }
        out.sort_unstable();
        out
    }
    /// The inputs among the nodes.
    pub fn inputs_of<'a>(&'a self, cone: &'a [u32]) -> impl Iterator<Item = Lit> + 'a {
        cone.iter().map(|&n| Lit::of_node(n)).filter(|&l| self.is_input(l))
    }
    /// The inputs on which the roots may depend, in order of creation.
    pub fn support(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<Lit> {
        let cone = self.cone(roots);
        self.inputs_of(&cone).collect()
    }
    /// How many conjunctions the roots consist of.
    pub fn size(&self, roots: impl IntoIterator<Item = Lit>) -> usize {
        let cone = self.cone(roots);
        cone.iter().filter(|&&n| self.children(n).is_some()).count()
    }

    /// The roots with functions in place of inputs, all at once.
    pub fn substitute(&mut self, roots: &[Lit], map: &FxHashMap<Lit, Lit>) -> Vec<Lit> {
        let cone = self.cone(roots.iter().copied());
        let mut done: FxHashMap<u32, Lit> = FxHashMap::default();
        done.insert(0, Lit::FALSE);
        for node in cone {
            let image = match self.children(node) {
                None => {
                    let input = Lit::of_node(node);
                    map.get(&input).copied().unwrap_or(input)
                }
                Some((a, b)) => {
                    let (x, y) = (image(&done, a), image(&done, b));
                    if x == a && y == b { Lit::of_node(node) } else { self.and(x, y) }
                }
            };
            done.insert(node, image);
        }
        roots.iter().map(|&r| image(&done, r)).collect()
    }
    /// The function where an input (`at`, perhaps complemented) is true.
    pub fn cofactor(&mut self, root: Lit, at: Lit) -> Lit {
        let value = Lit::constant(!at.is_complement());
        let map = FxHashMap::from_iter([(Lit::of_node(at.node()), value)]);
        self.substitute(&[root], &map)[0]
    }
    /// Copies roots of another graph into this one; `input` gives this graph's function for each
    /// input of the other.
    pub fn import(
        &mut self,
        from: &Aig,
        roots: &[Lit],
        mut input: impl FnMut(&mut Aig, Lit) -> Lit,
    ) -> Vec<Lit> {
        let mut done: FxHashMap<u32, Lit> = FxHashMap::default();
        done.insert(0, Lit::FALSE);
        for node in from.cone(roots.iter().copied()) {
            let image = match from.children(node) {
                None => input(self, Lit::of_node(node)),
                Some((a, b)) => {
                    let (x, y) = (image(&done, a), image(&done, b));
                    self.and(x, y)
                }
            };
            done.insert(node, image);
        }
        roots.iter().map(|&r| image(&done, r)).collect()
    }

    /// Drops every node on which no root depends; inputs stay inputs. Literals change: the result
    /// tells what became of each.
    pub fn collect(&mut self, roots: impl IntoIterator<Item = Lit>) -> Moved {
        let cone = self.cone(roots);
        let mut moved = vec![u32::MAX; self.nodes.len()];
        moved[0] = 0;
        let mut next = 1u32;
        for &node in &cone {
            moved[node as usize] = next;
            next += 1;
        }
        let place =
            |lit: Lit| Lit::of_node(moved[lit.node() as usize]).xor_sign(lit.is_complement());
        self.unique.clear();
        for &node in &cone {
            let to = moved[node as usize] as usize;
            let [a, b] = self.nodes[node as usize];
            self.nodes[to] = if a == INPUT { [a, b] } else { [place(a), place(b)] };
            self.words[to] = self.words[node as usize];
            if a != INPUT {
                // Numbers keep their order, so children keep theirs.
                self.unique.insert((place(a), place(b)), to as u32);
            }
        }
        self.nodes.truncate(next as usize);
        self.words.truncate(next as usize);
        Moved(moved)
    }

    /// The values of the roots under a valuation of the inputs.
    pub fn eval(&self, roots: &[Lit], mut value: impl FnMut(Lit) -> bool) -> Vec<bool> {
        let mut values: FxHashMap<u32, bool> = FxHashMap::default();
        values.insert(0, false);
        let at = |values: &FxHashMap<u32, bool>, l: Lit| values[&l.node()] ^ l.is_complement();
        for node in self.cone(roots.iter().copied()) {
            let v = match self.children(node) {
                None => value(Lit::of_node(node)),
                Some((a, b)) => at(&values, a) && at(&values, b),
            };
            values.insert(node, v);
        }
        roots.iter().map(|&r| at(&values, r)).collect()
    }
}

fn image(done: &FxHashMap<u32, Lit>, lit: Lit) -> Lit {
    done[&lit.node()].xor_sign(lit.is_complement())
}

/// What became of the nodes in a collection.
#[derive(Clone, Debug)]
pub struct Moved(Vec<u32>);

impl Moved {
    /// The literal's new name; `None` if its node was dropped.
    pub fn get(&self, lit: Lit) -> Option<Lit> {
        let node = *self.0.get(lit.node() as usize)?;
        (node != u32::MAX).then(|| Lit::of_node(node).xor_sign(lit.is_complement()))
    }
}

/// A valuation of inputs, and of whatever was asked for under it. Inputs that are not told are
/// false.
#[derive(Clone, Debug, Default)]
pub struct Valuation {
    values: FxHashMap<u32, bool>,
}

impl Valuation {
    /// All inputs false.
    pub fn new() -> Valuation {
        Valuation::default()
    }
    /// Tells the value of an input. Not after anything that depends on it was asked for.
    pub fn set(&mut self, input: Lit, value: bool) {
        self.values.insert(input.node(), value ^ input.is_complement());
    }
    /// The value of a function.
    pub fn get(&mut self, aig: &Aig, root: Lit) -> bool {
        let mut stack = vec![root.node()];
        while let Some(&node) = stack.last() {
            if self.values.contains_key(&node) {
                stack.pop();
                continue;
            }
            let Some((a, b)) = aig.children(node) else {
                self.values.insert(node, false);
                stack.pop();
                continue;
            };
            match (self.known(a), self.known(b)) {
                (Some(x), Some(y)) => {
                    self.values.insert(node, x && y);
                    stack.pop();
                }
                (x, y) => {
                    stack.extend(x.is_none().then_some(a.node()));
                    stack.extend(y.is_none().then_some(b.node()));
                }
            }
        }
        self.values[&root.node()] ^ root.is_complement()
    }
    fn known(&self, lit: Lit) -> Option<bool> {
        self.values.get(&lit.node()).map(|v| v ^ lit.is_complement())
    }
}

/// A word of pseudo-random bits (splitmix64).
fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
