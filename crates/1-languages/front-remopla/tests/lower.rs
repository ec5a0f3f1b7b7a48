//! The shape of programs: nodes, labels, texts and places.

use crate::support;
use crate::support::program;

#[test]
fn a_program() {
    let text = "int a[3](2), x(2);
init main;
module int(2) f(int p(2)) {
  L: if
    :: p > 1 -> return p - 1;
    :: else -> skip;
  fi
  return 0;
}
module void main() {
  bool b;
  do
    :: x < 2 && !b -> a[x] = a[x + 1], x = x + 1;
    :: else -> break;
  od
  M: a[x] = f(x), b = true;
  E i (0, 2) a[i] = undef;
  goto M, x = 0;
}
";
    assert_eq!(
        ir::dump(&program(text)),
        "global a: int(2)[0..2]
global x: int(2)
entry main

proc f(p: int(2)) -> (return: int(2))
  n0 entry L: f: 4:6 `if :: p > 1 :: else`
    -> n1 [(p > 1)]
    -> n2 [!(p > 1)]
  n1 5:17 `return p - 1`
    -> return return' := (p - 1);
  n2 6:16 `skip`
    -> n3
  n3 8:3 `return 0`
    -> return return' := 0;
  n4

proc main() -> ()
  local b: bool
  n5 entry main: 12:3 `do :: x < 2 && !b :: else`
    -> n6 [((x < 2) & !b)]
    -> n7 [!((x < 2) & !b)]
  n6 13:23 `a[x] = a[x + 1], x = x + 1`
    -> n5 a'[x] := a[(x + 1)]; x' := (x + 1);
  n7 14:16 `break`
    -> n8
  n8 M: 16:6 `a[x] = f(x), b = true`
    -> call f p' := x; b'' := true;, back to n9 a'[x] := return;
  n9 17:3 `E i (0, 2) a[i] = undef`
    -> n10 [(((0 + (*0 ? 1 : 0)) + (*1 ? 2 : 0)) <= 2)] a'[((0 + (*0 ? 1 : 0)) + (*1 ? 2 : 0))] := any;
  n10 18:3 `goto M, x = 0`
    -> n8 x' := 0;
  n11
    ~> return
"
    );
}

#[test]
fn structs_and_dimensions() {
    let text = "struct S { int x(2); bool b; };
struct S s[2];
bool m[2][1,2];
int i(2);
module void main() { s[i].b = m[1][i]; }
";
    assert_eq!(
        ir::dump(&program(text)),
        "global s.x: int(2)[0..1]
global s.b: bool[0..1]
global m: bool[0..3]
global i: int(2)
entry main

proc main() -> ()
  n0 entry main: 5:22 `s[i].b = m[1][i]`
    -> n1 [((i >= 1) & (i <= 2))] s.b'[i] := m[(((i >= 1) & (i <= 2)) when (2 + (i - 1)))];
  n1
    ~> return
"
    );
}

#[test]
fn printing() {
    let text = "define N 2 define DEFAULT_INT_BITS N*2-1 unsigned int x,y[N][1,N](3);enum T{a,b}e;\
        enum{c};struct S{int f;bool g[2];};shared struct S s;module bool f(int p,enum T q);init main r;\
        module bool f(int p,enum T q){int l;L:M:x=-0;return !(x>1)&&x+1*2<3||true;}\
        module void main(){if::x==1&&!(A i(0,1)y[i][1]>0)->break;::else->fi;do::true->skip od;\
        x=f(1,undef),s.f=2,E i(0,1)y[i][2]=undef;goto L,x!=2;p<y>-->q<>q<y>-->q<a b>\"t\"(x'==1&&x''==2)}"
        .replace("x=-0", "x=0");
    let tree = support::tree(&text);
    assert_eq!(
        front_remopla::print(&tree),
        "define N 2
define DEFAULT_INT_BITS ((N * 2) - 1)
int x, y[N][1, N](3);
enum T { a, b } e;
enum { c };
struct S { int f; bool g[2]; };
shared struct S s;

module bool f(int p, enum T q);
init main r;

module bool f(int p, enum T q) {
  int l;
  L: M: x = 0;
  return (!(x > 1) && ((x + (1 * 2)) < 3)) || true;
}

module void main() {
  if
    :: (x == 1) && !(A i (0, 1) (y[i][1] > 0)) ->
      break;
    :: else ->
  fi
  do
    :: true ->
      skip;
  od
  x = f(1, undef), s.f = 2, E i (0, 1) y[i][2] = undef;
  goto L, x != 2;
  p <y> --> q <>
  q <y> --> q <a b> \"t\" ((x' == 1) && (x'' == 2))
}
"
    );
}
