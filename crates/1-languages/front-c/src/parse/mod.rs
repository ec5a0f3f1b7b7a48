//! Tokens → tree, by recursive descent.
//!
//! Where C cannot be read without knowing which names are types, scopes tell. Every top-level item is
//! parsed on its own: what fails is skipped to its end, by its brackets, and reported. Chains that
//! programs make long (`else if`, `case` labels, operators of one level) are loops here.
//!
//! What really nests is the one exception to the rule that nothing recurses over nesting: C's grammar
//! mixes declarations, statements and expressions at every level, and a descent says it best. It is
//! bounded. Every cycle of these functions passes through [`Parser::deeper`], which counts to
//! [`MAX_DEPTH`] and then gives the item up with a problem that says so; the parser runs on a thread
//! whose stack fits that many levels of the largest frames. `tests/syntax.rs` nests every construct
//! deeper than that.
//!
//! | file | idea |
//! |---|---|
//! | `cursor`, `keywords` | the place in the tokens |
//! | `items` | the top level |
//! | `specifiers`, `tags`, `declarators`, `attributes`, `initialisers` | declarations |
//! | `statements` | statements |
//! | `expressions`, `primary` | expressions |
//! | `scopes`, `nodes` | what is known, what is made |

mod attributes;
mod cursor;
mod declarators;
mod expressions;
mod initialisers;
mod items;
mod keywords;
mod nodes;
mod primary;
mod scopes;
mod specifiers;
mod statements;
mod tags;

use crate::lex::{Lexed, Pack, Place, Pragma, Problem, Token, lex};
use crate::tree::{Attributes, Function, Item, StmtKind, Sym, TypeId, Unit};
use cursor::matching;
use keywords::Keywords;
use rustc_hash::FxHashMap;
use scopes::{Meaning, Scope};

/// How deep expressions and statements may nest.
pub const MAX_DEPTH: u32 = 2_000;

/// What is no C has problems without end, each of which may cost [`MAX_DEPTH`] levels.
const MAX_PROBLEMS: usize = 10_000;
/// Items that nest too deep.
const MAX_DEEP: usize = 100;

/// Enough for [`MAX_DEPTH`] levels of the largest frames.
const STACK_BYTES: usize = 256 << 20;

/// Parses a preprocessed translation unit. Never fails as a whole: see [`Unit::problems`].
pub fn parse(text: &str) -> Unit {
    let body = || {
        let mut unit = Unit::default();
        let keywords = Keywords::new(&mut unit);
        let Lexed { tokens, files, packs, pragmas } = lex(text, &mut unit.names);
        unit.files = files;
        unit.text = text.into();
        let mut parser = Parser {
            hopeless: vec![false; tokens.len()],
            closing: matching(&tokens),
            tokens,
            packs,
            pos: 0,
            unit,
            keywords,
            scopes: vec![Scope::default()],
            local_labels: FxHashMap::default(),
            typedefs: Vec::new(),
            has_inner: None,
            inner: None,
            depth: 0,
        };
        // A keyword of C23, and a name in C11: what a program declares takes its place.
        let (name, ty) = (parser.unit.names.add("bool"), parser.base("_Bool"));
        parser.declare(name, Meaning::Type(ty));
        parser.unit();
        pragmas.into_iter().for_each(|pragma| obey(&mut parser.unit, pragma));
        parser.unit
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, body);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(unit)) => unit,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let message = format!("no thread to parse on: {error}");
                let problem = Problem { at: Place::default(), message, function: None };
                Unit { problems: vec![problem], ..Unit::default() }
            }
        }
    })
}

/// Puts what a pragma says of a name into its declarations, as an attribute would.
fn obey(unit: &mut Unit, pragma: Pragma) {
    let (Pragma::Weak(name) | Pragma::Alias(name, _) | Pragma::LinkerName(name, _)) = pragma;
    let note = |attributes: &mut Attributes| match pragma {
        Pragma::Weak(_) => attributes.weak = true,
        Pragma::Alias(_, other) => {
            attributes.weak = true;
            attributes.alias = Some(other);
        }
        Pragma::LinkerName(_, other) => attributes.asm_name = Some(other),
    };
    for item in &mut unit.items {
        match item {
            Item::Function(f) if f.name == name => note(&mut f.attributes),
            Item::Declaration(d) if d.name == name => note(&mut d.attributes),
            _ => {}
        }
    }
    for stmt in &mut unit.stmts {
        if let StmtKind::Declare(list) = &mut stmt.kind {
            list.iter_mut().filter(|d| d.name == name).for_each(|d| note(&mut d.attributes));
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    packs: Vec<Pack>,
    /// Of each opening bracket, the closing one.
    closing: Vec<u32>,
    /// Tokens from which no end of an item was found; see [`Parser::end_of_item`].
    hopeless: Vec<bool>,
    pos: usize,
    unit: Unit,
    keywords: Keywords,
    scopes: Vec<Scope>,
    /// How many blocks have declared the label.
    local_labels: FxHashMap<Sym, u32>,
    /// The types that the declarations just read have named.
    typedefs: Vec<TypeId>,
    /// Where the first function inside of the one that is read begins.
    has_inner: Option<Place>,
    /// The one that was just read.
    inner: Option<Function>,
    depth: u32,
}
