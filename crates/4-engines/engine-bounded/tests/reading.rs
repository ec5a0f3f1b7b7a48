//! What programs read: arguments of `main`, standard input; and jumps to where `setjmp` was called.

use crate::common::answers;

fn reached(text: &str, labels: &[&str]) {
    let found = answers(text, labels, None);
    for (label, found) in labels.iter().zip(found) {
        let expected = match label.as_bytes()[0] {
            b'R' => "reached",
            b'U' => "unreached",
            _ => "unknown incomplete",
        };
        assert_eq!(found, expected, "{label} in {text}");
    }
}

#[test]
fn strings_of_arguments() {
    reached(
        "int strcmp(const char *, const char *); unsigned long strlen(const char *);
         int main(int argc, char **argv) {
           if (argc != 3) return 1;
           if (strcmp(argv[1], \"-n\") == 0) { R0: if (argv[2][0] == (char)200 && argv[2][1] == 0) { R1: ; } }
           if (strlen(argv[2]) == 3 && argv[2][2] == 0) { N0: ; }
           if (argv[3]) { N1: ; }
           if (argv[0][0] == '.') { R2: ; }
           return 0;
         }",
        &["R0", "R1", "R2", "N0", "N1"],
    );
    reached(
        "int main(int argc, char **argv) {
           if (argc > 2) return 0;
           if (argc == 2 && argv[1][0] == 'k' && argv[1][1] == 'o') { R0: ; }
           if (argc == 2 && argv[1] == 0) { N0: ; }
           return 0;
         }",
        &["R0", "N0"],
    );
    reached(
        "int atoi(const char *);
         int main(int argc, char **argv) { if (argc == 2 && atoi(argv[1]) == -4711) { R0: ; } return 0; }",
        &["R0"],
    );
}

#[test]
fn the_programs_name_is_not_known() {
    let text = "int main(int argc, char **argv) { if (argc == 1 && argv[0][0] == 'x' && argv[0][1] == 0) { N0: ; } return 0; }";
    let found = answers(text, &["N0"], Some(80));
    assert!(found[0].starts_with("unknown"), "{found:?}");
}

#[test]
fn bytes_of_standard_input() {
    reached(
        "int getchar(void);
         int main(void) {
           int a = getchar(), b = getchar();
           if (a == 'o' && b == 'k') { R0: ; }
           if (a == -1 && b != -1) { U0: ; }
           if (a > 255 || a < -1) { U1: ; }
           if (a == 255 && b == -1) { R1: ; }
           return 0;
         }",
        &["R0", "R1", "U0", "U1"],
    );
    reached(
        "typedef struct f FILE; extern FILE *stdin; char *fgets(char *, int, FILE *); int feof(FILE *);
         int ungetc(int, FILE *); int fgetc(FILE *);
         int main(void) {
           char line[4];
           if (!fgets(line, 4, stdin)) { R0: return feof(stdin) ? 0 : 1; }
           if (line[0] == 'a' && line[1] == '\\n') { R1: if (line[2]) { U0: ; } }
           ungetc('z', stdin);
           if (fgetc(stdin) != 'z') { U2: ; }
           return 0;
         }",
        &["R0", "R1", "U0", "U2"],
    );
    reached(
        "long read(int, void *, unsigned long);
         int main(void) {
           char b[3];
           long n = read(0, b, 3);
           if (n == 2 && b[0] == 1 && b[1] == 2) { R0: ; }
           if (n > 3) { N0: ; }
           return 0;
         }",
        &["R0", "N0"],
    );
}

#[test]
fn numbers_in_standard_input() {
    reached(
        "int scanf(const char *, ...); int getchar(void);
         int main(void) {
           int x = 5, y; unsigned u; long l; char c, word[5];
           int n = scanf(\"%d\", &x);
           if (n != 1) { if (x != 5) { U0: ; } if (n == 0) { R0: ; } if (n == -1) { R1: ; } if (n > 0) { U1: ; } return 0; }
           if (x == -2147483647 - 1) { R2: ; }
           c = getchar();
           if (c >= '0' && c <= '9') { U2: ; }
           if (c == '-' && scanf(\"%d\", &y) == 1 && x == 12 && y == 34) { R3: ; }
           if (c == ':' && scanf(\"%u %lx\", &u, &l) == 2 && u == 4000000000u && l == 0xabcdef0123) { R4: ; }
           if (c == ',' && scanf(\"%4s%c\", word, &c) == 2 && word[0] == 'h' && word[3] == 'o' && c == 'p') { R5: ; }
           return 0;
         }",
        &["R0", "R1", "R2", "R3", "R4", "R5", "U0", "U1", "U2"],
    );
    reached(
        "int sscanf(const char *, const char *, ...);
         int main(void) {
           int a, b; char text[] = \" 12, -7x\";
           text[2] = (char)('0' + __VERIFIER_nondet_uchar() % 10);
           if (sscanf(text, \"%d,%d\", &a, &b) != 2) { U0: ; }
           if (a == 17 && b == -7) { R0: ; }
           if (a > 19) { U1: ; }
           return 0;
         }",
        &["R0", "U0", "U1"],
    );
}

#[test]
fn texts_that_are_written() {
    reached(
        "int sprintf(char *, const char *, ...); int snprintf(char *, unsigned long, const char *, ...);
         int strcmp(const char *, const char *);
         int main(void) {
           char b[24], s[6]; int x = __VERIFIER_nondet_int(); unsigned char c = __VERIFIER_nondet_uchar();
           int n = sprintf(b, \"%d\", c);
           if (n == 3 && b[0] == '2' && b[2] == '5' && b[1] != '1') { R0: ; }
           if (n > 3 || n < 1 || b[n]) { U0: ; }
           if (sprintf(b, \"[%04x|%-3c|%3s]\", 0xabcu, 'y', \"z\") != 14 || strcmp(b, \"[0abc|y  |  z]\")) { U1: ; }
           if (snprintf(s, sizeof s, \"%d\", x) == 11 && s[4] == '7' && s[5] == 0) { R1: ; }
           if (sprintf(b, \"%ld %hhd%%\", -5L, 257) != 5 || strcmp(b, \"-5 1%\") != 0) { U3: ; }
           return 0;
         }",
        &["R0", "R1", "U0", "U1", "U3"],
    );
}

const JUMPS: &str = "typedef long jmp_buf[25]; int setjmp(jmp_buf); void longjmp(jmp_buf, int);";

#[test]
fn jumps_to_active_functions() {
    reached(
        &format!(
            "{JUMPS} static jmp_buf b; static int depth;
             static void fail(int x) {{ depth++; if (x == 7) longjmp(b, 0); if (x > 100) longjmp(b, x); depth--; }}
             static void work(int x) {{ fail(x); fail(x - 1); }}
             int main(void) {{
               int x = __VERIFIER_nondet_int();
               volatile int tried = 0;
               int r = setjmp(b);
               if (r == 0) {{ tried = 1; work(x); if (x == 8 || x == 7) {{ U0: ; }} if (depth) {{ U1: ; }} R0: return 0; }}
               if (!tried) {{ U2: ; }}
               if (r == 1 && x == 8 && depth == 1) {{ R1: ; }}
               if (r == 101 && x != 101) {{ U3: ; }}
               if (r == 500) {{ R2: ; }}
               return 0;
             }}"
        ),
        &["R0", "R1", "R2", "U0", "U1", "U2", "U3"],
    );
    // Again and again, in a loop, and with a buffer of a function that has returned.
    reached(
        &format!(
            "{JUMPS} static jmp_buf b; static int n;
             int main(void) {{
               for (int i = 0; i < 2; i++) {{
                 if (setjmp(b) == 3) {{ R0: continue; }}
                 n++;
                 if (n < 3) longjmp(b, n);
                 longjmp(b, 3);
               }}
               if (n != 4) {{ U0: ; }}
               if (n == 4) {{ R1: ; }}
               return 0;
             }}"
        ),
        &["R0", "R1", "U0"],
    );
    reached(
        &format!(
            "{JUMPS} static jmp_buf b;
             static int set(void) {{ return setjmp(b); }}
             int main(void) {{ if (set()) {{ N0: ; }} longjmp(b, 1); return 0; }}"
        ),
        &["N0"],
    );
}
