//! Functions and objects of a linked program: what is known of each.

use crate::Place;
use crate::tree::TypeId;
use c_types::{Scalar, Value};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The one at a position.
            pub fn new(index: usize) -> Self {
                $name(index as u32)
            }
            /// Its position.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A function of a linked program, with or without a body.
    FuncId
);
id!(
    /// An object: a variable, or a part that is reached from one (`s.f`, `p->f`, `*p`, `&v`).
    ObjectId
);

/// A function.
#[derive(Clone, Debug)]
pub struct Func {
    /// Its name in the source.
    pub name: String,
    /// Its name in the program: the same, with `@file` behind it if another one has it, too.
    pub unique: String,
    /// Unit and item of its definition.
    pub body: Option<(usize, usize)>,
    /// `static`
    pub is_static: bool,
    /// It does not come back.
    pub noreturn: bool,
    /// It is mentioned other than as what is called.
    pub address_taken: bool,
    /// Unit and type of a declaration.
    pub ty: Option<TypeRef>,
    /// Its body is `return c;`, and no other can take its place.
    pub constant: Option<Value>,
    /// It is called before `main`, or when the program ends.
    pub by_itself: bool,
    /// Another definition may take its place.
    pub weak: bool,
    /// It is defined twice, and one definition was left out.
    pub twice: bool,
    /// Which parameters point to what is constant.
    pub const_params: Vec<bool>,
    /// The names of its result's type, in [`crate::Skeleton::types`].
    pub result_names: u32,
    /// The scalar type of its result.
    pub result: Option<Scalar>,
}

/// A type in its unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeRef {
    /// The unit.
    pub unit: u32,
    /// The type.
    pub ty: TypeId,
}

/// How an object is reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reach {
    /// A variable.
    Var,
    /// `s.f`
    Field(ObjectId),
    /// `p->f`
    Arrow(ObjectId),
    /// `*p`, and the cells of `p[i]`
    Deref(ObjectId),
    /// The cells of an array.
    Cell(ObjectId),
    /// `&v`
    Address(ObjectId),
}

/// What stands between the brackets of a cell, wherever it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// One variable.
    By(ObjectId),
    /// Other things, or not always the same.
    Several,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// As it is written: `p->lock`.
    pub name: String,
    /// The function whose local it starts from.
    pub owner: Option<FuncId>,
    /// It lives in the frame of its owner, and is no `static` local.
    pub automatic: bool,
    /// How it is reached.
    pub reach: Reach,
    /// Its type, if known.
    pub ty: Option<TypeRef>,
    /// Its address is taken somewhere: stores through pointers may change it.
    pub address_taken: bool,
    /// It is visible to other units.
    pub external: bool,
    /// Some unit defines it, and does not only declare it.
    pub defined: bool,
    /// The value that it always has.
    pub fixed: Option<Value>,
    /// It is declared `const`.
    pub constant: bool,
    /// It may change at any time: it is `volatile`, or `_Atomic`.
    pub volatile: bool,
    /// The scalar type of its value, if that is certain.
    pub scalar: Option<Scalar>,
    /// It may be one of several cells: `*p` where `p[i]` occurs, too.
    pub indexed: bool,
    /// An index stands for it that is no constant.
    pub varied: bool,
    /// The constant index that stands for it, as `[2]`; `p[0]` is `*p`. Cells of one array have one name.
    pub element: Option<Box<str>>,
    /// What stands for it where that is no constant; none if nothing does.
    pub index: Option<Index>,
    /// It is the result of a call that the source has no name for: no variable.
    pub temporary: bool,
    /// Its value goes somewhere that is not followed.
    pub loose: bool,
    /// The names of its type, in [`crate::Skeleton::types`].
    pub type_names: u32,
    /// It is an array: where it stands for an address, that is not null. Parameters are pointers.
    pub array: bool,
    /// It is the first member of its structure: its address is that of the whole.
    pub first: bool,
    /// It is a member of a union: what is written to another one is read from it.
    pub overlaps: bool,
    /// How many links it is away from its variable.
    pub(crate) depth: u32,
    /// Where it is declared.
    pub at: Option<(u32, Place)>,
}

impl Object {
    /// An object that is defined, and of which nothing else is known.
    pub(crate) fn new(name: String, reach: Reach, ty: Option<TypeRef>) -> Object {
        Object {
            name,
            owner: None,
            automatic: false,
            reach,
            ty,
            address_taken: false,
            external: false,
            defined: true,
            fixed: None,
            constant: false,
            volatile: false,
            scalar: None,
            indexed: false,
            varied: false,
            element: None,
            index: None,
            temporary: false,
            loose: false,
            type_names: 0,
            array: false,
            first: false,
            overlaps: false,
            depth: 0,
            at: None,
        }
    }
}
