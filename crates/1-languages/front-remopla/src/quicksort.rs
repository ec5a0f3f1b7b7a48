//! Quicksort in Remopla, after [moped Fig. 2] (`bop gen quicksort`).
//!
//! **The fault** of the program of Fig. 2 is that it need not end: where no element exceeds the pivot, it
//! calls itself with the same bounds. An array that comes out is sorted all the same. The corrected program,
//! which Fig. 3 and 4 measure, has one more variable: in `eq` begin the cells that equal the pivot, so that
//! both calls get a shorter part and every run ends. A run never comes to `BAD`, and every run comes to
//! `END`.
//!
//! **Correctness** asks whether the array can be unsorted at the end (label `BAD`).
//!
//! **Termination** does not depend on the array: [`Options::no_array`] leaves it out, and comparisons
//! with it become choices. The corrected version keeps the pivot out of both halves, in a variable
//! `eq` of its own.

use std::fmt::Write;

/// Which program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// As in the figure: it need not end.
    pub faulty: bool,
    /// Any element can be the pivot, not only the last. It makes a difference only with an array.
    pub random_pivot: bool,
    /// Leave out the array, for termination.
    pub no_array: bool,
}

/// The program: integers of `bits` bits, an array of `len` cells.
///
/// ```
/// use front_remopla::quicksort::{Options, quicksort};
///
/// let text = quicksort(3, 4, Options::default());
/// assert!(text.contains("int a[4](3);"));
/// let (_, errors) = front_remopla::parse(&text);
/// assert!(errors.is_empty());
/// ```
pub fn quicksort(bits: u32, len: u32, options: Options) -> String {
    if options.no_array {
        termination(bits, options.faulty)
    } else {
        correctness(bits, len, options)
    }
}

fn correctness(n: u32, m: u32, options: Options) -> String {
    let last = m.saturating_sub(1);
    let Options { faulty, random_pivot, .. } = options;
    let eq = if faulty && !random_pivot { String::new() } else { format!("\n  int eq({n});") };
    // Where the cells equal to the pivot begin.
    let begins = if faulty { "" } else { ", eq = left" };
    let pivot = match random_pivot {
        true => format!(
            "eq = undef;\n  skip(left <= eq && eq <= right);\n  \
             piv = a[eq], a[eq] = a[right], a[right] = a[eq], lo = left, hi = right{begins};"
        ),
        false => format!("piv = a[right], lo = left, hi = right{begins};"),
    };
    let (smaller, calls) = match faulty {
        true => (" lo = lo + 1;", "  quicksort(left, hi);\n"),
        false => (
            "
            if
              :: a[lo] < piv -> a[eq] = a[lo], a[lo] = a[eq]; eq = eq + 1;
              :: else -> skip;
            fi
            lo = lo + 1;",
            "  if
    :: left < eq -> quicksort(left, eq - 1);
    :: else -> skip;
  fi
",
        ),
    };
    let mut out = format!(
        "define DEFAULT_INT_BITS {n}
int a[{m}]({n});
init main;
module void quicksort(int left({n}), int right({n})) {{
  int lo({n});
  int hi({n});
  int piv({n});{eq}
  if
    :: left >= right -> return;
    :: else -> skip;
  fi
  {pivot}
  do
    :: lo <= hi ->
       if
         :: a[hi] > piv -> hi = hi - 1;
         :: else -> a[lo] = a[hi], a[hi] = a[lo];{smaller}
       fi
    :: else -> break;
  od
{calls}  quicksort(lo, right);
}}
module void main() {{
  quicksort(0, {last});
  if

"
    );
    for i in 0..last {
        _ = writeln!(out, "    :: a[{i}] > a[{}] -> goto BAD;", i + 1);
    }
    out.push_str("    :: else -> goto END;\n  fi\n  BAD: skip;\n  END: goto END;\n}\n");
    out
}

fn termination(n: u32, faulty: bool) -> String {
    let head = format!(
        "define DEFAULT_INT_BITS {n}
init main;
module void quicksort(int left({n}), int right({n})) {{
  int lo({n});
  int hi({n});
"
    );
    let body = if faulty {
        "  if
    :: left >= right -> return;
    :: else -> skip;
  fi
  lo = left, hi = right;
  do
    :: lo <= hi ->
       if
         :: true -> hi = hi - 1;
         :: true -> lo = lo + 1;
       fi
    :: else -> break;
  od
  quicksort(left, hi);
  quicksort(lo, right);
}
"
        .to_string()
    } else {
        format!(
            "  int eq({n});
  if
    :: left >= right -> return;
    :: else -> skip;
  fi
  lo = left, hi = right;
  do
    :: lo < hi ->
       if
         :: true -> hi = hi - 1;
         :: true -> lo = lo + 1;
       fi
    :: else -> break;
  od
  eq = lo;
  if
    :: left < eq -> quicksort(left, eq - 1);
    :: else -> skip;
  fi
  if
    :: eq < right -> quicksort(eq + 1, right);
    :: else -> skip;
  fi
}}
"
        )
    };
    head + &body + "module void main() {\n  quicksort(undef, undef);\n  END: skip;\n}\n"
}
