//! What types are called: names for rules that ask for objects by their type.

use crate::link::strip;
use crate::objects::{Func, Object, Reach, TypeRef};
use crate::tree::{Tag, TypeId, TypeKind, Unit};
use crate::typing::Ty;
use c_types::Scalar;
use rustc_hash::FxHashMap;

/// Gives every object, and every function's result, the names of its type: without qualifiers and blanks,
/// as declared, and with one `typedef` after the other resolved.
pub(super) fn type_names(
    units: &[Unit],
    objects: &mut [Object],
    funcs: &mut [Func],
) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = vec![Vec::new()];
    let mut known: FxHashMap<TypeRef, u32> = FxHashMap::default();
    let mut same: FxHashMap<Vec<String>, u32> = FxHashMap::default();
    let mut number = |ty: TypeRef| {
        *known.entry(ty).or_insert_with(|| {
            let names = names_of(&units[ty.unit as usize], ty.ty);
            let next = out.len() as u32;
            *same.entry(names).or_insert_with_key(|names| {
                out.push(names.clone());
                next
            })
        })
    };
    for object in objects.iter_mut() {
        let Some(ty) = object.ty else { continue };
        let unit = &units[ty.unit as usize];
        let stripped = unit.ty(strip(unit, ty.ty));
        object.constant =
            object.reach == Reach::Var && (unit.ty(ty.ty).is_const || stripped.is_const);
        object.array = matches!(stripped.kind, TypeKind::Array(..));
        object.type_names = number(ty);
    }
    for i in 0..objects.len() {
        let first = match objects[i].reach {
            Reach::Field(b) => objects[b.index()].ty.and_then(|ty| first_member(units, ty, false)),
            Reach::Arrow(b) => objects[b.index()].ty.and_then(|ty| first_member(units, ty, true)),
            _ => None,
        };
        let name = objects[i].name.rsplit(['.', '>']).next();
        objects[i].first = first.is_some() && first == name;
        objects[i].overlaps = match objects[i].reach {
            Reach::Field(b) => objects[b.index()].ty.is_some_and(|ty| is_union(units, ty, false)),
            Reach::Arrow(b) => objects[b.index()].ty.is_some_and(|ty| is_union(units, ty, true)),
            _ => false,
        };
    }
    for func in funcs {
        let Some(ty) = func.ty else { continue };
        let unit = &units[ty.unit as usize];
        if let TypeKind::Function { result, .. } = unit.ty(strip(unit, ty.ty)).kind {
            func.result_names = number(TypeRef { unit: ty.unit, ty: result });
        }
    }
    out
}

/// Whether it is a union, or a pointer to one.
fn is_union(units: &[Unit], ty: TypeRef, behind: bool) -> bool {
    let unit = &units[ty.unit as usize];
    let mut kind = &unit.ty(strip(unit, ty.ty)).kind;
    if behind {
        let (TypeKind::Pointer(inner) | TypeKind::Array(inner, _)) = kind else { return false };
        kind = &unit.ty(strip(unit, *inner)).kind;
    }
    matches!(kind, TypeKind::Record(r) if unit.records[r.index()].tag == Tag::Union)
}

/// The name of the first member of a record, or of the one that a pointer points to.
fn first_member(units: &[Unit], ty: TypeRef, behind: bool) -> Option<&str> {
    let unit = &units[ty.unit as usize];
    let mut kind = &unit.ty(strip(unit, ty.ty)).kind;
    if behind {
        let (TypeKind::Pointer(inner) | TypeKind::Array(inner, _)) = kind else { return None };
        kind = &unit.ty(strip(unit, *inner)).kind;
    }
    let TypeKind::Record(r) = kind else { return None };
    let first = unit.records[r.index()].fields.iter().flatten().next()?;
    first.name.map(|sym| unit.name(sym))
}

/// A type in words, if it has any: `struct s*`; `int32` for what no declaration names.
pub fn type_text(units: &[Unit], ty: Ty) -> Option<String> {
    let named = |t: TypeRef| names_of(&units[t.unit as usize], t.ty).into_iter().next();
    match ty {
        Ty::Unknown => None,
        Ty::Scalar(Scalar::Bool) => Some("_Bool".to_owned()),
        Ty::Scalar(Scalar::Float(_)) => None,
        Ty::Scalar(Scalar::Pointer) => Some("void*".to_owned()),
        Ty::Scalar(Scalar::Int(int)) => {
            let sign = if int.signed { "int" } else { "uint" };
            Some(format!("{sign}{}", int.bits))
        }
        Ty::At(t) => named(t),
        Ty::PointerTo(t) => named(t).map(|name| name + "*"),
    }
}

fn names_of(unit: &Unit, ty: TypeId) -> Vec<String> {
    let (mut ty, mut stars) = (ty, String::new());
    let mut names = Vec::new();
    loop {
        match &unit.ty(ty).kind {
            TypeKind::Pointer(inner) | TypeKind::Array(inner, _) => {
                stars.push('*');
                ty = *inner;
            }
            TypeKind::Named(sym, inner) => {
                names.push(format!("{}{stars}", unit.name(*sym)));
                ty = *inner;
            }
            TypeKind::Void => {
                names.push(format!("void{stars}"));
                return names;
            }
            TypeKind::Base(sym) => {
                names.push(format!("{}{stars}", unit.name(*sym)));
                return names;
            }
            TypeKind::Record(r) => {
                let record = &unit.records[r.index()];
                if let Some(name) = record.name {
                    let tag = if record.tag == Tag::Union { "union" } else { "struct" };
                    names.push(format!("{tag} {}{stars}", unit.name(name)));
                }
                return names;
            }
            _ => return names,
        }
    }
}

/// Which parameters of a function are pointers to what is constant.
pub(super) fn const_params(units: &[Unit], ty: Option<TypeRef>) -> Vec<bool> {
    let Some(ty) = ty else { return Vec::new() };
    let unit = &units[ty.unit as usize];
    let TypeKind::Function { params, unprototyped: false, .. } = &unit.ty(strip(unit, ty.ty)).kind
    else {
        return Vec::new();
    };
    let constant = |ty: TypeId| match unit.ty(strip(unit, ty)).kind {
        TypeKind::Pointer(inner) | TypeKind::Array(inner, _) => {
            // The qualifier may stand with any of the names.
            let mut inner = inner;
            loop {
                let ty = unit.ty(inner);
                match ty.kind {
                    _ if ty.is_const => break true,
                    TypeKind::Named(_, next) => inner = next,
                    _ => break false,
                }
            }
        }
        _ => false,
    };
    params.iter().map(|p| constant(p.ty)).collect()
}
