//! C programs in the style of SMV, for the two rules of [c2edl §6.1] (`bop gen gc`).
//!
//! Functions work on diagrams, save and release them, call each other, in circles too, and now and
//! then collect garbage. Some make a mistake; which ones is known.

use std::io::{self, Write};

/// A program with diagrams. Functions have three variables for diagrams each; with `--rule
/// gc-variables`, of the functions whose number is divisible by `faulty` one variable dangles, and of
/// those where it leaves 1 one leaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collector {
    /// Variables of diagrams, at least 3; a multiple of 3.
    pub vars: u32,
    /// Program points, about.
    pub points: u32,
    /// Every so many functions one of each mistake is made; 0: none.
    pub faulty: u32,
    /// Different seeds give different programs.
    pub seed: u64,
}

const HEAD: &str = "\
typedef struct bdd *bdd_ptr;
bdd_ptr save_bdd(bdd_ptr d);
void release_bdd(bdd_ptr d);
void mygarbage(void);
bdd_ptr and_bdd(bdd_ptr a, bdd_ptr b);
bdd_ptr or_bdd(bdd_ptr a, bdd_ptr b);
bdd_ptr atomic_bdd(int level);
int size_bdd(bdd_ptr d);

";

impl Collector {
    /// How many functions there are.
    fn functions(&self) -> u32 {
        (self.vars / 3).max(1)
    }

    /// How many variables break each rule.
    pub fn mistakes(&self) -> (u32, u32) {
        if self.faulty == 0 {
            return (0, 0);
        }
        let made = |rest: u32| {
            (0..self.functions()).filter(|k| k % self.faulty == rest % self.faulty).count() as u32
        };
        (made(0), made(1))
    }

    /// Writes the program.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let n = self.functions();
        out.write_all(HEAD.as_bytes())?;
        for k in 0..n {
            writeln!(out, "static int f{k}(int n);")?;
        }
        let mut random = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move |below: u32| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 33) as u32 % below
        };
        // A block has about thirteen points.
        let blocks = (self.points / n / 13).max(1);
        for k in 0..n {
            let (dangles, leaks) = match self.faulty {
                0 => (false, false),
                every => (k % every == 0, k % every == 1 % every),
            };
            writeln!(out, "\nstatic int f{k}(int n)\n{{\n    bdd_ptr u, v, w;\n    int size = 0;")?;
            for block in 0..blocks {
                let other = next(n);
                let limit = next(100);
                match next(3) {
                    _ if block == 0 && dangles => write!(
                        out,
                        "    u = atomic_bdd(n);
    if (size_bdd(u) > {limit})
        mygarbage();
    v = save_bdd(or_bdd(u, u));
    size += size_bdd(v);
    release_bdd(v);
"
                    )?,
                    _ if block == 0 && leaks => write!(
                        out,
                        "    v = save_bdd(atomic_bdd(n));
    if (n > {limit}) {{
        size += size_bdd(v);
        release_bdd(v);
    }}
    v = save_bdd(atomic_bdd(n + 1));
    release_bdd(v);
    mygarbage();
"
                    )?,
                    0 => write!(
                        out,
                        "    u = save_bdd(atomic_bdd(n));
    while (n > {limit}) {{
        v = save_bdd(and_bdd(u, u));
        size += size_bdd(v);
        release_bdd(v);
        n--;
    }}
    mygarbage();
    size += size_bdd(u);
    release_bdd(u);
"
                    )?,
                    1 => write!(
                        out,
                        "    if (n > {limit}) {{
        w = save_bdd(atomic_bdd({limit}));
        size += f{other}(n - 1);
        size += size_bdd(w);
        release_bdd(w);
    }} else {{
        mygarbage();
    }}
"
                    )?,
                    _ => write!(
                        out,
                        "    v = save_bdd(atomic_bdd({limit}));
    w = save_bdd(or_bdd(v, v));
    if (size_bdd(w) > {limit})
        mygarbage();
    size += size_bdd(v);
    release_bdd(v);
    release_bdd(w);
"
                    )?,
                }
            }
            writeln!(out, "    return size;\n}}")?;
        }
        writeln!(out, "\nint main(int argc, char **argv)\n{{\n    int size = 0;")?;
        for k in 0..n {
            writeln!(out, "    size += f{k}(argc);")?;
        }
        writeln!(out, "    return size;\n}}")
    }
}
