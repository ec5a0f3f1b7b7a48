//! Sums of cubes: what labels are for people, and in formats of text.

use bdd::{Bdd, Manager, Stop};

/// A conjunction of atoms and negated atoms: the position in [`Tgba::atoms`](crate::Tgba::atoms), and the value
/// wanted. Ascending, each atom at most once; empty is true.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube(pub Vec<(u32, bool)>);

impl Cube {
    /// Whether a letter is in the cube.
    pub fn holds(&self, mut letter: impl FnMut(u32) -> bool) -> bool {
        self.0.iter().all(|&(atom, value)| letter(atom) == value)
    }
}

/// The sum of some cubes. No cube is false, and `[Cube(vec![])]` is true.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cubes {
    /// The cubes; they may overlap.
    pub cubes: Vec<Cube>,
}

/// A sum of cubes, none of which can be left out or shortened, after Minato (SASIMI 1992); `None` if there
/// are more than `limit`. Variables are atoms.
pub(crate) fn cover(bdd: &mut Manager, f: Bdd, limit: usize) -> Result<Option<Cubes>, Stop> {
    let mut cubes = Vec::new();
    let mut path = Vec::new();
    cover_between(bdd, f, f, limit, &mut path, &mut cubes)?;
    if cubes.len() > limit {
        return Ok(None);
    }
    cubes.sort_unstable();
    Ok(Some(Cubes { cubes }))
}

/// Pushes cubes, each prefixed with `path`, whose sum lies between `lower` and `upper`; gives the
/// sum. Recurses once for each atom that the bounds depend on.
fn cover_between(
    bdd: &mut Manager,
    lower: Bdd,
    upper: Bdd,
    limit: usize,
    path: &mut Vec<(u32, bool)>,
    cubes: &mut Vec<Cube>,
) -> Result<Bdd, Stop> {
    if lower.is_false() || cubes.len() > limit {
        return Ok(Bdd::FALSE);
    }
    if upper.is_true() {
        cubes.push(Cube(path.clone()));
        return Ok(Bdd::TRUE);
    }
    let var = [lower, upper]
        .iter()
        .filter_map(|&f| bdd.node(f).map(|(var, _, _)| var))
        .min()
        .expect("a constant lower bound is true here, and the upper one contains it");
    let branches = |bdd: &Manager, f: Bdd| match bdd.node(f) {
        Some((v, low, high)) if v == var => (low, high),
        _ => (f, f),
    };
    let ((l0, l1), (u0, u1)) = (branches(bdd, lower), branches(bdd, upper));
    // What only one branch can cover needs a literal.
    let need0 = bdd.diff(l0, u1)?;
    path.push((var, false));
    let part0 = cover_between(bdd, need0, u0, limit, path, cubes)?;
    path.pop();
    let need1 = bdd.diff(l1, u0)?;
    path.push((var, true));
    let part1 = cover_between(bdd, need1, u1, limit, path, cubes)?;
    path.pop();
    let rest0 = bdd.diff(l0, part0)?;
    let rest1 = bdd.diff(l1, part1)?;
    let rest = bdd.or(rest0, rest1)?;
    let common = bdd.and(u0, u1)?;
    let part = cover_between(bdd, rest, common, limit, path, cubes)?;
    let literal = bdd.var(var)?;
    let sides = bdd.ite(literal, part1, part0)?;
    bdd.or(sides, part)
}
