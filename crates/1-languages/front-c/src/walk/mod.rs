//! Trees → skeletons, by a stack of tasks that writes linear code with labels.
//!
//! Nothing here recurses: chains of operators and statements can be as long as memory allows. A task
//! that evaluates an expression leaves a [`Val`] on the stack of values; events gather in
//! [`Gathered`] until the point they belong to is complete.
//!
//! | file | idea |
//! |---|---|
//! | `tasks` | what is still to be done |
//! | `statements`, `declarations`, `switches`, `jumps`, `returns` | statements |
//! | `expressions`, `operators`, `assignments`, `calls`, `branches` | expressions |
//! | `values`, `objects`, `types`, `scope` | what expressions are about |
//! | `gather`, `accesses`, `code`, `text` | points |
//! | `type_names` | what rules call types |

mod accesses;
mod assignments;
mod branches;
mod calls;
mod code;
mod declarations;
mod expressions;
mod gather;
mod initialisers;
mod jumps;
mod objects;
mod operators;
mod returns;
mod scope;
mod statements;
mod switches;
mod tasks;
mod text;
mod type_names;
mod types;
mod values;

use crate::Place;
use crate::contracts::Contracts;
use crate::function_pointers::{Resolved, resolve};
use crate::link::{Entity, Linked, link};
use crate::objects::{FuncId, ObjectId, Reach};
use crate::skeleton::{Body, Skeleton, Spot};
use crate::tree::{Attributes, ExprId, Function, Item, StmtKind, Sym, Unit};
use code::Code;
use gather::Gathered;
use jumps::Jumps;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scope;
use source::{Diagnostic, Placed};
use std::collections::BTreeSet;
use tasks::Task;
use text::Text;
pub use type_names::type_text;
use type_names::{const_params, type_names};
use values::{Val, Values};

/// How calls through pointers are resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pointers {
    /// By the functions that may be in the pointer, where that can be followed.
    #[default]
    Followed,
    /// By type alone: any function of a fitting type whose address is taken. What is followed is a
    /// part of this.
    Types,
}

/// The skeletons of all functions of the units.
pub fn skeleton(units: &[Unit]) -> Skeleton {
    skeleton_by(units, Pointers::Followed)
}

/// The skeletons of all functions of the units, with a choice of how calls through pointers are
/// resolved.
pub fn skeleton_by(units: &[Unit], pointers: Pointers) -> Skeleton {
    let mut linked = link(units);
    // What was not read may store any function anywhere.
    let whole = (0..units.len()).all(|u| linked.is_whole(u));
    let resolved = match pointers {
        Pointers::Followed if whole => resolve(&mut linked),
        _ => None,
    };
    let by_type = (pointers == Pointers::Followed && resolved.is_none()).then_some(match whole {
        true => "there are too many of them",
        false => "not all of the program could be read",
    });
    // Who tells at the start what a name is gives it away.
    let told = units.iter().flat_map(|u| &u.items).any(|item| match item {
        Item::Function(f) => f.attributes.ifunc.is_some(),
        Item::Declaration(d) => d.attributes.ifunc.is_some(),
    });
    let escaped = resolved.as_ref().filter(|_| !told).map(|r| r.escaped.clone());
    let resolved = resolved.unwrap_or_default();
    let mut shared =
        Shared { by_type, by_type_said: pointers == Pointers::Types, ..Shared::default() };
    for u in 0..units.len() {
        walk_unit(&mut linked, &mut shared, &resolved, u);
    }
    let Shared { mut bodies, initial, files, .. } = shared;
    bodies.sort_by_key(|b: &Body| b.func);
    for i in 0..linked.funcs.len() {
        linked.funcs[i].result = linked.funcs[i].ty.and_then(|ty| linked.result_scalar(ty));
    }
    let Linked { mut funcs, mut objects, warnings, .. } = linked;
    let types = type_names(units, &mut objects, &mut funcs);
    for func in &mut funcs {
        func.const_params = const_params(units, func.ty);
    }
    let model = units.first().map(|u| u.model).unwrap_or_default();
    let given_away = bodies.iter().map(|b| b.func).filter(|f| match &escaped {
        Some(escaped) => escaped.binary_search(f).is_ok(),
        None => funcs[f.index()].address_taken,
    });
    let given_away = given_away.collect();
    let files = files.names;
    let (renamed, assembler) = (renamed(units), units.iter().any(|u| u.assembler));
    let counts = units.iter().any(counts);
    Skeleton {
        contracts: Contracts::ready_made(),
        funcs,
        objects,
        bodies,
        files,
        warnings,
        initial,
        renamed,
        assembler,
        counts,
        given_away,
        model,
        types,
    }
}

/// Whether a text has a conversion that counts what was printed: `%n`, with whatever stands in between.
fn counts(unit: &Unit) -> bool {
    let counting = |text: &str| {
        text.split('%').skip(1).any(|part| {
            let end = part.find(|c: char| !(c.is_ascii_digit() || " #+-.*$'hlLqjzt\"".contains(c)));
            end.is_some_and(|at| part[at..].starts_with('n'))
        })
    };
    let mut texts = unit.exprs.iter().filter_map(|e| match e.kind {
        crate::ExprKind::Text(sym) => Some(unit.name(sym)),
        _ => None,
    });
    texts.any(counting)
}

/// Names that stand for something else, and what they stand for.
fn renamed(units: &[Unit]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for unit in units {
        let mut note = |name: Sym, attributes: &Attributes| {
            let other = attributes.alias.or(attributes.asm_name).or(attributes.ifunc);
            if let Some(other) = other {
                let text = |sym: Sym| unit.name(sym).trim_matches('"').to_owned();
                out.extend([text(name), text(other)]);
            }
        };
        for item in &unit.items {
            match item {
                Item::Function(f) => note(f.name, &f.attributes),
                Item::Declaration(d) => note(d.name, &d.attributes),
            }
        }
        for stmt in &unit.stmts {
            if let StmtKind::Declare(list) = &stmt.kind {
                list.iter().for_each(|d| note(d.name, &d.attributes));
            }
        }
    }
    out
}

/// The bodies of a unit's functions, and the initial values of its variables.
fn walk_unit(linked: &mut Linked<'_>, shared: &mut Shared, resolved: &Resolved, u: usize) {
    let unit = &linked.units[u];
    let file_map: Vec<u32> = unit.files().iter().map(|f| shared.files.add(f)).collect();
    for item in &unit.items {
        if let Item::Declaration(d) = item
            && let Some(Entity::Object(o)) = linked.scopes[u].get(&d.name).copied()
        {
            let to = linked.objects[o.index()].scalar;
            shared.initial.extend(d.init.map(|init| (o, linked.initial(u, init, to))));
        }
    }
    let mut walker = Walker {
        linked,
        shared,
        resolved,
        u,
        unit,
        file_map,
        undeclared: FxHashSet::default(),
        func: FuncId(0),
        scope: Scope::default(),
        paths: FxHashMap::default(),
        tasks: Vec::new(),
        vals: Vec::new(),
        point: Gathered::default(),
        code: Code::default(),
        jumps: Jumps::default(),
        data: Values::default(),
        lent: FxHashSet::default(),
    };
    for (i, item) in unit.items.iter().enumerate() {
        let Item::Function(f) = item else { continue };
        let Some(Entity::Func(id)) = walker.linked.scopes[u].get(&f.name).copied() else {
            continue;
        };
        if walker.linked.funcs[id.index()].body == Some((u, i)) {
            let body = walker.function(id, f);
            walker.shared.bodies.push(body);
        }
    }
}

/// What the units have in common, beside their names.
#[derive(Default)]
struct Shared {
    /// Why function pointers were not followed, and whether that was said.
    by_type: Option<&'static str>,
    by_type_said: bool,
    files: Files,
    /// Parts of objects that belong to no function.
    paths: FxHashMap<(Reach, String), ObjectId>,
    /// Cells with a constant index.
    elements: FxHashMap<(ObjectId, u32), ObjectId>,
    initial: Vec<(ObjectId, Option<i64>)>,
    bodies: Vec<Body>,
}

/// The names of source files, each once.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    ids: FxHashMap<String, u32>,
}

impl Files {
    fn add(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }
}

/// A walk over the functions of a unit.
struct Walker<'l, 'a> {
    linked: &'l mut Linked<'a>,
    shared: &'l mut Shared,
    /// What calls through pointers reach.
    resolved: &'l Resolved,
    /// The unit.
    u: usize,
    unit: &'a Unit,
    file_map: Vec<u32>,
    undeclared: FxHashSet<Sym>,
    /// The function: what follows is about it alone.
    func: FuncId,
    scope: Scope,
    /// The parts of objects that it mentions.
    paths: FxHashMap<(Reach, Option<Sym>), ObjectId>,
    tasks: Vec<Task<'a>>,
    vals: Vec<Val>,
    point: Gathered,
    code: Code,
    jumps: Jumps,
    data: Values,
    /// Arithmetic whose result goes nowhere.
    lent: FxHashSet<ExprId>,
}

impl<'a> Walker<'_, 'a> {
    fn function(&mut self, id: FuncId, f: &'a Function) -> Body {
        self.func = id;
        self.scope = Scope::default();
        self.paths.clear();
        self.vals.clear();
        self.point.hidden.clear();
        self.jumps = Jumps::default();
        let params: Vec<Option<ObjectId>> = f
            .params
            .iter()
            .map(|p| {
                let name = p.name?;
                let o = self.local(name, p.ty, f.at, true);
                self.scope.bind(name, Entity::Object(o));
                Some(o)
            })
            .collect();
        self.tasks.push(Task::Stmt(f.body));
        // The first parameter's sizes are evaluated first.
        for p in f.params.iter().rev() {
            self.sizes(p.ty);
        }
        while let Some(task) = self.tasks.pop() {
            self.task(task);
        }
        let end = Text::word("}", f.end);
        self.flush(end);
        self.finish_return(None, end);
        self.finish_jumps(f);
        let at = self.spot(f.at);
        self.assemble(id, params, at)
    }

    fn warn(&mut self, at: Place, message: String) {
        let (file, line) = self.unit.place(at);
        let file = file.to_owned();
        let diagnostic = Diagnostic::warning("c-not-modelled", message);
        self.linked.warnings.push(Placed { file, line, column: at.column, diagnostic });
    }
    fn spot(&self, at: Place) -> Spot {
        Spot { file: self.file_map[at.file as usize], line: at.line, column: at.column }
    }
}
