//! Labels between two forms: sums of cubes and decision diagrams.

use bdd::{Bdd, Manager, Stop};

use crate::tgba::{Cube, Label};

/// The diagram of a label.
pub(crate) fn diagram(bdd: &mut Manager, label: &Label) -> Result<Bdd, Stop> {
    let mut sum = Bdd::FALSE;
    for cube in &label.cubes {
        let cube = bdd.literals(&cube.0)?;
        sum = bdd.or(sum, cube)?;
    }
    Ok(sum)
}

/// The largest number of cubes of a label.
pub(crate) const MAX_CUBES: usize = 1 << 16;

/// A sum of cubes, none of which can be left out or shortened, after Minato (SASIMI 1992); `None` if there
/// are more than [`MAX_CUBES`].
pub(crate) fn cover(bdd: &mut Manager, f: Bdd) -> Result<Option<Label>, Stop> {
    let mut cubes = Vec::new();
    let mut path = Vec::new();
    cover_between(bdd, f, f, &mut path, &mut cubes)?;
    if cubes.len() > MAX_CUBES {
        return Ok(None);
    }
    cubes.sort_unstable();
    Ok(Some(Label { cubes }))
}

/// Pushes cubes, each prefixed with `path`, whose sum lies between `lower` and `upper`; gives the
/// sum. Recurses once for each atom that the bounds depend on.
fn cover_between(
    bdd: &mut Manager,
    lower: Bdd,
    upper: Bdd,
    path: &mut Vec<(u32, bool)>,
    cubes: &mut Vec<Cube>,
) -> Result<Bdd, Stop> {
    if lower.is_false() || cubes.len() > MAX_CUBES {
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
    let part0 = cover_between(bdd, need0, u0, path, cubes)?;
    path.pop();
    let need1 = bdd.diff(l1, u0)?;
    path.push((var, true));
    let part1 = cover_between(bdd, need1, u1, path, cubes)?;
    path.pop();
    let rest0 = bdd.diff(l0, part0)?;
    let rest1 = bdd.diff(l1, part1)?;
    let rest = bdd.or(rest0, rest1)?;
    let common = bdd.and(u0, u1)?;
    let part = cover_between(bdd, rest, common, path, cubes)?;
    let literal = bdd.var(var)?;
    let sides = bdd.ite(literal, part1, part0)?;
    bdd.or(sides, part)
}
