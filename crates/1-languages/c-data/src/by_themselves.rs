//! What runs by itself: functions that the loader calls before `main`, and when the program ends.
//!
//! - BI1. Before `main` run, in this order: what `.preinit_array` has, constructors and what `.init_array.N` has in the
//!   order of their numbers, those without a number; of one number, in the order of their definitions, and of files.
//! - BI2. When the program ends, behind what `atexit` was given, destructors and what `.fini_array` has run in the
//!   opposite order.
//! - BI3. What is anything else leaves the order open: a function with parameters, a table that is not one address (what
//!   aligns larger ones puts nulls between them) or that meets a constructor of its number in its file, an attribute inside of a function, `.ctors`.
//!
//! The library's `exit` calls `__bop_after`, whose body is made here.

use crate::lower::{Entity, Lowerer};
use crate::program::{Block, Call, Callee, End, FuncId, Gap, Root, Stmt, StmtKind};
use front_c::{Attributes, ExprId, Item, Sym};

/// The function that `exit` calls.
pub const AFTER: &str = "__bop_after";

/// Behind all numbers: without one.
const LAST: i128 = 65_535;
/// Before all numbers: `.preinit_array`.
const FIRST: i128 = -1;

/// Something that runs by itself, in the order in which it stands.
struct Entry {
    key: i128,
    unit: usize,
    func: FuncId,
    table: bool,
}

impl Lowerer<'_> {
    /// What runs before `main`, what runs at the end, and why there may be more.
    pub(crate) fn by_themselves(&mut self) -> (Vec<FuncId>, Vec<FuncId>, Option<Gap>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut open = None;
        for u in 0..self.own.min(self.units.len()) {
            self.u = u;
            if let Err(gap) = self.of_unit(u, &mut before, &mut after) {
                open.get_or_insert(gap);
            }
        }
        for entries in [&mut before, &mut after] {
            entries.sort_by_key(|e| e.key);
            for e in entries.iter() {
                let meets = |o: &Entry| (o.key, o.unit) == (e.key, e.unit) && o.table != e.table;
                let function = &self.functions[e.func.index()];
                if function.params.is_empty() && !entries.iter().any(meets) {
                    continue;
                }
                let what = format!("when `{}` runs by itself, and with what", function.name);
                open.get_or_insert(Gap { at: function.at, what });
            }
        }
        after.reverse();
        let [before, after] = [before, after].map(|e| e.iter().map(|e| e.func).collect::<Vec<_>>());
        self.give_after(&after);
        // A program with an `exit` of its own does at its end what that says.
        let ends = |f: &crate::Function| f.name == "exit" && f.own && f.has_body();
        if !after.is_empty() && (self.functions.iter().any(ends) || self.after().is_none()) {
            let f = &self.functions[after[0].index()];
            let what = format!("`{}` runs when the program ends", f.name);
            open.get_or_insert(Gap { at: f.at, what });
        }
        (before, after, open)
    }

    fn after(&self) -> Option<FuncId> {
        match self.externs.get(AFTER) {
            Some(Entity::Function(f)) => Some(*f),
            _ => None,
        }
    }

    /// The body of what `exit` calls.
    fn give_after(&mut self, after: &[FuncId]) {
        let Some(f) = self.after() else { return };
        let call = |&g: &FuncId| {
            let callee = Callee::Direct(g);
            let ty = self.functions[g.index()].ty;
            let call = Call { callee, ty, args: Vec::new(), result: None, result_at: None };
            Stmt { kind: StmtKind::Call(call), at: self.functions[g.index()].at }
        };
        let stmts = after.iter().map(call).collect();
        let function = &mut self.functions[f.index()];
        function.blocks = vec![Block { stmts, end: End::Return(None), end_at: function.at }];
    }

    /// What a file adds. BI1 to BI3.
    fn of_unit(
        &mut self,
        u: usize,
        before: &mut Vec<Entry>,
        after: &mut Vec<Entry>,
    ) -> Result<(), Gap> {
        let units = self.units;
        let unit = &units[u];
        let (mut loaded, mut tables) = (0, 0);
        // Attributes of a declaration are those of its definition.
        let mut said: Vec<(Sym, Attributes)> = Vec::new();
        for item in &unit.items {
            let (name, at, attributes) = match item {
                Item::Function(f) => (f.name, f.at, f.attributes),
                Item::Declaration(d) => (d.name, d.at, d.attributes),
            };
            self.at = self.here(at);
            if attributes.constructor || attributes.destructor {
                loaded += u32::from(attributes.constructor) + u32::from(attributes.destructor);
                said.push((name, attributes));
            }
            if let (Some(section), Item::Declaration(d)) = (attributes.loaders, item) {
                tables += 1;
                if d.init.is_some() {
                    self.table(u, name, section, before, after)?;
                }
            }
        }
        for item in &unit.items {
            let Item::Function(f) = item else { continue };
            let Some(Entity::Function(id)) = self.unit_scopes[u].get(&f.name).copied() else {
                continue;
            };
            self.at = self.here(f.at);
            let mine = said.iter().filter(|(name, _)| *name == f.name);
            let mut keys = [None, None];
            for (_, attributes) in mine {
                let which = [attributes.constructor, attributes.destructor];
                for (i, _) in which.into_iter().enumerate().filter(|(_, is)| *is) {
                    let key = self.priority(attributes.priorities[i])?;
                    keys[i] = Some(match (keys[i], key) {
                        (None | Some(LAST), key) => key,
                        (Some(old), LAST) => old,
                        (Some(old), key) if old == key => old,
                        _ => return self.gap(format!("two numbers for `{}`", self.text(f.name))),
                    });
                }
            }
            for (key, entries) in keys.into_iter().zip([&mut *before, &mut *after]) {
                if let Some(key) = key {
                    entries.push(Entry { key, unit: u, func: id, table: false });
                }
            }
        }
        match (loaded, tables) == (unit.extra.loaded, unit.extra.tables) {
            true => Ok(()),
            false => self.gap("what the loader calls"),
        }
    }

    fn priority(&mut self, said: Option<ExprId>) -> Result<i128, Gap> {
        let Some(e) = said else { return Ok(LAST) };
        self.scratch();
        match self.constant_expr(e)? {
            Some(n @ 0..=LAST) => Ok(n),
            _ => self.gap("the number of a function that runs by itself"),
        }
    }

    /// The functions of a table.
    fn table(
        &self,
        u: usize,
        name: Sym,
        section: Sym,
        before: &mut Vec<Entry>,
        after: &mut Vec<Entry>,
    ) -> Result<(), Gap> {
        let odd = || format!("what the loader finds in `{}`", self.text(name));
        let Some(Entity::Object(o)) = self.unit_scopes[u].get(&name) else {
            return self.gap(odd());
        };
        let section = self.text(section).trim_matches('"');
        let (kind, number) = match section[1.min(section.len())..].split_once('.') {
            Some((kind, number)) => (kind, number.parse().ok().filter(|n| (0..LAST).contains(n))),
            None => (&section[1.min(section.len())..], Some(LAST)),
        };
        let (key, entries) = match (kind, number) {
            ("preinit_array", Some(LAST)) => (FIRST, before),
            ("init_array", Some(n)) => (n, before),
            ("fini_array", Some(n)) => (n, after),
            _ => return self.gap(odd()),
        };
        let object = &self.objects[o.index()];
        let wide = u64::from(self.types.model().pointer / 8);
        let plain = object.addresses.len() == 1 && wide == object.size;
        for &(_, root, distance) in &object.addresses {
            match root {
                Root::Function(func) if plain && distance == 0 => {
                    entries.push(Entry { key, unit: u, func, table: true });
                }
                _ => return self.gap(odd()),
            }
        }
        match plain {
            true => Ok(()),
            false => self.gap(odd()),
        }
    }
}
