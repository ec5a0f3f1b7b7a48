//! Program `doit()` of [c2edl Fig. 3] as in [c2edl Appendix A].

use front_c::export::{Encoding, counters, cout, edl, smv};
use front_c::{parse, skeleton};

const DOIT: &str = "# 1 \"doit.c\"
getmax() { int max, a; a = max = 0; do { if (a > max) max = a; a = input(); } while (a); return(max); }
doit() { int max; max = getmax(); }";

/// [c2edl Fig. A.1]
const COUT: &str = "\
getmax()
{
/* 0 */ a = /* 0 */ max = 0;
/* 1 */ do {
/* 2 */ if (a > max)
/* 4 */ max = a;
/* 5 */ /* push call */;
/* 6 */ a = input();
/* 7 */ } while (a);
/* 8 */ return max;
/* 9 */ return;
}
doit()
{
/* 10 */ /* push call */;
/* 11 */ max = getmax();
/* 12 */ return;
}
";

/// [c2edl Fig. A.2], its `%for` written out, a counter that is listed twice listed once, each in
/// parentheses, without the propositions of no variable; the use of `a` in `while (a)` at 7, where 1
/// is printed; and a return with an empty stack ends the program.
const EDL: &str = "\
var pc: 0..13;
assign init(pc) := 10;
assign next(pc) := case
    somereturn: returntowhere;
    pc=2:if pcaux=0 then 4 else 5 endif;
    pc=7:if pcaux=0 then 2 else 8 endif;
    pc=10:0;
    pc=13:13;
    else: if pcplusone > maxpc then maxpc else pcplusone endif;
esac;
define maxpc := 13;
define pcplusone := pc+1;
var pcaux: 0..2;
define nextpcnocall := case
    pc=2:if pcaux=0 then 4 else 5 endif;
    pc=7:if pcaux=0 then 2 else 8 endif;
    pc=13:13;
    else: if pcplusone > maxpc then maxpc else pcplusone endif;
esac;
var stackp: 0..6;
var stack_0: 0..13;
var stack_1: 0..13;
var stack_2: 0..13;
var stack_3: 0..13;
var stack_4: 0..13;
var stack_5: 0..13;
assign init(stackp) := 0;
assign next(stackp) := case
    somerealpushcall: if stackp=6 then 6 else stackp + 1 endif;
    somereturn: if stackp=0 then 0 else stackp - 1 endif;
    else: stackp;
esac;
invar stackp != 6;
var auxnondet: 0..13;
assign next(stack_0) := case
    somereturn & (stackp = 1): auxnondet;
    (0 != stackp) | !somerealpushcall: stack_0;
    else: nextpcnocall;
esac;
assign next(stack_1) := case
    somereturn & (stackp = 2): auxnondet;
    (1 != stackp) | !somerealpushcall: stack_1;
    else: nextpcnocall;
esac;
assign next(stack_2) := case
    somereturn & (stackp = 3): auxnondet;
    (2 != stackp) | !somerealpushcall: stack_2;
    else: nextpcnocall;
esac;
assign next(stack_3) := case
    somereturn & (stackp = 4): auxnondet;
    (3 != stackp) | !somerealpushcall: stack_3;
    else: nextpcnocall;
esac;
assign next(stack_4) := case
    somereturn & (stackp = 5): auxnondet;
    (4 != stackp) | !somerealpushcall: stack_4;
    else: nextpcnocall;
esac;
assign next(stack_5) := case
    somereturn & (stackp = 6): auxnondet;
    (5 != stackp) | !somerealpushcall: stack_5;
    else: nextpcnocall;
esac;
define stackpminus1 := if stackp = 0 then 0 else stackp - 1 endif;
define stackpplus1 := if stackp = 6 then 6 else stackp + 1 endif;
define returntowhere := case
    stackp=0: maxpc;
    stackpminus1=0: stack_0;
    stackpminus1=1: stack_1;
    stackpminus1=2: stack_2;
    stackpminus1=3: stack_3;
    stackpminus1=4: stack_4;
    stackpminus1=5: stack_5;
    else: 13;
esac;
define useof_a_getmax := (0|(pc=2)|(pc=4)|(pc=7));
define useof_max_doit := (0);
define useof_max_getmax := (0|(pc=2)|(pc=8));
define useastopparam_a_getmax := (0);
define useastopparam_max_doit := (0);
define useastopparam_max_getmax := (0);
define assignto_a_getmax := (0|(pc=0)|(pc=6));
define assignto_max_doit := (0|(pc=11));
define assignto_max_getmax := (0|(pc=0)|(pc=4));
define someassign := (0|(assignto_a_getmax)|(assignto_max_doit)|(assignto_max_getmax));
define callto_getmax := (0|(pc=11));
define callto_input := (0|(pc=6));
define callto_doit := (0);
define somerealcall := (0|(callto_getmax)|(callto_doit));
define somereturn := (0|(pc=8)|(pc=9)|(pc=12));
define somerealpushcall := (0|(pc=10));
";

/// Lines without blanks.
fn lines(text: &str) -> Vec<String> {
    let line = |l: &str| l.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    text.lines().map(line).filter(|l| !l.is_empty()).collect()
}

#[test]
fn doit_is_exported_as_in_the_appendix() {
    let s = skeleton(&[parse(DOIT)]);
    let c = counters(&s, "doit").expect("counters");
    assert_eq!(cout(&c), COUT);
    assert_eq!((c.entry, c.max), (10, 13));
    let (found, wanted) = (lines(&edl(&c, 5, Encoding::Int)), lines(EDL));
    for (i, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        assert_eq!(found, wanted, "line {i}");
    }
    assert_eq!(found.len(), wanted.len());
}

#[test]
fn counters_can_be_vectors_of_bits() {
    let s = skeleton(&[parse(DOIT)]);
    let c = counters(&s, "doit").expect("counters");
    let expected = [
        (
            edl(&c, 5, Encoding::Bits),
            vec![
                "var pc(0..3): boolean;",
                "assign init(pc(0..3)) := 10;",
                "pc(0..3)=2:if pcaux=0 then 4 else 5 endif;",
                "define pcplusone := pc(0..3)+1;",
                "var stack_5(0..3): boolean;",
                "define callto_input := (0|(pc(0..3)=6));",
            ],
        ),
        (
            smv(&c, 5, Encoding::Bits),
            vec![
                "MODULE main",
                "VAR pc : unsigned word[4];",
                "ASSIGN init(pc) := 0ud4_10;",
                "pc=0ud4_2:(pcaux=0 ? 0ud4_4 : 0ud4_5);",
                "INVAR stackp != 6;",
                "DEFINE callto_input := (FALSE|(pc=0ud4_6));",
            ],
        ),
        (
            smv(&c, 2, Encoding::Int),
            vec!["VAR pc : 0..13;", "VAR stackp : 0..3;", "pc=2:(pcaux=0 ? 4 : 5);"],
        ),
    ];
    for (text, lines) in expected {
        for line in lines {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
    }
}
