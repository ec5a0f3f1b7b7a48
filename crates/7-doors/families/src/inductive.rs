//! Programs that reach more states than anybody enumerates, and hold for a short reason.

use crate::list;
use std::io::{self, Write};

/// One more than the number in `name`, or one less; around at the end.
fn count(name: &str, bits: u32, up: bool, indent: &str, out: &mut dyn Write) -> io::Result<()> {
    let (not, here, below) = if up { ("!", "1", "0") } else { ("", "0", "1") };
    for i in 0..bits {
        let word = if i == 0 { "if" } else { "elsif" };
        let targets = list(i + 1, ", ", |j| format!("{name}{j}"));
        let values = list(i + 1, ", ", |j| if j == i { here } else { below }.to_owned());
        writeln!(out, "{indent}{word} ({not}{name}{i}) then")?;
        writeln!(out, "{indent}  {targets} := {values};")?;
    }
    let targets = list(bits, ", ", |j| format!("{name}{j}"));
    writeln!(out, "{indent}else")?;
    writeln!(out, "{indent}  {targets} := {};", list(bits, ", ", |_| below.to_owned()))?;
    writeln!(out, "{indent}fi")
}

/// Two counters, one after the other moved by one, any number of times.
pub(crate) fn lockstep(bits: u32, bug: bool, out: &mut dyn Write) -> io::Result<()> {
    for name in ["x", "y"] {
        writeln!(out, "decl {};", list(bits, ", ", |i| format!("{name}{i}")))?;
    }
    writeln!(out, "\nvoid main() begin")?;
    for name in ["x", "y"] {
        let all = list(bits, ", ", |i| format!("{name}{i}"));
        writeln!(out, "  {all} := {};", list(bits, ", ", |_| "0".to_owned()))?;
    }
    writeln!(out, "  while (*) do")?;
    count("x", bits, true, "    ", out)?;
    if bug {
        writeln!(out, "    if (*) then\n      skip;\n    else")?;
    }
    count("y", bits, true, "    ", out)?;
    if bug {
        writeln!(out, "    fi")?;
    }
    writeln!(out, "  od")?;
    let same = list(bits, " & ", |i| format!("(x{i} = y{i})"));
    writeln!(out, "  if (!({same})) then\n    APART: skip;\n  fi")?;
    writeln!(out, "  assert({same});\nend")
}

/// Two feedback shift registers with the same contents, shifted together any number of times.
pub(crate) fn register(bits: u32, bug: bool, out: &mut dyn Write) -> io::Result<()> {
    for name in ["s", "t"] {
        writeln!(out, "decl {};", list(bits, ", ", |i| format!("{name}{i}")))?;
    }
    writeln!(out, "\nvoid main() begin")?;
    for name in ["s", "t"] {
        let all = list(bits, ", ", |i| format!("{name}{i}"));
        let first = list(bits, ", ", |i| u32::from(i == 0).to_string());
        writeln!(out, "  {all} := {first};")?;
    }
    writeln!(out, "  while (*) do")?;
    for name in ["s", "t"] {
        let all = list(bits, ", ", |i| format!("{name}{i}"));
        let taps = [bits - 1, bits / 2, bits / 3].map(|i| format!("{name}{i}")).join(" ^ ");
        let fed = if bug && name == "t" { format!("({taps}) | *") } else { taps };
        let moved = list(bits, ", ", |i| match i {
            0 => fed.clone(),
            _ => format!("{name}{}", i - 1),
        });
        writeln!(out, "    {all} := {moved};")?;
    }
    let last = bits - 1;
    writeln!(out, "  od\n  if (s{last} != t{last}) then\n    APART: skip;\n  fi")?;
    writeln!(out, "  assert(s{last} = t{last});\nend")
}

/// A procedure that counts up, calls itself, and counts down again, as deep as the counter goes.
pub(crate) fn depth(bits: u32, bug: bool, out: &mut dyn Write) -> io::Result<()> {
    let all = list(bits, ", ", |i| format!("c{i}"));
    let locals = list(bits, ", ", |i| format!("l{i}"));
    writeln!(out, "decl {all};\n\nvoid deeper() begin\n  decl {locals};")?;
    let not_full = list(bits, " | ", |i| format!("!c{i}"));
    writeln!(out, "  if ({not_full}) then\n    if (*) then\n      {locals} := {all};")?;
    count("c", bits, true, "      ", out)?;
    writeln!(out, "      deeper();")?;
    if bug {
        writeln!(out, "      if (*) then\n        skip;\n      else")?;
    }
    count("c", bits, false, "      ", out)?;
    if bug {
        writeln!(out, "      fi")?;
    }
    let same = list(bits, " & ", |i| format!("(c{i} = l{i})"));
    writeln!(out, "      if (!({same})) then\n        APART: skip;\n      fi")?;
    writeln!(out, "      assert({same});\n    fi\n  fi\nend\n")?;
    writeln!(out, "void main() begin")?;
    writeln!(out, "  {all} := {};\n  deeper();", list(bits, ", ", |_| "0".to_owned()))?;
    writeln!(out, "  assert({});\nend", list(bits, " & ", |i| format!("!c{i}")))
}
