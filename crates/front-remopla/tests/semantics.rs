//! Each sentence about the meaning of Remopla, on two engines that must agree.

mod support;

use support::{check, check_main};

#[test]
fn arithmetic_is_exact() {
    check_main("int x(2);", "x = 3; skip(x + 1 > 3); Y: skip;");
    check_main("int x(2);", "x = 1; skip(x - 2 + 2 == x); Y: skip; skip(x - 2 < 0); Y2: skip;");
    check_main("int x(2);", "x = 3; skip(x * x * x == 27); Y: skip; skip(x * x > 9); N: skip;");
    check_main("int x(3);", "x = 7; skip((x + 7) / 2 == 7); Y: skip;");
    check_main("int x(3);", "x = 5; skip((x << 4) == 80); Y: skip; skip((x >> 1) == 2); Y2: skip;");
    check_main(
        "int x(4);",
        "x = 12; skip((x & 10) == 8 && (x | 3) == 15 && (x ^ 10) == 6); Y: skip;",
    );
    check_main("int x(2);", "x = 0; skip(x - 1 == x - 1); Y: skip; skip(x - 1 >= 0); N: skip;");
}
