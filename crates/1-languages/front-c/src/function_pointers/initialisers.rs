//! What initialisers initialise: designators, and braces that are left out.

use super::{Flows, Kind, Type, Val, What};
use crate::andersen::Cell;
use crate::tree::{ExprKind, Init, InitId, Sym, Tag};

/// A place of an initialiser: the container, and which of its parts comes next.
pub(super) struct Level {
    of: Val,
    next: usize,
    /// How many parts there are, if that is known.
    len: Option<usize>,
}

impl Flows<'_, '_> {
    pub(super) fn level(&mut self, of: Val) -> Level {
        let len = match self.kind(of.ty) {
            Kind::Array(_, None) => None,
            Kind::Array(_, Some((u, size))) => {
                let len = self.linked.value(u as usize, size);
                len.and_then(|n| usize::try_from(n.number()).ok())
            }
            Kind::Record(u, r) => {
                let record = &self.units[u as usize].records[r.index()];
                match record.tag {
                    Tag::Union => Some(1),
                    Tag::Struct => record.fields.as_ref().map(Vec::len),
                }
            }
            _ => None,
        };
        let mut level = Level { of, next: 0, len };
        self.skip_unnamed(&mut level);
        level
    }

    /// Unnamed bit fields are not initialised.
    pub(super) fn skip_unnamed(&self, level: &mut Level) {
        let Kind::Record(u, r) = self.kind(level.of.ty) else { return };
        let Some(fields) = &self.units[u as usize].records[r.index()].fields else { return };
        while let Some(field) = fields.get(level.next)
            && field.name.is_none()
            && !matches!(self.kind(Type::of(u as usize, field.ty)), Kind::Record(..))
        {
            level.next += 1;
        }
    }

    /// The part that comes next.
    pub(super) fn part(&mut self, level: &Level) -> Val {
        match self.kind(level.of.ty) {
            Kind::Array(element, _) => Val { ty: element, ..level.of },
            Kind::Record(u, r) => self.field(u, r, level.next),
            _ => level.of,
        }
    }

    /// Goes to what the designators name; false if that is not found out.
    pub(super) fn designate(
        &mut self,
        levels: &mut Vec<Level>,
        indices: usize,
        members: &[Sym],
    ) -> bool {
        levels.truncate(1);
        let Some(base) = levels.last_mut() else { return false };
        base.next = 0;
        let mut left = indices;
        for (n, &member) in members.iter().enumerate() {
            // Elements of arrays are all the same.
            while let Some(top) = levels.last()
                && self.is_array(top.of.ty)
            {
                left = left.saturating_sub(1);
                let part = Val { ty: self.part(top).ty, ..top.of };
                let level = self.level(part);
                levels.push(level);
            }
            let Some(top) = levels.last() else { return false };
            let Kind::Record(u, r) = self.kind(top.of.ty) else { return false };
            let name = self.name_id(self.u, member);
            let Some(path) = self.position(u, r, name) else { return false };
            for (depth, &(r, i)) in path.iter().enumerate() {
                let Some(top) = levels.last_mut() else { return false };
                top.next = i;
                top.len = top.len.map(|len| len.max(i + 1));
                let last = depth + 1 == path.len() && n + 1 == members.len();
                if !last {
                    let part = self.field(u, r, i);
                    let level = self.level(part);
                    levels.push(level);
                }
            }
        }
        if members.is_empty() {
            // Two are a range, or `[1][2]`.
            return match levels.last().map(|l| self.kind(l.of.ty)) {
                Some(Kind::Array(element, _)) => {
                    indices == 1 || (indices == 2 && !self.is_array(element))
                }
                _ => false,
            };
        }
        // `.a[2] = x`
        left == 0
    }

    pub(super) fn init(&mut self, to: Val, init: InitId) {
        let unit = self.unit;
        let mut work = vec![(to, init)];
        while let Some((to, init)) = work.pop() {
            let list = match &unit.inits[init.index()] {
                Init::Expr(e) => {
                    let val = self.vals[e.index()];
                    self.assign(to, val);
                    continue;
                }
                Init::List(list) => list,
            };
            let base = self.level(to);
            let mut levels = vec![base];
            // What comes next is not known until a designator tells.
            let mut lost = false;
            for (indices, members, value) in list {
                if !(indices.is_empty() && members.is_empty()) {
                    lost = !self.designate(&mut levels, indices.len(), members);
                }
                lost = lost || !self.place(&mut levels, *value, &mut work);
                if lost {
                    self.smear(to, *value);
                    continue;
                }
                // On to what comes next.
                while let Some(mut top) = levels.pop() {
                    top.next += 1;
                    self.skip_unnamed(&mut top);
                    let done = top.len.is_some_and(|len| top.next >= len);
                    if !done || levels.is_empty() {
                        levels.push(top);
                        break;
                    }
                }
            }
        }
    }

    /// Initialises the part that comes next, or, where braces are left out, the first one within it.
    /// False if what that is is not found out.
    pub(super) fn place(
        &mut self,
        levels: &mut Vec<Level>,
        value: InitId,
        work: &mut Vec<(Val, InitId)>,
    ) -> bool {
        let unit = self.unit;
        loop {
            let Some(top) = levels.last() else { return false };
            let nested = levels.len() > 1;
            if top.len.is_some_and(|len| top.next >= len)
                || (nested && top.len.is_none() && self.is_array(top.of.ty))
            {
                return false;
            }
            let part = self.part(top);
            let e = match &unit.inits[value.index()] {
                Init::List(_) => {
                    work.push((part, value));
                    return true;
                }
                Init::Expr(e) => *e,
            };
            let val = self.vals[e.index()];
            let whole = match self.kind(part.ty) {
                Kind::Record(..) => match self.kind(val.ty) {
                    Kind::Record(..) => true,
                    Kind::Unknown if val.what != What::Nothing => return false,
                    _ => false,
                },
                Kind::Array(element, _) => {
                    matches!(unit.expr(e).kind, ExprKind::Text(_))
                        && self.kind(element) == Kind::Data
                }
                _ => true,
            };
            if whole {
                self.assign(part, val);
                return true;
            }
            let level = self.level(part);
            levels.push(level);
        }
    }

    /// Any of the values may be anywhere in the object.
    pub(super) fn smear(&mut self, to: Val, init: InitId) {
        let unit = self.unit;
        let mut cells: Vec<Cell> = Vec::new();
        if let What::Cell(cell) = to.what {
            cells.push(cell);
        }
        let mut ty = to.ty;
        while let Kind::Array(element, _) = self.kind(ty) {
            ty = element;
        }
        if let Kind::Record(u, r) = self.kind(ty) {
            let id = self.record_id(u, r);
            cells.extend(&self.leaves(id).cells);
        }
        let mut todo = vec![init];
        while let Some(init) = todo.pop() {
            match &unit.inits[init.index()] {
                Init::List(list) => todo.extend(list.iter().map(|(_, _, init)| *init)),
                Init::Expr(e) => {
                    let val = self.vals[e.index()];
                    for &cell in &cells {
                        self.assign(Val::new(What::Cell(cell), Type::Unknown), val);
                    }
                }
            }
        }
    }
}
