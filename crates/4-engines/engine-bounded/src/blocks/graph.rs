//! What blocks lead to, as a graph of places with words.

use super::{Blocks, Place, Site};
use crate::chosen::INDEX;
use crate::engine::Step;
use crate::state::{State, Unset};
use crate::summaries::{END, ENTRY};
use crate::units::{Sort, Unit};
use crate::word::Word;
use engine_predicates::{Call, Edge, Elements, Graph, Node, Variable};
use logic::Lit;
use std::collections::{BTreeMap, BTreeSet};

impl Blocks<'_> {
    /// The calls of a block as the graph has them, their ends made where no run comes there.
    fn calls(&mut self, from: usize) -> Vec<Call> {
        self.resume(from);
        let mut out = Vec::new();
        for passed in self.blocks[from].passed.clone() {
            if passed.when == Lit::FALSE {
                continue;
            }
            let found = self.sites.iter().position(|s| s.key == passed.end);
            let Some(site) = found else { continue };
            let places: Vec<(Place, u32)> =
                self.sites[site].words.iter().map(|(p, w)| (*p, w.width())).collect();
            let state = &passed.state;
            let written = self.written_by(state);
            let last = state.frames.len() - 1;
            let result = state.frames[last].entry.as_ref().map_or(0, |note| note.len());
            let has = state.frames[last].function;
            let result = self.engine.result_bits(has).and(result.checked_sub(1));
            let (mut values, mut given) = (Vec::new(), Vec::new());
            for &(place, bits) in &places {
                let value = self.brought(state, place, bits).lits();
                let aig = &self.engine.c.aig;
                let input = |l: &Lit| l.node() != 0 && aig.children(l.node()).is_none();
                given.push(
                    match place {
                        Place::Note(f, i) => f == last && Some(i) == result,
                        Place::Bytes(id, ..) => written.contains(&id),
                        _ => false,
                    } && value.iter().all(input),
                );
                values.push(value);
            }
            out.push(Call { node: site + 1, when: passed.when, values, given });
        }
        self.pause(from);
        out.extend(self.glimpsed(from));
        out
    }

    /// What a block asks of elements, as calls of the place where it starts. CH3.
    fn glimpsed(&mut self, from: usize) -> Vec<Call> {
        let mut out = Vec::new();
        let Some(site) = from.checked_sub(1) else { return out };
        for glimpse in std::mem::take(&mut self.blocks[from].glimpses) {
            let (mut values, mut given) = (Vec::new(), Vec::new());
            for (place, word) in &self.sites[site].words {
                let (value, is_given) = match *place {
                    Place::Index => (glimpse.index.resized(word.width(), false), false),
                    Place::Element(id, at, _) => match glimpse.words.get(&(id, at)) {
                        Some(word) => (word.clone(), true),
                        None => (self.engine.c.input(word.width()), true),
                    },
                    _ => (word.clone(), false),
                };
                values.push(value.lits());
                given.push(is_given);
            }
            // There are no other indices.
            let index = self.is_index(&glimpse.index);
            let when = self.engine.c.aig.and(glimpse.when, index);
            out.push(Call { node: from, when, values, given });
        }
        out
    }

    /// The static objects that the function of a state may write.
    fn written_by(&mut self, state: &State) -> Vec<u32> {
        let Some(frame) = state.frames.last() else { return Vec::new() };
        let effects = self.engine.effects(frame.function);
        let all = effects.as_ref().as_ref().map_or(&[][..], |written| written).iter();
        all.map(|&object| self.engine.statics[object]).collect()
    }

    /// What a word of a place is in a state that comes there.
    fn brought(&mut self, state: &State, place: Place, bits: u32) -> Word {
        let word = match place {
            Place::Local(f, i) => match &state.frames[f].locals[i] {
                Some(value) => value.word.clone(),
                None => self.engine.unset(&state.frames[f].clone(), i).word,
            },
            Place::Alive(id) => {
                let cells = state.memory.get(id as usize).and_then(Option::as_ref);
                Word::of(vec![cells.map_or(Lit::FALSE, |cells| cells.alive)])
            }
            Place::Bytes(id, at, bytes) => {
                let cells = state.memory.get(id as usize).and_then(Option::as_ref);
                match cells.filter(|cells| cells.pages() > 0) {
                    Some(cells) => {
                        let unit = Unit { at, bytes, sort: Sort::Mixed };
                        self.peek(&mut (**cells).clone(), unit)
                    }
                    // Nobody reads what is not there.
                    None => Word::number(bits, 0),
                }
            }
            Place::Index => {
                // CH2.
                let index = match &self.index {
                    Some(index) => index.clone(),
                    None => self.engine.c.input(INDEX),
                };
                let index = index.resized(bits, false);
                self.arriving = Some(index.clone());
                index
            }
            Place::Element(id, at, bytes) => self.element(state, id, (at, bytes)),
            Place::Result => state.result.clone().unwrap_or(Word::number(bits, 0)),
            Place::Note(f, i) => {
                let note = state.frames[f].entry.as_ref().and_then(|note| note.get(i));
                note.cloned().unwrap_or(Word::number(bits, 0))
            }
        };
        word.resized(bits, false)
    }

    /// Goes on with what a block asked of elements.
    fn resume(&mut self, from: usize) {
        let glimpses = self.blocks.get_mut(from).map(|b| std::mem::take(&mut b.glimpses));
        self.engine.objects.glimpses = glimpses.unwrap_or_default();
        let words = from.checked_sub(1).map(|site| &self.sites[site].words);
        self.index = words.and_then(|words| words.get(&Place::Index).cloned());
    }

    fn pause(&mut self, from: usize) {
        self.blocks[from].glimpses = std::mem::take(&mut self.engine.objects.glimpses);
    }

    fn edges(&mut self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for from in 0..self.blocks.len() {
            self.resume(from);
            for (to, state) in self.blocks[from].arrivals.clone() {
                self.engine.objects.reading = state.guard;
                self.arriving = None;
                let words: Vec<(Place, u32)> =
                    self.sites[to - 1].words.iter().map(|(p, w)| (*p, w.width())).collect();
                let values =
                    words.iter().map(|&(p, bits)| self.brought(&state, p, bits).lits()).collect();
                let chosen = match self.arriving.take().filter(|_| self.index.is_none()) {
                    Some(index) => self.is_index(&index),
                    None => Lit::TRUE,
                };
                let guard = self.engine.c.aig.and(state.guard, chosen);
                edges.push(Edge { from, to, guard, values });
            }
            self.engine.objects.reading = Lit::TRUE;
            self.pause(from);
        }
        edges
    }

    /// How many elements the largest object has that is told by one of them.
    fn most_elements(&mut self) -> u64 {
        let mut objects = BTreeSet::new();
        for place in self.sites.iter().flat_map(|s| s.words.keys()) {
            if let Place::Element(id, ..) = place {
                objects.insert(*id);
            }
        }
        let most = objects.into_iter().map(|id| self.engine.layout(id).count).max();
        most.unwrap_or(1).min(1 << INDEX)
    }

    /// Whether a word is an index. CH2.
    fn is_index(&mut self, word: &Word) -> Lit {
        let count = Word::number(word.width(), self.count.into());
        self.engine.c.less(word, &count, false, false)
    }

    /// The element of an object at the index of a place, in a state that comes there.
    fn element(&mut self, state: &State, id: u32, (at, bytes): (u64, u64)) -> Word {
        let zero = Word::number(8 * bytes as u32, 0);
        let cells = state.memory.get(id as usize).and_then(Option::as_ref);
        let cells = cells.filter(|cells| cells.pages() > 0);
        let (Some(cells), Some(index)) = (cells.cloned(), self.arriving.clone()) else {
            return zero;
        };
        let layout = self.engine.layout(id);
        let e = &mut self.engine;
        let pointer = e.objects.pointer;
        let mut lits = Word::number(layout.step, at.into()).lits();
        lits.extend(index.resized(pointer - layout.step, false).lits());
        let offset = Word::of(lits);
        let mut cells = (*cells).clone();
        let size = e.objects.all[id as usize].size;
        let beneath = match cells.beneath((&mut e.objects, &mut e.c), &offset, bytes) {
            Some(word) => Some(word),
            None => cells.somewhere(&mut e.objects, &mut e.c, e.plain, &offset, (size, bytes)),
        };
        let word = beneath.and_then(|word| cells.changed(&mut e.c, &offset, word));
        let word = word.unwrap_or_else(|| e.c.input(8 * bytes as u32));
        // CH5.
        let count = Word::number(index.width(), layout.count.into());
        let inside = e.c.less(&index, &count, false, false);
        e.c.ite(inside, &word, &zero)
    }

    pub(super) fn make_graph(&mut self) -> Step<()> {
        let mentioned = crate::mentioned::Mentioned::new(self.program);
        // The end of a function to which no run comes is a place all the same: nobody passes its calls.
        for passed in self.blocks.iter().flat_map(|b| b.passed.clone()).collect::<Vec<_>>() {
            if !self.sites.iter().any(|s| s.key == passed.end) {
                let words = BTreeMap::new();
                self.sites.push(Site { key: passed.end, state: passed.state, words });
            }
        }
        self.count = self.most_elements();
        let edges = self.edges();
        let calls = self.calls(0);
        let start = Node { name: "the start".to_owned(), calls, ..Node::default() };
        let mut nodes = vec![start];
        for site in 0..self.sites.len() {
            let words: Vec<(Place, Word)> =
                self.sites[site].words.iter().map(|(p, w)| (*p, w.clone())).collect();
            let mut variables = Vec::new();
            let mut spots = Vec::new();
            for (place, word) in &words {
                let (name, signed, spot) = self.described(site, *place);
                let bits = word.width();
                let mask = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
                let numbers = mentioned.numbers(&spot, bits);
                let numbers = numbers.into_iter().map(|n| n as u128 & mask).collect();
                spots.push(spot);
                let (bits, beside) = (word.lits(), Vec::new());
                variables.push(Variable { name, bits, signed, numbers, beside });
            }
            for (a, spot) in spots.iter().enumerate() {
                let near = |b: &usize| *b != a && mentioned.are_compared(spot, &spots[*b]);
                variables[a].beside = (0..spots.len()).filter(near).collect();
            }
            self.compare_index(&words, &mut variables);
            // Names are told apart.
            let mut seen: BTreeMap<String, usize> = BTreeMap::new();
            for variable in &mut variables {
                let count = seen.entry(variable.name.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    variable.name = format!("{}#{count}", variable.name);
                }
            }
            let (file, line, function) = self.place(site + 1);
            let name = format!("{file}:{line} in `{function}`");
            let calls = match site + 1 < self.blocks.len() {
                true => self.calls(site + 1),
                false => Vec::new(),
            };
            let at = |wanted: &dyn Fn(&Place) -> bool| {
                let all = words.iter().enumerate().filter(|(_, (p, _))| wanted(p));
                all.map(|(i, _)| i).collect::<Vec<usize>>()
            };
            let all = at(&|p| matches!(p, Place::Element(..)));
            let index = at(&|p| *p == Place::Index).first().copied();
            let elements = index.map(|index| Elements { index, all });
            nodes.push(Node { name, variables, calls, elements });
        }
        let aig = std::mem::take(&mut self.engine.c.aig);
        self.graph = Graph { aig, nodes, edges };
        Ok(())
    }

    /// An index is worth comparing with what may be one, and with the ends of objects; elements with all that is as wide.
    fn compare_index(&mut self, words: &[(Place, Word)], variables: &mut [Variable]) {
        let Some(at) = words.iter().position(|(p, _)| *p == Place::Index) else { return };
        let most = u128::from(self.count);
        variables[at].numbers.extend([most - 1, most]);
        for (i, (place, word)) in words.iter().enumerate() {
            match *place {
                Place::Element(id, ..) => {
                    let count = u128::from(self.engine.layout(id).count);
                    variables[at].numbers.extend([count - 1, count]);
                    let all =
                        (0..words.len()).filter(|&b| b != i && words[b].1.width() == word.width());
                    let all = all.filter(|&b| !matches!(words[b].0, Place::Index));
                    let beside: Vec<usize> =
                        all.filter(|b| !variables[i].beside.contains(b)).collect();
                    variables[i].beside.extend(beside);
                }
                Place::Local(..) | Place::Bytes(..) if word.width() == words[at].1.width() => {
                    variables[at].beside.push(i);
                    variables[i].beside.push(at);
                }
                _ => continue,
            }
        }
        for variable in variables {
            variable.numbers.sort_unstable();
            variable.numbers.dedup();
        }
    }

    /// What a word is called, whether it has a sign, and which variable of the program it is.
    fn described(&self, site: usize, place: Place) -> (String, bool, crate::mentioned::Spot) {
        use crate::mentioned::Spot;
        let state = &self.sites[site].state;
        let local = |f: usize, i: usize| {
            let function = &self.program.functions[state.frames[f].function.index()];
            let local = &function.locals[i];
            let name =
                if local.name.is_empty() { format!("(value {i})") } else { local.name.clone() };
            let name = match f + 1 == state.frames.len() {
                true => name,
                false => format!("{}::{name}", function.name),
            };
            (name, local.ty, Spot::Local(state.frames[f].function, i))
        };
        match place {
            Place::Local(f, i) => {
                let (name, ty, spot) = local(f, i);
                (name, self.engine.class(ty).is_signed(), spot)
            }
            Place::Alive(id) => {
                (format!("alive({})", self.object_name(state, id)), false, Spot::None)
            }
            Place::Result => ("(result)".to_owned(), true, Spot::None),
            Place::Index => ("(index)".to_owned(), true, Spot::None),
            Place::Element(id, at, _) => {
                let path = self.engine.path(id, at);
                let path = path.trim_start_matches("[0]");
                let name = format!("{}[(index)]{path}", self.object_name(state, id));
                let chosen = state.memory.get(id as usize).and_then(Option::as_ref);
                let signed = chosen.is_some_and(|cells| cells.has_sign(at));
                (name, signed, Spot::Memory(None))
            }
            Place::Note(f, i) => self.noted(state, f, i),
            Place::Bytes(id, at, bytes) => {
                let name = format!("{}{}", self.object_name(state, id), self.engine.path(id, at));
                let units = self.engine.cutting.as_ref().and_then(|c| c.units.get(&id));
                let unit = units.and_then(|u| u.iter().find(|u| u.at == at && u.bytes == bytes));
                let signed = unit.is_some_and(|u| u.sort == Sort::Signed);
                let statics = self.engine.statics.iter().position(|&s| s == id);
                let spot = match statics {
                    Some(o) => Spot::Static(o, at),
                    None => Spot::Memory(Some(at)),
                };
                (name, signed, spot)
            }
        }
    }

    /// What a note of a function is called: what was given, as it was at the entry, or what is given back.
    fn noted(&self, state: &State, f: usize, i: usize) -> (String, bool, crate::mentioned::Spot) {
        use crate::mentioned::Spot;
        let id = state.frames[f].function;
        let function = &self.program.functions[id.index()];
        let cutting = self.engine.cutting.as_ref();
        let live = cutting.and_then(|c| c.live.get(&(id, 0, 0)));
        let noted = |p: &&c_data::LocalId| live.is_some_and(|live| live[p.index()]);
        let params: Vec<_> = function.params.iter().filter(noted).collect();
        if let Some(param) = params.get(i) {
            let local = &function.locals[param.index()];
            let signed = self.engine.class(local.ty).is_signed();
            return (format!("old({})", local.name), signed, Spot::Local(id, param.index()));
        }
        let effects = cutting.and_then(|c| c.effects.get(&id));
        let written = effects.and_then(|e| e.as_ref().as_ref().ok());
        let mut left = i - params.len();
        for &object in written.into_iter().flatten() {
            let place = self.engine.statics[object];
            let Some(units) = cutting.and_then(|c| c.units.get(&place)) else { continue };
            if let Some(unit) = units.get(left) {
                let path = self.engine.path(place, unit.at);
                let name = format!("old({}{path})", self.program.objects[object].name);
                return (name, unit.sort == Sort::Signed, Spot::Static(object, unit.at));
            }
            left -= units.len();
        }
        let ty = self.program.types.signature(function.ty).map(|s| s.result);
        let signed = ty.is_some_and(|ty| self.engine.class(ty).is_signed());
        ("(result)".to_owned(), signed, Spot::Given(id))
    }

    /// Whether a place of the graph is the entry or the end of a function that calls itself, and which.
    pub fn of_function(&self, node: usize) -> Option<&'static str> {
        match self.sites.get(node.checked_sub(1)?)?.key.last() {
            Some(&ENTRY) => Some("entry"),
            Some(&END) => Some("end"),
            _ => None,
        }
    }

    fn object_name(&self, state: &State, id: u32) -> String {
        if let Some(i) = self.engine.statics.iter().position(|&s| s == id) {
            return self.program.objects[i].name.clone();
        }
        for frame in &state.frames {
            let function = &self.program.functions[frame.function.index()];
            for (i, value) in frame.locals.iter().enumerate() {
                let memory = function.locals[i].home == c_data::Home::Memory;
                let here = value.as_ref().and_then(|v| v.word.value());
                if memory && here == Some(self.engine.objects.all[id as usize].base.into()) {
                    let name = &function.locals[i].name;
                    return match name.is_empty() {
                        true => format!("(object {i})"),
                        false => name.clone(),
                    };
                }
            }
        }
        format!("(memory {id})")
    }

    /// Where a place of the graph is: file, line, and function.
    pub fn place(&self, node: usize) -> (String, u32, String) {
        let Some(site) = node.checked_sub(1).and_then(|site| self.sites.get(site)) else {
            return Default::default();
        };
        let Some(frame) = site.state.frames.last() else { return Default::default() };
        let function = &self.program.functions[frame.function.index()];
        let block = &function.blocks[frame.block];
        let at = block.stmts.first().map_or(block.end_at, |s| s.at);
        let file = self.program.files.get(at.file as usize).cloned().unwrap_or_default();
        (file, at.line, function.name.clone())
    }
}
