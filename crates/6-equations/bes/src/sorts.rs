//! Structured sorts, lists, sets, bags and functions; constructors, and functions with equations.

use crate::data::{Expr, Signature, Sort, Value};
use crate::expr::SlotInfo;

/// A sort made of others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Composite {
    List(Sort),
    /// Finite or not: `Set` and `FSet` are one sort here.
    Set(Sort),
    Bag(Sort),
    Function(Vec<Sort>, Sort),
}

/// A constructor of a structured sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Constructor {
    pub(crate) symbol: u32,
    /// Its sort, among the enumerations.
    pub(crate) sort: u32,
    /// Its place among the constructors of its sort.
    pub(crate) position: u32,
    pub(crate) fields: Vec<Sort>,
    /// The name of each field's projection, if it has one.
    pub(crate) projections: Vec<Option<u32>>,
    pub(crate) recogniser: Option<u32>,
}

/// What an argument of an equation's left-hand side must look like. Children come before parents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    /// Anything; the same thing where the variable occurs again.
    Variable(u32),
    Value(Value),
    /// A constructor, by number.
    Construct(u32, Vec<u32>),
    /// `x |> l`.
    Prepend(u32, u32),
    /// `l <| x`.
    Append(u32, u32),
    List(Vec<u32>),
    /// `{}` or `{:}`.
    Nothing,
}

/// `condition -> f(patterns) = result`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Equation {
    pub(crate) nodes: Vec<Pattern>,
    /// One for each argument, those of `f(x)(y)` in one row.
    pub(crate) patterns: Vec<u32>,
    pub(crate) condition: Option<Expr>,
    pub(crate) result: Expr,
    /// The variables, and those that binders inside bind.
    pub(crate) slots: Vec<SlotInfo>,
}

impl Equation {
    /// The variables of the arguments if each argument is a variable of its own, and there is no
    /// condition: then the equation is a definition.
    pub(crate) fn definition(&self) -> Option<Vec<u32>> {
        let mut slots = Vec::with_capacity(self.patterns.len());
        for &pattern in &self.patterns {
            match self.nodes[pattern as usize] {
                Pattern::Variable(slot) if !slots.contains(&slot) => slots.push(slot),
                _ => return None,
            }
        }
        self.condition.is_none().then_some(slots)
    }
}

/// A function that equations define.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) domain: Vec<Sort>,
    pub(crate) range: Sort,
    pub(crate) equations: Vec<Equation>,
}

/// The body of a binder inside data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inner {
    /// The variables that it binds.
    pub(crate) slots: Vec<u32>,
    /// Their sorts.
    pub(crate) sorts: Vec<Sort>,
    /// Their names.
    pub(crate) names: Vec<String>,
    /// The other variables in it, ascending.
    pub(crate) free: Vec<u32>,
    /// One more than the highest variable in it.
    pub(crate) size: u32,
    pub(crate) body: Expr,
}

/// What a name with arguments means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Callee {
    Function(u32),
    Constructor(u32),
    /// By the projection's name.
    Projection(u32),
    /// By the recogniser's name.
    Recogniser(u32),
}

impl Signature {
    /// How deep a sort is nested.
    fn depth(&self, sort: Sort) -> u32 {
        match sort {
            Sort::Of(number) => self.depths[number as usize],
            _ => 0,
        }
    }

    /// The sort of lists, sets and so on; one that is nested beyond reason is not known.
    pub(crate) fn composite(&mut self, composite: Composite) -> Sort {
        const MOST: u32 = 64;
        let depth = match &composite {
            Composite::List(of) | Composite::Set(of) | Composite::Bag(of) => self.depth(*of),
            Composite::Function(domain, range) => {
                domain.iter().map(|&s| self.depth(s)).max().unwrap_or(0).max(self.depth(*range))
            }
        };
        if depth >= MOST {
            return Sort::Unknown;
        }
        let at = self.composites.iter().position(|c| *c == composite).unwrap_or_else(|| {
            self.composites.push(composite);
            self.depths.push(depth + 1);
            self.composites.len() - 1
        });
        Sort::Of(at as u32)
    }

    pub(crate) fn as_composite(&self, sort: Sort) -> Option<&Composite> {
        match sort {
            Sort::Of(number) => self.composites.get(number as usize),
            _ => None,
        }
    }

    pub(crate) fn composite_name(&self, sort: Sort) -> String {
        // Sorts are nested to a limit, see `composite`.
        match self.as_composite(sort) {
            None => self.sort_name(sort),
            Some(Composite::List(of)) => format!("List({})", self.sort_name(*of)),
            Some(Composite::Set(of)) => format!("Set({})", self.sort_name(*of)),
            Some(Composite::Bag(of)) => format!("Bag({})", self.sort_name(*of)),
            Some(Composite::Function(domain, range)) => {
                let domain: Vec<String> = domain.iter().map(|&s| self.sort_name(s)).collect();
                format!("({} -> {})", domain.join(" # "), self.sort_name(*range))
            }
        }
    }

    /// Whether values of `found` can stand where `wanted` is. Numbers are checked again when they
    /// are known.
    pub fn accepts(&self, wanted: Sort, found: Sort) -> bool {
        if wanted == found || wanted == Sort::Unknown || found == Sort::Unknown {
            return true;
        }
        if wanted.is_number() && found.is_number() {
            return true;
        }
        if wanted.is_symbol() && found.is_symbol() {
            return wanted == Sort::Var || found == Sort::Var;
        }
        match (self.as_composite(wanted), self.as_composite(found)) {
            (Some(Composite::List(a)), Some(Composite::List(b)))
            | (Some(Composite::Set(a)), Some(Composite::Set(b)))
            | (Some(Composite::Bag(a)), Some(Composite::Bag(b))) => self.accepts(*a, *b),
            (Some(Composite::Function(a, r)), Some(Composite::Function(b, s))) => {
                a.len() == b.len()
                    && self.accepts(*r, *s)
                    && a.iter().zip(b).all(|(&a, &b)| self.accepts(a, b))
            }
            // The names in a model may stand for structured values.
            (Some(_), None) => found == Sort::Var,
            (None, Some(_)) => wanted == Sort::Var,
            _ => false,
        }
    }

    /// Whether it has more than enumerations.
    pub fn is_rich(&self) -> bool {
        !self.functions.is_empty()
            || !self.inner.is_empty()
            || !self.composites.is_empty()
            || self.enumerations.iter().any(|e| !e.plain)
    }

    /// The first constructor of a sort that has no arguments.
    pub(crate) fn first_constant(&self, sort: u32) -> Option<u32> {
        let mine = |c: &&Constructor| c.sort == sort && c.fields.is_empty();
        self.constructors.iter().find(mine).map(|c| c.symbol)
    }

    /// The constructor that a symbol names.
    pub(crate) fn constructor_of(&self, symbol: u32) -> Option<u32> {
        self.constructors.iter().position(|c| c.symbol == symbol).map(|at| at as u32)
    }

    /// What a name means on arguments of these sorts, and the sort of the result: the meaning that
    /// fits exactly, or else the first one that fits.
    pub(crate) fn callee(&self, name: &str, sorts: &[Sort]) -> Option<(Callee, Sort)> {
        let symbol = self.find(name);
        let mut found: Vec<(Callee, Vec<Sort>, Sort)> = Vec::new();
        for (i, constructor) in self.constructors.iter().enumerate() {
            let sort = Sort::Enum(constructor.sort);
            if self.symbol_name(constructor.symbol) == name {
                found.push((Callee::Constructor(i as u32), constructor.fields.clone(), sort));
            }
            for (projection, &field) in constructor.projections.iter().zip(&constructor.fields) {
                if projection.is_some() && *projection == symbol {
                    let callee = Callee::Projection(symbol.unwrap_or(0));
                    found.push((callee, vec![sort], field));
                }
            }
            if constructor.recogniser.is_some() && constructor.recogniser == symbol {
                let callee = Callee::Recogniser(symbol.unwrap_or(0));
                found.push((callee, vec![sort], Sort::Bool));
            }
        }
        for (i, function) in self.functions.iter().enumerate() {
            if function.name == name {
                let callee = Callee::Function(i as u32);
                found.push((callee, function.domain.clone(), function.range));
            }
        }
        let fits = |domain: &Vec<Sort>| {
            domain.len() == sorts.len()
                && domain.iter().zip(sorts).all(|(&wanted, &found)| self.accepts(wanted, found))
        };
        let exact = found.iter().find(|(_, domain, _)| domain == sorts);
        let (callee, _, sort) = exact.or_else(|| found.iter().find(|(_, d, _)| fits(d)))?;
        Some((*callee, *sort))
    }

    /// Whether a name has a meaning with arguments.
    pub(crate) fn is_callable(&self, name: &str) -> bool {
        let symbol = self.find(name);
        self.functions.iter().any(|f| f.name == name && !f.domain.is_empty())
            || (symbol.is_some()
                && self.constructors.iter().any(|c| {
                    (self.symbol_name(c.symbol) == name && !c.fields.is_empty())
                        || c.recogniser == symbol
                        || c.projections.contains(&symbol)
                }))
    }
}
