//! Boolean equation systems in CADP's `.bes` format: blocks of simple equations.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use source::Span;

use crate::lex::{Dialect, Lexer, SyntaxError, SyntaxErrorKind, Token};
use crate::{Bes, BesBuilder, Op, Sign};

pub use crate::cadp_parts::{Each, NotInParts, Parts, Text, read_parts};
pub use crate::cadp_stream::{ReadError, read};

/// An operand of an equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// `true` or `false`.
    Constant(bool),
    /// A variable of the same block.
    Here(u32),
    /// A variable of another block.
    There {
        /// The variable's number.
        variable: u32,
        /// The block's number.
        block: u32,
    },
}

/// An equation: one operator over operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// The variable's number.
    pub variable: u32,
    /// The operator; that of a single operand does not count and is ∨.
    pub op: Op,
    /// The operands, at least one.
    pub operands: Vec<Operand>,
}

/// A block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its sign.
    pub sign: Sign,
    /// Its number.
    pub number: u32,
    /// Whether it is marked `unique`.
    pub unique: bool,
    /// The algorithm it asks for.
    pub mode: Option<u32>,
    /// Its equations.
    pub equations: Vec<Equation>,
}

/// A system as written. The first variable of the first block is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockSystem {
    /// The blocks, most significant first.
    pub blocks: Vec<Block>,
}

/// Reads a system and checks that every variable it uses is defined once.
pub fn parse(text: &str) -> Result<BlockSystem, SyntaxError> {
    let mut lexer = Lexer::new(text, Dialect::Cadp)?;
    let mut blocks = Vec::new();
    let mut known: FxHashMap<(u32, u32), ()> = FxHashMap::default();
    let mut numbers: FxHashMap<u32, ()> = FxHashMap::default();
    // Operands and their places, to be looked up when all equations are known.
    let mut uses: Vec<(u32, u32, Span)> = Vec::new();
    while lexer.token() != Token::End {
        if !lexer.take_word("block")? {
            return Err(lexer.unexpected("`block`"));
        }
        let sign = if lexer.take_word("mu")? {
            Sign::Mu
        } else if lexer.take_word("nu")? {
            Sign::Nu
        } else {
            return Err(lexer.unexpected("`mu` or `nu`"));
        };
        let span = lexer.span();
        let (name, _) = lexer.name("a block `B<number>`")?;
        let number = numbered(name, 'B').ok_or_else(|| {
            let (found, expected) = (format!("`{name}`"), "a block `B<number>`");
            SyntaxError::new(SyntaxErrorKind::Unexpected { found, expected }, span)
        })?;
        if numbers.insert(number, ()).is_some() {
            let kind = SyntaxErrorKind::Twice { what: "block", name: name.to_owned() };
            return Err(SyntaxError::new(kind, span));
        }
        let unique = lexer.take_word("unique")?;
        let mut mode = None;
        if lexer.take_word("mode")? {
            if lexer.token() != Token::Number {
                return Err(lexer.unexpected("a number"));
            }
            let value = lexer.text().parse();
            mode =
                Some(value.map_err(|_| SyntaxError::new(SyntaxErrorKind::Number, lexer.span()))?);
            lexer.advance()?;
        }
        if !lexer.take_word("is")? {
            return Err(lexer.unexpected("`is`"));
        }
        let mut equations = Vec::new();
        while !lexer.take_word("end")? {
            let (variable, span) = match operand(&mut lexer)? {
                (Operand::Here(variable), span) => (variable, span),
                (_, span) => {
                    let (found, expected) = ("something else".to_owned(), "a variable `X<number>`");
                    let kind = SyntaxErrorKind::Unexpected { found, expected };
                    return Err(SyntaxError::new(kind, span));
                }
            };
            if known.insert((number, variable), ()).is_some() {
                let kind =
                    SyntaxErrorKind::Twice { what: "variable", name: format!("X{variable}") };
                return Err(SyntaxError::new(kind, span));
            }
            lexer.expect("=", "`=`")?;
            let mut op = None;
            let mut operands = Vec::new();
            loop {
                let (operand, span) = operand(&mut lexer)?;
                match operand {
                    Operand::Here(variable) => uses.push((number, variable, span)),
                    Operand::There { variable, block } => uses.push((block, variable, span)),
                    Operand::Constant(_) => {}
                }
                operands.push(operand);
                let here = match lexer.token() {
                    Token::Name if lexer.text() == "or" => Op::Or,
                    Token::Name if lexer.text() == "and" => Op::And,
                    _ => break,
                };
                if *op.get_or_insert(here) != here {
                    let what = "`or` and `and` in one equation".to_owned();
                    return Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), lexer.span()));
                }
                lexer.advance()?;
            }
            lexer.take(";")?;
            equations.push(Equation { variable, op: op.unwrap_or(Op::Or), operands });
        }
        if !lexer.take_word("block")? {
            return Err(lexer.unexpected("`block`"));
        }
        blocks.push(Block { sign, number, unique, mode, equations });
    }
    if blocks.first().is_none_or(|block: &Block| block.equations.is_empty()) {
        let what = "the first block has no equation to ask for".to_owned();
        return Err(SyntaxError::new(SyntaxErrorKind::Other(what), lexer.span()));
    }
    for (block, variable, span) in uses {
        if !known.contains_key(&(block, variable)) {
            let (what, name) = ("variable", format!("X{variable}_{block}"));
            let kind = SyntaxErrorKind::Unknown { what, name, near: None };
            return Err(SyntaxError::new(kind, span));
        }
    }
    Ok(BlockSystem { blocks })
}

fn numbered(name: &str, letter: char) -> Option<u32> {
    let digits = name.strip_prefix(letter)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn operand(lexer: &mut Lexer<'_>) -> Result<(Operand, Span), SyntaxError> {
    const WHAT: &str = "`true`, `false` or a variable `X<number>`";
    let unexpected = lexer.unexpected(WHAT);
    let (name, span) = lexer.name(WHAT)?;
    let operand = match name {
        "true" => Operand::Constant(true),
        "false" => Operand::Constant(false),
        _ => match name.split_once('_') {
            None => Operand::Here(numbered(name, 'X').ok_or(unexpected)?),
            Some((variable, block)) => {
                let variable = numbered(variable, 'X').ok_or_else(|| unexpected.clone())?;
                let digits = !block.is_empty() && block.bytes().all(|b| b.is_ascii_digit());
                let block = block.parse().ok().filter(|_| digits).ok_or(unexpected)?;
                Operand::There { variable, block }
            }
        },
    };
    Ok((operand, span))
}

impl BlockSystem {
    /// The system in memory. Constants become variables of their own where they matter.
    pub fn to_bes(&self) -> Bes {
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut builder = BesBuilder::new();
        for block in &self.blocks {
            for equation in &block.equations {
                let next = numbers.len() as u32;
                numbers.insert((block.number, equation.variable), next);
            }
        }
        for block in &self.blocks {
            let id = builder.block(block.sign);
            for equation in &block.equations {
                let mut op = equation.op;
                let decided = equation
                    .operands
                    .iter()
                    .any(|operand| matches!(operand, Operand::Constant(b) if *b != op.neutral()));
                let mut operands = Vec::new();
                if decided {
                    op = op.dual();
                } else {
                    operands.extend(equation.operands.iter().filter_map(|operand| match operand {
                        Operand::Constant(_) => None,
                        Operand::Here(variable) => Some(numbers[&(block.number, *variable)]),
                        Operand::There { variable, block } => Some(numbers[&(*block, *variable)]),
                    }));
                }
                builder.equation(id, op, operands);
                builder.name(format!("X{}_{}", equation.variable, block.number));
            }
        }
        builder.build(0).expect("every variable is defined, and the first block has one")
    }

    /// A system in this format: variables are numbered within their blocks, the initial one and
    /// its block come first. Where that would change the order of blocks that depend on each other,
    /// a block of its own comes first, whose one variable is the initial one: no other depends on
    /// it, so that its sign and its place say nothing.
    pub fn from_bes(bes: &Bes) -> BlockSystem {
        let main = bes.initial_variable();
        let first = bes.block_of(main);
        let signs: Vec<Sign> = bes.blocks().collect();
        let alternation_free = (0..bes.len() as u32)
            .all(|v| bes.operands(v).iter().all(|&y| bes.block_of(y) >= bes.block_of(v)));
        let alone = first != 0 && !alternation_free;
        let mut order: Vec<u32> = (0..signs.len() as u32).collect();
        if !alone {
            order.retain(|&b| b != first);
            order.insert(0, first);
        }
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); signs.len()];
        members[first as usize].push(main);
        for v in (0..bes.len() as u32).filter(|&v| v != main) {
            members[bes.block_of(v) as usize].push(v);
        }
        let mut local = vec![0u32; bes.len()];
        for block in &members {
            for (i, &v) in block.iter().enumerate() {
                local[v as usize] = i as u32;
            }
        }
        let blocks = order.iter().map(|&b| Block {
            sign: signs[b as usize],
            number: b,
            unique: false,
            mode: None,
            equations: members[b as usize]
                .iter()
                .map(|&v| {
                    let mut operands: Vec<Operand> = bes
                        .operands(v)
                        .iter()
                        .map(|&y| match bes.block_of(y) == b {
                            true => Operand::Here(local[y as usize]),
                            false => Operand::There {
                                variable: local[y as usize],
                                block: bes.block_of(y),
                            },
                        })
                        .collect();
                    let mut op = bes.op_of(v);
                    if operands.is_empty() {
                        operands.push(Operand::Constant(op.neutral()));
                    }
                    if operands.len() == 1 {
                        op = Op::Or;
                    }
                    Equation { variable: local[v as usize], op, operands }
                })
                .collect(),
        });
        let initial = alone.then(|| Block {
            sign: signs[first as usize],
            number: signs.len() as u32,
            unique: false,
            mode: None,
            equations: vec![Equation {
                variable: 0,
                op: Op::Or,
                operands: vec![Operand::There { variable: local[main as usize], block: first }],
            }],
        });
        BlockSystem { blocks: initial.into_iter().chain(blocks).collect() }
    }
}

impl std::fmt::Display for BlockSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        for (i, block) in self.blocks.iter().enumerate() {
            if i > 0 {
                out.push('\n');
            }
            _ = write!(out, "block {} B{}", block.sign.word(), block.number);
            if block.unique {
                out.push_str(" unique");
            }
            if let Some(mode) = block.mode {
                _ = write!(out, " mode {mode}");
            }
            out.push_str(" is\n");
            for equation in &block.equations {
                _ = write!(out, "  X{} =", equation.variable);
                for (i, operand) in equation.operands.iter().enumerate() {
                    if i > 0 {
                        out.push_str(if equation.op == Op::Or { " or" } else { " and" });
                    }
                    _ = match operand {
                        Operand::Constant(value) => write!(out, " {value}"),
                        Operand::Here(variable) => write!(out, " X{variable}"),
                        Operand::There { variable, block } => write!(out, " X{variable}_{block}"),
                    };
                }
                out.push('\n');
            }
            out.push_str("end block\n");
        }
        f.write_str(&out)
    }
}
