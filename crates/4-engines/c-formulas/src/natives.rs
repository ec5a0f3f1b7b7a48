//! Functions of the library, and inputs.

use crate::execute::{Executor, Path, Refusal, Slot};
use crate::flow;
use crate::terms::{Op, Term};
use c_data::{FuncId, LocalId};
use c_types::Ty;

/// Whether a run goes on after a call, or goes on in a model of the library.
pub(crate) struct Went {
    pub(crate) on: bool,
    pub(crate) model: Option<FuncId>,
}

const ON: Went = Went { on: true, model: None };
const OVER: Went = Went { on: false, model: None };

impl Executor<'_> {
    /// A call of a function without a body.
    pub(crate) fn native(
        &mut self,
        path: &mut Path,
        f: FuncId,
        args: &[(Term, bool)],
        result: Option<LocalId>,
    ) -> Result<Went, Refusal> {
        let function = self.function(f);
        let name = function.name.as_str();
        let pointer = u32::from(self.program.types.model().pointer);
        let input = name.strip_prefix("__VERIFIER_nondet_").or_else(|| {
            let rest = name.strip_prefix("__bop_result_")?;
            Some(rest.split_once("__")?.0)
        });
        if let Some(kind) = input {
            let Some((bits, signed)) = width(kind, pointer) else {
                return self.unknown(path, name, result);
            };
            let value = self.terms.fresh("input", bits);
            self.give(path, result, value, signed);
            return Ok(ON);
        }
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let arg = |i: usize| args.get(i).map(|a| a.0);
        // What prints may fail, and says so in `errno`.
        let prints = plain.contains("print") || plain.contains("put") || plain == "fflush";
        if prints && self.program.errno().is_some() {
            return self.unknown(path, name, result);
        }
        match plain {
            "exit"
            | "__bop_exit"
            | "abort"
            | "trap"
            | "_exit"
            | "_Exit"
            | "quick_exit"
            | "__bop_signal"
            | "__assert_fail"
            | "__assert"
            | "__assert_func"
            | "__assert_rtn"
            | "__assert_perror_fail"
            | "__VERIFIER_error"
            | "reach_error" => return Ok(OVER),
            "__VERIFIER_assume" => {
                if let Some(value) = arg(0) {
                    let holds = self.terms.is_true(value);
                    path.conditions.push(holds);
                }
            }
            "malloc" | "calloc" => {
                let Some(mut size) = arg(0) else { return self.unknown(path, name, result) };
                size = self.terms.resized(size, pointer, false);
                if let ("calloc", Some(count)) = (plain, arg(1)) {
                    let count = self.terms.resized(count, pointer, false);
                    size = self.terms.op(Op::Mul, size, count);
                }
                let address = self.allocate(path, size);
                if plain == "calloc" {
                    let Some(size) = self.terms.value(size) else {
                        if !self.coarse {
                            return Err("`calloc` of a size that is not written down".to_owned());
                        }
                        self.give(path, result, address, false);
                        return Ok(ON);
                    };
                    self.fill(path, address, 0, size as u64)?;
                }
                self.give(path, result, address, false);
            }
            "free" | "cfree" => {}
            "memcpy" | "memmove" | "memset" => {
                let (Some(to), Some(second), Some(size)) = (arg(0), arg(1), arg(2)) else {
                    return self.unknown(path, name, result);
                };
                let known = self.terms.value(size).map(|n| n as u64).filter(|n| *n <= 64);
                match (plain, known, self.terms.value(second)) {
                    ("memset", Some(size), Some(byte)) => self.fill(path, to, byte as u8, size)?,
                    ("memcpy" | "memmove", Some(size), _) => self.copy(path, to, second, size)?,
                    _ if self.coarse => {}
                    _ => {
                        let model = flow::model(self.program, function);
                        return match model {
                            Some(_) => Ok(Went { on: true, model }),
                            None => self.unknown(path, name, result),
                        };
                    }
                }
                self.give(path, result, to, false);
            }
            _ if name.ends_with("printf") && self.program.counts_printed() => {
                return self.unknown(path, name, result);
            }
            "printf" | "fprintf" | "puts" | "putchar" | "putc" | "fputc" | "fputs" | "fflush"
            | "vprintf" | "vfprintf" | "putchar_unlocked" | "__printf" | "_IO_putc" => {
                let any = self.terms.fresh("printed", 32);
                self.give(path, result, any, true);
            }
            "rand" | "random" => {
                let any = self.terms.fresh("random", 31);
                self.give(path, result, any, false);
            }
            "setvbuf" | "setbuf"
                if arg(1).is_none_or(|array| self.terms.value(array) != Some(0)) =>
            {
                return self.unknown(path, name, result);
            }
            "srand" | "srandom" | "setvbuf" | "setbuf" => {
                let zero = self.terms.number(32, 0);
                self.give(path, result, zero, false);
            }
            _ => return self.unknown(path, name, result),
        }
        Ok(ON)
    }

    fn unknown(
        &mut self,
        path: &mut Path,
        name: &str,
        result: Option<LocalId>,
    ) -> Result<Went, Refusal> {
        let what = match name {
            "__bop_outside" => {
                "a function without a body could change what it gets the address of, or variables \
                 of other files"
                    .to_owned()
            }
            "__bop_compiler" => "something depends on what the compiler finds out".to_owned(),
            name => format!("`{name}` has no body here"),
        };
        let any = self.beyond(what, 128)?;
        self.give(path, result, any, false);
        // It may change static variables that other files see.
        for slot in 0..self.memory {
            let Slot { name, bits } = self.globals[slot].clone();
            path.global[slot] = self.terms.fresh(&name, bits);
        }
        Ok(ON)
    }

    fn give(&mut self, path: &mut Path, result: Option<LocalId>, value: Term, signed: bool) {
        let Some(local) = result else { return };
        let own = &self.own[path.function.index()];
        if let Some(slot) = own.local(local) {
            let bits = own.slots[slot].bits;
            path.own[slot] = self.terms.resized(value, bits, signed);
        }
    }

    /// Keeps a value where a local lies in memory.
    pub(crate) fn keep(&mut self, path: &mut Path, address: Term, value: Term, ty: Ty) {
        let bits = 8 * self.program.types.size(ty).unwrap_or(0) as u32;
        let word = self.terms.resized(value, bits, self.class(ty).signed);
        self.write(path, address, word);
    }
}

/// Whether it is known what a function without a body does to static variables: nothing.
pub(crate) fn knows(name: &str) -> bool {
    const NAMES: [&str; 44] = [
        "exit",
        "__bop_exit",
        "abort",
        "trap",
        "_exit",
        "_Exit",
        "quick_exit",
        "__bop_signal",
        "__assert_fail",
        "__assert",
        "__assert_func",
        "__assert_rtn",
        "__assert_perror_fail",
        "__VERIFIER_error",
        "reach_error",
        "__VERIFIER_assume",
        "malloc",
        "calloc",
        "free",
        "cfree",
        "memcpy",
        "memmove",
        "memset",
        "printf",
        "fprintf",
        "puts",
        "putchar",
        "putc",
        "fputc",
        "fputs",
        "fflush",
        "vprintf",
        "vfprintf",
        "putchar_unlocked",
        "__printf",
        "_IO_putc",
        "rand",
        "random",
        "srand",
        "srandom",
        "setvbuf",
        "setbuf",
        "strlen",
        "__bop_compiler",
    ];
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let input = name.starts_with("__VERIFIER_nondet_") || name.starts_with("__bop_result_");
    input || NAMES.contains(&plain)
}

/// The bits of an input, and whether it has a sign.
fn width(kind: &str, pointer: u32) -> Option<(u32, bool)> {
    Some(match kind {
        "bool" | "_Bool" => (1, false),
        "char" => (8, true),
        "uchar" | "unsigned_char" | "u8" => (8, false),
        "short" => (16, true),
        "ushort" | "unsigned_short" | "u16" => (16, false),
        "int" => (32, true),
        "uint" | "unsigned" | "unsigned_int" | "u32" => (32, false),
        "long" => (pointer, true),
        "ulong" | "unsigned_long" | "size_t" | "pointer" | "charp" | "loff_t" => (pointer, false),
        "longlong" | "S64" => (64, true),
        "ulonglong" | "u64" | "U64" => (64, false),
        _ => return None,
    })
}
