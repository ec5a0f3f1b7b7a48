//! What can be seen of expressions without types.

use front_c::{ExprKind, Sym, Unary, Unit};

/// Which expressions change something, or jump.
pub(crate) fn effects(unit: &Unit) -> Vec<bool> {
    let mut out: Vec<bool> = Vec::with_capacity(unit.exprs.len());
    for expr in &unit.exprs {
        let has = |e: &front_c::ExprId| out[e.index()];
        let effect = match &expr.kind {
            ExprKind::Assign(..)
            | ExprKind::Call(..)
            | ExprKind::Block(_)
            | ExprKind::VaArg(..)
            | ExprKind::Compound(..)
            | ExprKind::Unary(Unary::Step { .. }, _) => true,
            ExprKind::Unary(_, a) | ExprKind::Field(a, _) | ExprKind::Arrow(a, _) => has(a),
            ExprKind::Cast(_, a) => has(a),
            ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) | ExprKind::Index(a, b) => {
                has(a) || has(b)
            }
            ExprKind::Conditional(a, b, c) => has(a) || b.as_ref().is_some_and(has) || has(c),
            ExprKind::Generic(_, arms) => arms.iter().any(has),
            // Types of variable size may have effects; they are rare.
            ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) | ExprKind::AboutType(_) => false,
            ExprKind::Name(_)
            | ExprKind::Enumerator(_)
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::LabelAddress(_) => false,
        };
        out.push(effect);
    }
    out
}

/// The names whose address is taken, with the place.
pub(crate) fn taken(unit: &Unit) -> Vec<(u32, Sym)> {
    let mut out = Vec::new();
    for expr in &unit.exprs {
        let mut e = match expr.kind {
            ExprKind::Unary(Unary::Address, e) | ExprKind::VaArg(e, _) => e,
            // Lists of arguments are changed where they lie.
            ExprKind::Call(f, ref args) => match unit.expr(f).kind {
                ExprKind::Name(name) if unit.name(name).starts_with("__builtin_va_") => {
                    for arg in args {
                        if let ExprKind::Name(sym) = unit.expr(*arg).kind {
                            out.push((expr.at.offset, sym));
                        }
                    }
                    continue;
                }
                _ => continue,
            },
            _ => continue,
        };
        loop {
            match unit.expr(e).kind {
                ExprKind::Name(sym) => {
                    out.push((expr.at.offset, sym));
                    break;
                }
                ExprKind::Field(a, _)
                | ExprKind::Index(a, _)
                | ExprKind::Cast(_, a)
                | ExprKind::Unary(_, a)
                | ExprKind::Comma(_, a) => e = a,
                ExprKind::Conditional(_, _, a) => e = a,
                ExprKind::Generic(_, ref arms) => match arms[..] {
                    [a] => e = a,
                    _ => {
                        // Which of them counts is not known here.
                        for arm in arms {
                            if let ExprKind::Name(sym) = unit.expr(*arm).kind {
                                out.push((expr.at.offset, sym));
                            }
                        }
                        break;
                    }
                },
                _ => break,
            }
        }
    }
    out
}

/// Which expressions have only constants in them.
pub(crate) fn constants(unit: &Unit) -> Vec<bool> {
    let mut out: Vec<bool> = Vec::with_capacity(unit.exprs.len());
    for expr in &unit.exprs {
        let is = |e: &front_c::ExprId| out[e.index()];
        let constant = match &expr.kind {
            ExprKind::Enumerator(_)
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::SizeOf(_)
            | ExprKind::SizeOfType(_)
            | ExprKind::AboutType(_) => true,
            ExprKind::Unary(Unary::Step { .. }, _) => false,
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => is(a),
            ExprKind::Binary(_, a, b) => is(a) && is(b),
            ExprKind::Conditional(a, b, c) => is(a) && b.as_ref().is_none_or(is) && is(c),
            ExprKind::Generic(_, arms) => arms.iter().all(is),
            ExprKind::Call(f, _) => match unit.expr(*f).kind {
                ExprKind::Name(name) => unit.name(name) == "__builtin_constant_p",
                _ => false,
            },
            _ => false,
        };
        out.push(constant);
    }
    out
}
