//! What a program becomes, shown by the dump of the program model.

use front_bp::{Dialect, LowerOptions, lower, parse};
use ir::{EdgeKind, Program};
use source::SourceFile;

#[track_caller]
fn program(text: &str) -> Program {
    let file = SourceFile::new("f.bp", text).unwrap();
    let (tree, errors) = parse(text, Dialect::Standard);
    assert_eq!(errors, []);
    let program = lower(&tree, &file, &LowerOptions::default()).unwrap();
    program.validate().unwrap();
    program
}

/// The nodes and edges of `main`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let dump = ir::dump(&program(text));
    let main = dump.split("\nproc ").find(|part| part.starts_with("main")).unwrap();
    let nodes: Vec<&str> =
        main.lines().skip(1).filter(|line| !line.starts_with("  local")).collect();
    assert_eq!(nodes.join("\n").trim_end(), expected.trim_matches('\n'));
}

#[test]
fn straight() {
    check(
        "decl g; void main() begin decl h;\n  h := !g;\n  skip; print(h);\n  dead g, h;\nend",
        "
  n0 entry 2:3 `h := !g`
    -> n1 h' := !g;
  n1 3:3 `skip`
    -> n2
  n2 3:9 `print(h)`
    -> n3
  n3 4:3 `dead g, h`
    -> n4 g' := any; h' := any;
  n4
    ~> return",
    );
    check("void main() begin end", "  n0 entry\n    ~> return");
}

#[test]
fn assignments() {
    check(
        "decl a, b; void main() begin
a, b := b, *;
_, a := b, schoose[F, F];
a := schoose[a, b] & *;
a, b := *, b | * constrain 'a = b & *;
a := (a = T) ^ (b != F);
a := a => b;
end",
        "
  n0 entry 2:1 `a, b := b, *`
    -> n1 a' := b; b' := any;
  n1 3:1 `_, a := b, schoose[0, 0]`
    -> n2 a' := any;
  n2 4:1 `a := schoose[a, b] & *`
    -> n3 a' := ((a | (!b & *0)) & *1);
  n3 5:1 `a, b := *, b | * constrain (('a = b) & *)`
    -> n4 a' := any; b' := (b | *0); constrain ((a' <=> b) & *1)
  n4 6:1 `a := (a = 1) ^ (b != 0)`
    -> n5 a' := (a ^ b);
  n5 7:1 `a := a => b`
    -> n6 a' := (!a | b);
  n6
    ~> return",
    );
}

#[test]
fn conditions() {
    check(
        "decl a; void main() begin
L: assert(a); M: M: assume(!a); constrain('a);
assert(a | *); assert(T); assume(F); assume(*);
end",
        "
  n0 entry L: 2:4 `assert(a)`
    -> n1 [a]
    -> n8 [!a]
  n1 M: 2:21 `assume(!a)`
    -> n2 [!a]
  n2 2:33 `constrain('a)`
    -> n3 [a]
  n3 3:1 `assert(a | *)`
    -> n4 [(a | *0)]
    -> n8 [!(a | *0)]
  n4 3:16 `assert(1)`
    -> n5
    -> n8 [false]
  n5 3:27 `assume(0)`
  n6 3:38 `assume(*)`
    -> n7
  n7
    ~> return
  n8 error",
    );
}

#[test]
fn blocks() {
    check(
        "decl a, b; void main() begin
if a then
  L: skip;
elsif b then
else
  if * then skip; fi;
fi;
while !a do
  while T do od
  a := T;
od
end",
        "
  n0 entry 2:1 `if (a)`
    -> n1 [a]
    -> n2 [!a]
  n1 L: 3:6 `skip`
    -> n5
  n2 4:1 `elsif (b)`
    -> n5 [b]
    -> n3 [!b]
  n3 6:3 `if (*)`
    -> n4
    -> n5
  n4 6:13 `skip`
    -> n5
  n5 8:1 `while (!a)`
    -> n6 [!a]
    -> n8 [a]
  n6 9:3 `while (1)`
    -> n6
  n7 10:3 `a := 1`
    -> n5 a' := true;
  n8
    ~> return",
    );
}

#[test]
fn jumps() {
    check(
        "void main() begin
goto L, 1, L;
if F then L: skip; fi
return;
1: goto L;
end",
        "
  n0 entry 2:1 `goto L, 1, L`
    -> n2
    -> n4
  n1 3:1 `if (0)`
    -> n3
  n2 L: 3:14 `skip`
    -> n3
  n3 4:1 `return`
    -> return
  n4 1: 5:4 `goto L`
    -> n2
  n5
    ~> return",
    );
}

#[test]
fn calls() {
    check(
        "decl g; void main() begin decl x;
x, _ := f(g & *, *); f(x, T);
_, g := f(F, g);
end
bool<2> f(a, b) begin return *, a; end",
        "
  n0 entry 2:1 `x, _ := f(g & *, *)`
    -> call f a' := (g & *0); b' := any;, back to n1 x' := return.1;
  n1 2:22 `f(x, 1)`
    -> call f a' := x; b' := true;, back to n2
  n2 3:1 `_, g := f(0, g)`
    -> call f a' := false; b' := g;, back to n3 g' := return.2;
  n3
    ~> return",
    );
    let text = "bool<2> main(a) begin if a then return *, a; fi end";
    check(
        text,
        "
  n0 entry 1:23 `if (a)`
    -> n1 [a]
    -> n2 [!a]
  n1 1:33 `return *, a`
    -> return return.1' := any; return.2' := a;
  n2
    ~> return",
    );
}

#[test]
fn enforce_and_abortif() {
    // Guarded at entry; constrained wherever one of their variables may have changed.
    check(
        "decl a, b; void main() begin decl x, y; enforce x | *; abortif y & x;
y := x; a := b; dead x, a; if a then skip; fi
assert(x); f(); x := g(); return;
end
void f() begin end bool g() begin end",
        "
  n0 2:1 `y := x`
    -> n1 y' := x; constrain ((x' | *0) & !(y' & x'))
  n1 2:9 `a := b`
    -> n2 a' := b;
  n2 2:17 `dead x, a`
    -> n3 x' := any; a' := any; constrain ((x' | *0) & !(y' & x'))
  n3 2:28 `if (a)`
    -> n4 [a]
    -> n5 [!a]
  n4 2:38 `skip`
    -> n5
  n5 3:1 `assert(x)`
    -> n6 [x]
    -> n11 [!x]
  n6 3:12 `f()`
    -> call f, back to n7
  n7 3:17 `x := g()`
    -> call g, back to n8 x' := return.1; constrain ((x' | *0) & !(y' & x'))
  n8 3:27 `return`
    -> return
  n9
    ~> return
  n10 entry
    ~> n0 [((x | *0) & !(y & x))]
  n11 error",
    );
    // A callee can change globals.
    check(
        "decl a, b; void main() begin enforce a; b := T; a := b constrain 'b; main(); end",
        "
  n0 1:41 `b := 1`
    -> n1 b' := true;
  n1 1:49 `a := b constrain ('b)`
    -> n2 a' := b; constrain (b' & a')
  n2 1:70 `main()`
    -> call main, back to n3 constrain a'
  n3
    ~> return
  n4 entry
    ~> n0 [a]",
    );
    check(
        "decl a; void main() begin enforce a; end",
        "  n0\n    ~> return\n  n1 entry\n    ~> n0 [a]",
    );
}

#[test]
fn scopes() {
    let program = program(
        "decl x, y; void main() begin decl y; x, y := y, x; f(y); end
         void f(y) begin decl x; x := y; end",
    );
    let scopes: Vec<Vec<&str>> = [program.procs.enumerate()]
        .into_iter()
        .flatten()
        .map(|(p, _)| program.scope(p).map(|v| program.var_name(v)).collect())
        .collect();
    assert_eq!(scopes, [vec!["x", "y", "y"], vec!["x", "y", "y", "x"]]);
    for edge in program.edges.iter() {
        if let EdgeKind::Local { rel, .. } = &edge.kind {
            let vars: Vec<_> = rel.assigns.iter().map(|a| program.vars[a.var].kind).collect();
            let proc = program.nodes[edge.source].proc;
            let local = ir::VarKind::Local(proc);
            let main = program.proc_name(proc) == "main";
            assert_eq!(vars, if main { vec![ir::VarKind::Global, local] } else { vec![local] });
        }
    }
    let origin = program.vars[program.globals[1]].origin;
    assert_eq!((origin.line, origin.column, program.text(origin.text)), (1, 9, "y"));
}

#[test]
fn entry_and_labels() {
    let text = "void f() begin L: skip; end void g() begin L: M: skip; end";
    let file = SourceFile::new("f.bp", text).unwrap();
    let (tree, _) = parse(text, Dialect::Standard);
    let program = lower(&tree, &file, &LowerOptions { entry: Some("g".into()) }).unwrap();
    assert_eq!(program.proc_name(program.entry), "g");
    assert_eq!(program.files, ["f.bp"]);
    assert_eq!(program.labelled(None, "L").len(), 2);
    assert_eq!(program.labelled(program.proc_named("g"), "L"), program.labelled(None, "M"));
    assert!(program.labelled(program.proc_named("f"), "M").is_empty());
}
