//! Generated systems, for tests.

use bes::{Bes, BesBuilder, Op, Sign};

/// A generator of numbers, the same everywhere (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(n)) >> 32) as u32
    }
}

/// How variables depend on each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Shape {
    /// Variables depend on blocks of the same or a lower place only.
    AlternationFree,
    /// On anything.
    Alternating,
    /// On lower numbers only.
    Acyclic,
    /// Mostly on the neighbour: values travel far.
    Chain,
}

/// A system with up to five blocks; any variable may be the one asked for.
pub(crate) fn system(random: &mut Random, shape: Shape, variables: u32) -> Bes {
    let blocks = 1 + random.below(5);
    let mut builder = BesBuilder::new();
    let first = random.below(2);
    for block in 0..blocks {
        let nu = if shape == Shape::Chain { random.below(2) } else { (block + first) % 2 };
        builder.block(if nu == 1 { Sign::Nu } else { Sign::Mu });
    }
    // Variables of a block are neighbours.
    let size = variables.div_ceil(blocks);
    for v in 0..variables {
        let block = v / size;
        let op = if random.below(2) == 0 { Op::Or } else { Op::And };
        let count = match random.below(12) {
            0 => 0,
            n => 1 + n % 4,
        };
        let operands: Vec<u32> = (0..count)
            .filter_map(|_| match shape {
                Shape::Alternating => Some(random.below(variables)),
                Shape::AlternationFree => {
                    let low = block * size;
                    Some(low + random.below(variables - low))
                }
                Shape::Acyclic => {
                    (v + 1 < variables).then(|| v + 1 + random.below(variables - v - 1))
                }
                Shape::Chain if random.below(8) > 0 => Some((v + 1).min(variables - 1)),
                Shape::Chain => Some(v + random.below(variables - v)),
            })
            .collect();
        builder.equation(block, op, operands);
    }
    builder.build(random.below(variables)).unwrap()
}

/// All shapes.
pub(crate) const SHAPES: [Shape; 4] =
    [Shape::AlternationFree, Shape::Alternating, Shape::Acyclic, Shape::Chain];

/// A system in CADP's format.
pub(crate) fn in_blocks(bes: &Bes) -> String {
    use std::fmt::Write;
    let signs: Vec<Sign> = bes.blocks().collect();
    let mut out = String::new();
    let firsts: Vec<u32> = (0..signs.len() as u32)
        .map(|block| (0..bes.len() as u32).filter(|&v| bes.block_of(v) < block).count() as u32)
        .collect();
    for (block, &sign) in signs.iter().enumerate() {
        let word = if sign == Sign::Mu { "mu" } else { "nu" };
        _ = writeln!(out, "block {word} B{block} is");
        for v in (0..bes.len() as u32).filter(|&v| bes.block_of(v) as usize == block) {
            let name = |y: &u32| {
                let of = bes.block_of(*y) as usize;
                let number = y - firsts[of];
                if of == block { format!("X{number}") } else { format!("X{number}_{of}") }
            };
            let operands: Vec<String> = bes.operands(v).iter().map(name).collect();
            let (joint, none) = match bes.op_of(v) {
                Op::And => (" and ", "true"),
                Op::Or => (" or ", "false"),
            };
            let right = if operands.is_empty() { none.to_owned() } else { operands.join(joint) };
            _ = writeln!(out, "  X{} = {right}", v - firsts[block]);
        }
        out.push_str("end block\n");
    }
    out
}
