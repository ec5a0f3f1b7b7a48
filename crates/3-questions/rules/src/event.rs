//! Events about values, as rules write them.

use crate::pattern::Pattern;
use crate::rule::Comparison;
use std::fmt;

/// An event as a rule writes it: `call(free, p)`, `return`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Atom {
    pub(crate) word: String,
    pub(crate) arguments: Vec<String>,
}

impl Atom {
    /// Reads what the author of a rule wrote.
    pub(crate) fn parse(text: &str) -> Atom {
        let end = text.find('(').unwrap_or(text.len());
        let (word, inside) = text.split_at(end);
        let inside = inside.strip_prefix('(').unwrap_or("");
        let inside = inside.strip_suffix(')').unwrap_or(inside);
        let arguments = inside.split(',').map(str::trim).filter(|a| !a.is_empty());
        Atom { word: word.trim().to_owned(), arguments: arguments.map(str::to_owned).collect() }
    }

    /// The names of the functions that it is about.
    pub(crate) fn functions(&self) -> Option<&str> {
        let about = matches!(self.word.as_str(), "call" | "arg" | "result" | "out");
        self.arguments.first().filter(|_| about).map(String::as_str)
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.arguments.is_empty() {
            true => f.write_str(&self.word),
            false => write!(f, "{}({})", self.word, self.arguments.join(", ")),
        }
    }
}

/// A step from an object to a part of it, to what it points to, or to its address. `p->f` is
/// `[Deref, Field(f)]`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Link {
    /// `*p`
    Deref,
    /// `s.f`
    Field(String),
    /// `&x`
    Address,
}

/// An event about the value that a rule follows; `p` stands for the value, or for a part of what it
/// points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// `call(f)`
    Call(Pattern),
    /// `call(f, p)`: as an argument, or as the result
    CallOn(Pattern, Vec<Link>),
    /// `arg(f, n, p)`; without a number, any argument
    Arg(Pattern, Option<usize>, Vec<Link>),
    /// `result(f, p)`
    Result(Pattern),
    /// `out(f, n, p)`: `f` stores the value through its argument
    Out(Pattern, usize),
    /// `pass(p)`: an argument of a function without a body
    Pass(Vec<Link>),
    /// `use(p)`
    Use(Vec<Link>),
    /// `deref(p)`
    Deref(Vec<Link>),
    /// `return(p)`
    ReturnOf,
    /// `return`
    Return,
    /// `exit`: the program ends, or the function that it starts with returns
    Exit,
    /// `lost(p)`: nothing holds the value any more
    Lost,
    /// `escape(p)`: the value goes somewhere that is not followed
    Escape,
    /// `new(p)`: the value is the address of a variable, which comes into being here
    New,
    /// `failed`: a function that the rule calls fallible fails here
    Failed,
    /// `arg(f, n, 0)`: an argument is written as this number
    Constant(Pattern, usize, i64),
    /// `owned(p)`: a member that owns what it points to holds the value, since before the function was called
    Owned,
    /// `ignored(p)`: the value was a result, and nobody took it
    Ignored,
    /// `test(p == 0)`: a way out of a branch on which it was found out that the value compares so
    Test(Comparison, i64),
}

impl Event {
    /// The event that an atom is; `Err` is what is wrong with it.
    pub(crate) fn of(atom: &Atom, variable: &str) -> Result<Event, String> {
        let args: Vec<&str> = atom.arguments.iter().map(String::as_str).collect();
        let subject = |text: &str| {
            subject(text, variable).ok_or(format!("expected `{variable}` or a part of it"))
        };
        let plain = |text: &str| match text == variable {
            true => Ok(()),
            false => Err(format!("expected `{variable}`")),
        };
        let number = |text: &str| match text.parse::<usize>() {
            Ok(n) if n > 0 => Ok(n),
            _ => Err("expected the number of an argument, from 1".to_owned()),
        };
        Ok(match (atom.word.as_str(), &args[..]) {
            ("call", [f]) => Event::Call(Pattern::new(f)),
            ("call", [f, p]) => Event::CallOn(Pattern::new(f), subject(p)?),
            ("arg", [f, p]) => Event::Arg(Pattern::new(f), None, subject(p)?),
            ("arg", [f, n, k]) if constant(k).is_some() => {
                Event::Constant(Pattern::new(f), number(n)?, constant(k).unwrap_or_default())
            }
            ("arg", [f, n, p]) => Event::Arg(Pattern::new(f), Some(number(n)?), subject(p)?),
            ("result", [f, p]) => {
                plain(p)?;
                Event::Result(Pattern::new(f))
            }
            ("out", [f, n, p]) => {
                plain(p)?;
                Event::Out(Pattern::new(f), number(n)?)
            }
            ("pass", [p]) => Event::Pass(subject(p)?),
            ("use", [p]) => Event::Use(subject(p)?),
            ("deref", [p]) => Event::Deref(subject(p)?),
            ("return", [p]) => {
                plain(p)?;
                Event::ReturnOf
            }
            ("return", []) => Event::Return,
            ("exit", []) => Event::Exit,
            ("lost", [p]) => {
                plain(p)?;
                Event::Lost
            }
            ("escape", [p]) => {
                plain(p)?;
                Event::Escape
            }
            ("new", [p]) => {
                plain(p)?;
                Event::New
            }
            ("failed", []) => Event::Failed,
            ("owned", [p]) => {
                plain(p)?;
                Event::Owned
            }
            ("ignored", [p]) => {
                plain(p)?;
                Event::Ignored
            }
            ("test", [text]) => {
                let at = text.find(['=', '!', '<', '>']).unwrap_or(text.len());
                plain(text[..at].trim())?;
                let bad = || "expected a comparison with a number".to_owned();
                let (comparison, length) = Comparison::parse(&text[at..]).ok_or_else(bad)?;
                let number = constant(text[at + length..].trim()).ok_or_else(bad)?;
                Event::Test(comparison, number)
            }
            _ => return Err(format!("no event `{atom}` of values")),
        })
    }

    /// Whether it is about the value itself, and not about a part of what it points to.
    pub(crate) fn is_about_whole(&self) -> bool {
        match self {
            Event::CallOn(_, links)
            | Event::Arg(_, _, links)
            | Event::Pass(links)
            | Event::Use(links)
            | Event::Deref(links) => links.is_empty() || links[..] == [Link::Address],
            _ => true,
        }
    }

    /// The functions that it names.
    pub(crate) fn pattern(&self) -> Option<&Pattern> {
        match self {
            Event::Call(f)
            | Event::CallOn(f, _)
            | Event::Arg(f, ..)
            | Event::Result(f)
            | Event::Constant(f, ..)
            | Event::Out(f, _) => Some(f),
            _ => None,
        }
    }
}

/// A number, or `NULL`.
fn constant(text: &str) -> Option<i64> {
    if text == "NULL" { Some(0) } else { text.parse().ok() }
}

/// `p`, `&p->lock`, `*p`, `p.f`: the links from the metavariable.
fn subject(text: &str, variable: &str) -> Option<Vec<Link>> {
    let (mut text, mut prefixes) = (text.trim(), Vec::new());
    while let Some(rest) = text.strip_prefix(['&', '*']) {
        prefixes.push(if text.starts_with('&') { Link::Address } else { Link::Deref });
        text = rest.trim_start();
    }
    let mut rest = text.strip_prefix(variable)?;
    let mut links = Vec::new();
    while !rest.is_empty() {
        let arrow = rest.starts_with("->");
        rest = rest.strip_prefix("->").or_else(|| rest.strip_prefix('.'))?.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        if arrow {
            links.push(Link::Deref);
        }
        links.push(Link::Field(rest[..end].to_owned()));
        rest = rest[end..].trim_start();
    }
    links.extend(prefixes.into_iter().rev());
    Some(links)
}
