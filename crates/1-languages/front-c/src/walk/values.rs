//! Values: what an expression leaves behind ([`Val`]), and what it computes ([`Data`]).

use super::Walker;
use crate::objects::{ObjectId, TypeRef};
use crate::skeleton::{Data, DataId};
use crate::tree::{Assign, Binary, ExprId, ExprKind, Unary};
use crate::typing::Ty;
use c_types::{Model, Scalar, Value};

/// Larger values are not followed.
const MAX_DATA: usize = 64;

/// What an expression's value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Other,
    /// Nothing: a cast to `void`.
    Nothing,
    /// An object, not read yet.
    Object(ObjectId),
    /// The address of an object, as an object.
    Address(ObjectId),
    /// A place in memory that has no object, not read yet.
    Place,
    /// What a variable held that was then increased or decreased.
    Stepped(ObjectId),
    /// The place that it pointed to then, and who holds what was there.
    Walked(ObjectId),
    /// What was just assigned to the object.
    Assigned(ObjectId),
    /// The result of a call.
    Call(u32),
    /// A function.
    Func,
}

#[derive(Clone, Copy)]
pub(super) struct Val {
    pub(super) what: What,
    /// The type that is declared for what it is about.
    pub(super) ty: Option<TypeRef>,
    /// The type that the expression has.
    pub(super) exact: Ty,
    pub(super) constant: Option<Value>,
    /// It is what the object holds, and no conversion made another number of it.
    pub(super) faithful: bool,
}

impl Val {
    pub(super) fn new(what: What, ty: Option<TypeRef>) -> Val {
        Val { what, ty, exact: ty.map_or(Ty::Unknown, Ty::At), constant: None, faithful: true }
    }
    pub(super) fn other(ty: Option<TypeRef>) -> Val {
        Val::new(What::Other, ty)
    }
    /// The same, with the type of its expression.
    pub(super) fn typed(self, exact: Ty) -> Val {
        Val { exact, ..self }
    }
    pub(super) fn object(&self) -> Option<ObjectId> {
        match self.what {
            What::Object(o) | What::Address(o) | What::Assigned(o) => Some(o),
            _ => None,
        }
    }
}

/// The values that a function computes.
#[derive(Default)]
pub(super) struct Values {
    pub(super) items: Vec<Data>,
    /// The scalar type of each of these.
    pub(super) scalars: Vec<Option<Scalar>>,
}

impl Values {
    pub(super) fn add(&mut self, data: Data, scalar: Option<Scalar>) -> DataId {
        self.items.push(data);
        self.scalars.push(scalar);
        self.items.len() as DataId - 1
    }

    pub(super) fn scalar(&self, d: DataId) -> Option<Scalar> {
        self.scalars[d as usize]
    }

    /// A constant, if it can be told.
    pub(super) fn number(&mut self, value: Value) -> Option<DataId> {
        let number = i64::try_from(value.number()).ok()?;
        Some(self.add(Data::Int(number), Some(value.ty())))
    }

    /// A value converted to a type.
    pub(super) fn converted(&mut self, d: DataId, to: Option<Scalar>, model: &Model) -> DataId {
        let from = self.scalar(d);
        let fits = from.zip(to).is_some_and(|(from, to)| from.fits(to, model));
        match to {
            Some(to) if !fits => self.add(Data::Convert(to, d), Some(to)),
            _ => d,
        }
    }

    /// The value of an operation.
    pub(super) fn binary(&mut self, op: Binary, a: DataId, b: DataId, model: &Model) -> DataId {
        let (left, right) = (self.scalar(a), self.scalar(b));
        let promoted = |s: Option<Scalar>| s.map(Scalar::promoted);
        if matches!(op, Binary::And | Binary::Or) {
            return self.add(Data::Binary(op, a, b), Some(Scalar::INT));
        }
        if op.is_shift() {
            let (a, b) = (
                self.converted(a, promoted(left), model),
                self.converted(b, promoted(right), model),
            );
            return self.add(Data::Binary(op, a, b), promoted(left));
        }
        let common = match (left, right) {
            (Some(Scalar::Pointer), _) | (_, Some(Scalar::Pointer)) => None,
            (Some(left), Some(right)) => c_types::usual(left, right),
            _ => None,
        };
        let (a, b) = (self.converted(a, common, model), self.converted(b, common, model));
        let truth = op.is_truth().then_some(Scalar::INT);
        self.add(Data::Binary(op, a, b), truth.or(common))
    }

    /// Whether a value depends on one of the objects.
    pub(super) fn reads_any(&self, value: DataId, written: &[(ObjectId, Option<DataId>)]) -> bool {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            match self.items[value as usize] {
                Data::Int(_) => {}
                Data::Object(o) => {
                    if written.iter().any(|(w, _)| *w == o) {
                        return true;
                    }
                }
                Data::Minus(a)
                | Data::Complement(a)
                | Data::Not(a)
                | Data::As(_, a)
                | Data::Convert(_, a) => todo.push(a),
                Data::Binary(_, a, b) => todo.extend([a, b]),
                Data::Conditional(c, a, b) => todo.extend([c, a, b]),
            }
        }
        false
    }
}

impl<'a> Walker<'_, 'a> {
    /// What an object holds; none if that may change at any time.
    pub(super) fn held(&mut self, o: ObjectId) -> Option<DataId> {
        let object = &self.linked.objects[o.index()];
        let (scalar, volatile) = (object.scalar, object.volatile);
        (!volatile).then(|| self.data.add(Data::Object(o), scalar))
    }

    /// What an object holds once it is assigned a value; none if that is not certain.
    pub(super) fn stored(&mut self, o: ObjectId, d: DataId) -> Option<DataId> {
        let object = &self.linked.objects[o.index()];
        let (scalar, volatile) = (object.scalar, object.volatile);
        (scalar.is_some() && !volatile).then(|| self.data.converted(d, scalar, &self.unit.model))
    }

    /// The value of an expression without side effects, if it is small.
    pub(super) fn value(&mut self, root: ExprId) -> Option<DataId> {
        // An assignment's value is what its target then holds.
        let mut targets = Vec::new();
        let mut root = root;
        while let ExprKind::Assign(Assign::Plain, left, right) = self.unit.expr(root).kind {
            if targets.len() > MAX_DATA {
                return None;
            }
            targets.push(self.path(left)?);
            root = right;
        }
        let mut stack = vec![(root, false)];
        let mut out: Vec<DataId> = Vec::new();
        let mut visited = 0;
        while let Some((e, ready)) = stack.pop() {
            visited += 1;
            if visited > 2 * MAX_DATA {
                return None;
            }
            let kind = &self.unit.expr(e).kind;
            if !ready {
                if let Some(value) = self.constant(e) {
                    let id = self.data.number(value)?;
                    out.push(id);
                    continue;
                }
                match kind {
                    ExprKind::Name(_)
                    | ExprKind::Field(..)
                    | ExprKind::Arrow(..)
                    | ExprKind::Unary(Unary::Deref, _) => {
                        let o = self.path(e)?;
                        let id = self.held(o)?;
                        out.push(id);
                    }
                    ExprKind::Unary(
                        Unary::Minus | Unary::Plus | Unary::Complement | Unary::Not,
                        a,
                    )
                    | ExprKind::Cast(_, a) => stack.extend([(e, true), (*a, false)]),
                    ExprKind::Binary(_, a, b) => {
                        stack.extend([(e, true), (*b, false), (*a, false)]);
                    }
                    ExprKind::Conditional(c, Some(a), b) => {
                        stack.extend([(e, true), (*b, false), (*a, false), (*c, false)]);
                    }
                    _ => return None,
                }
                continue;
            }
            let mut pop = || out.pop().expect("operands come first");
            let id = match kind {
                ExprKind::Unary(Unary::Not, _) => {
                    let a = pop();
                    self.data.add(Data::Not(a), Some(Scalar::INT))
                }
                ExprKind::Unary(op, _) => {
                    let a = pop();
                    let to = self.data.scalar(a).map(Scalar::promoted);
                    let a = self.data.converted(a, to, &self.unit.model);
                    match op {
                        Unary::Minus => self.data.add(Data::Minus(a), to),
                        Unary::Complement => self.data.add(Data::Complement(a), to),
                        _ => a,
                    }
                }
                ExprKind::Cast(ty, _) => {
                    let (a, to) = (pop(), self.scalar_at(self.type_ref(*ty))?);
                    self.data.converted(a, Some(to), &self.unit.model)
                }
                ExprKind::Binary(op, ..) => {
                    let (b, a) = (pop(), pop());
                    self.data.binary(*op, a, b, &self.unit.model)
                }
                _ => {
                    let (b, a, c) = (pop(), pop(), pop());
                    let to = self.scalar(e);
                    let (a, b) = (
                        self.data.converted(a, to, &self.unit.model),
                        self.data.converted(b, to, &self.unit.model),
                    );
                    self.data.add(Data::Conditional(c, a, b), to)
                }
            };
            out.push(id);
        }
        let mut value = out.pop()?;
        for o in targets.into_iter().rev() {
            let object = &self.linked.objects[o.index()];
            let (scalar, volatile) = (object.scalar, object.volatile);
            if volatile {
                return None;
            }
            value = self.data.add(Data::As(o, value), scalar);
        }
        Some(value)
    }
}
