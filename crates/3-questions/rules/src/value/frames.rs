//! The variables of the product: a bit for each path, in the frame of the path's variable.

use super::{Frame, Maker, Remembers};
use crate::event::Event;
use crate::paths::{ADDRESS, DEREF, L, PathId, Root, is_element};
use front_c::{Body, Conditions, Flow, FuncId, ObjectId, Skeleton};
use ir::{Type, VarId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

impl Maker<'_> {
    pub(super) fn declare(&mut self) {
        let lost = self.escaped.is_some();
        let exit = self.wants(|e| *e == Event::Exit);
        let s = self.s;
        for body in &s.bodies {
            let g = body.func;
            if !self.relevant.contains(&g) {
                continue;
            }
            let at = self.b.origin(
                body.at.file,
                body.at.line,
                body.at.column,
                &s.funcs[g.index()].unique,
            );
            let proc = self.b.proc(&s.funcs[g.index()].unique, at);
            let mut frame = Frame {
                proc,
                bits: BTreeMap::new(),
                arrives: BTreeMap::new(),
                loose: BTreeMap::new(),
                results: BTreeMap::new(),
                outer: None,
                top: None,
                conditions: Conditions::of(s, &self.effects, body),
                condition_bits: Vec::new(),
                signs: BTreeMap::new(),
                returns: None,
                changed: changed(s, body),
                cells: BTreeMap::new(),
            };
            let params: FxHashSet<ObjectId> = body.params.iter().flatten().copied().collect();
            for &p in self.own.get(&g).into_iter().flatten() {
                let name = format!("(bit {})", p.index());
                match self.paths.root(p) {
                    Root::Ret(_) => {
                        let result = self.b.result(proc, &name, Type::BOOL);
                        frame.results.insert(p, result);
                    }
                    Root::Var(o) => {
                        frame.bits.insert(p, self.b.hidden_local(proc, &name, Type::BOOL));
                        let behind = self.paths.links(p).first() == Some(&DEREF);
                        if behind && params.contains(&o) && self.paths.in_memory(p) {
                            let result =
                                self.b.result(proc, &format!("(out {})", p.index()), Type::BOOL);
                            frame.results.insert(p, result);
                        }
                    }
                    Root::Arg(_) => {}
                }
            }
            if lost {
                frame.outer = Some(self.b.hidden_local(proc, "(outer)", Type::BOOL));
            }
            let unread = lost && !self.unread.is_empty() && s.funcs[g.index()].name != "main";
            if (exit || unread) && self.roots.contains(&g) {
                frame.top = Some(self.b.hidden_local(proc, "(top)", Type::BOOL));
            }
            (frame.signs, frame.returns) = self.declare_signs(proc, g);
            for (i, condition) in frame.conditions.list.iter().enumerate() {
                let tests = |d| frame.conditions.test(d).is_some_and(|(k, _)| k == i);
                let kept = match self.remembers {
                    Remembers::Everything => true,
                    Remembers::Variables => !condition.is_shared(),
                    Remembers::Signs | Remembers::FewSigns => false,
                };
                let bit =
                    (kept && !self.is_sign(body, &frame.signs, condition, &tests)).then(|| {
                        let name = format!("(condition {})", i + 1);
                        self.b.hidden_local(proc, &name, Type::BOOL)
                    });
                frame.condition_bits.push(bit);
            }
            self.frames.insert(g, frame);
        }
    }

    pub(super) fn bit(&self, func: FuncId, p: PathId) -> Option<VarId> {
        let local = self.frames.get(&func).and_then(|f| f.bits.get(&p));
        local.or_else(|| self.globals.get(&p)).copied()
    }

    /// The hidden local for an argument whose source is not followed.
    pub(super) fn loose(&mut self, func: FuncId, position: u32) -> VarId {
        let frame = &self.frames[&func];
        if let Some(&var) = frame.loose.get(&position) {
            return var;
        }
        let name = format!("(argument {position})");
        let var = self.b.hidden_local(frame.proc, &name, Type::BOOL);
        if let Some(frame) = self.frames.get_mut(&func) {
            frame.loose.insert(position, var);
        }
        var
    }

    /// The hidden local where a result's part arrives.
    pub(super) fn arrives(&mut self, func: FuncId, links: &[L]) -> VarId {
        let frame = &self.frames[&func];
        if let Some(&var) = frame.arrives.get(links) {
            return var;
        }
        let name = format!("(arrives {})", frame.arrives.len());
        let var = self.b.hidden_local(frame.proc, &name, Type::BOOL);
        if let Some(frame) = self.frames.get_mut(&func) {
            frame.arrives.insert(links.to_vec(), var);
        }
        var
    }

    pub(super) fn is_global(&self, p: PathId) -> bool {
        match self.paths.root(p) {
            Root::Var(o) => !self.s.objects[o.index()].automatic,
            _ => false,
        }
    }

    pub(super) fn path_name(&self, p: PathId) -> String {
        let mut out = match self.paths.root(p) {
            Root::Var(o)
                if self.s.objects[o.index()].temporary
                    && self.s.objects[o.index()].name.starts_with('(') =>
            {
                crate::NAMELESS.to_owned()
            }
            // The first cell of an array is the array.
            Root::Var(o)
                if self.paths.has_elements(self.s, o)
                    && !self.paths.links(p).first().is_some_and(|l| {
                        *l == ADDRESS || *l > ADDRESS && is_element(self.paths.field_name(*l))
                    }) =>
            {
                format!("{}[0]", self.s.objects[o.index()].name)
            }
            Root::Var(o) => self.s.objects[o.index()].name.clone(),
            Root::Ret(g) => format!("{}()", self.s.funcs[g.index()].name),
            Root::Arg(n) => format!("argument {n}"),
        };
        let mut links = self.paths.links(p);
        let address = links.last() == Some(&ADDRESS);
        if address {
            links = &links[..links.len() - 1];
        }
        let mut pending = false;
        for &l in links {
            match l {
                DEREF if pending => out = format!("(*{out})"),
                DEREF => pending = true,
                ADDRESS => out = format!("(&{out})"),
                field => {
                    let behind = std::mem::take(&mut pending);
                    let name = self.paths.cell_name(p, field);
                    let arrow = match (is_element(&name), behind) {
                        (true, _) => "",
                        (false, true) => "->",
                        (false, false) => ".",
                    };
                    out = format!("{out}{arrow}{name}");
                }
            }
        }
        if pending {
            out = format!("*{out}");
        }
        if address { format!("&{out}") } else { out }
    }
}

/// Variables of a body that are assigned, or have their address taken.
fn changed(s: &Skeleton, body: &Body) -> FxHashSet<ObjectId> {
    use front_c::Event as E;
    let mut out = FxHashSet::default();
    for point in &body.points {
        let result = match &point.flow {
            Flow::Call(call) => &call.result_events[..],
            _ => &[],
        };
        for event in point.events.iter().chain(result) {
            match *event {
                E::Assign(o) | E::Modify(o) => {
                    out.insert(o);
                }
                E::Address(o) if s.objects[o.index()].reach == front_c::Reach::Var => {
                    out.insert(o);
                }
                _ => {}
            }
        }
    }
    out
}
