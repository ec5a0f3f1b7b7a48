//! The tests of `syntax`, on a language of words between commas.

use source::{Diagnostic, SourceFile, Span};
use syntax::{
    Chars, Cursor, Explain, ExprId, Language, List, MAX_ERRORS, Mistake, Name, Nodes, ParseError,
    Stmt, Symbol, Token, Tokens, digits, listed, word_len,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Word,
    Number,
    End,
    Comma,
    Comment,
    Unknown,
    Eof,
}

/// What can be wrong: nothing but what can be in all languages.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum Wrong {
    #[error(transparent)]
    Common(#[from] Mistake),
}

impl Explain for Wrong {
    fn code(&self, language: Language) -> &'static str {
        let Wrong::Common(mistake) = self;
        mistake.code(language)
    }

    fn explain(&self, language: Language, out: Diagnostic) -> Diagnostic {
        let Wrong::Common(mistake) = self;
        mistake.explain(language, out)
    }
}

struct Words<'t>(Chars<'t>);

impl<'t> Tokens<'t> for Words<'t> {
    type Kind = Kind;
    type Error = Wrong;
    const END: Kind = Kind::Eof;
    const UNKNOWN: Kind = Kind::Unknown;

    fn new(text: &'t str) -> Self {
        Words(Chars::new(text))
    }

    fn next(&mut self) -> Token<Kind> {
        if let Some(span) = self.0.skip_blanks(b"#") {
            return Token { kind: Kind::Comment, span };
        }
        let rest = self.0.rest();
        let (kind, len) = match rest {
            [] => (Kind::Eof, 0),
            [b'0'..=b'9', ..] => (Kind::Number, digits(rest)),
            [b'a'..=b'z', ..] => match word_len(rest, b".") {
                3 if rest.starts_with(b"end") => (Kind::End, 3),
                len => (Kind::Word, len),
            },
            [b',', ..] => (Kind::Comma, 1),
            _ => (Kind::Unknown, self.0.unknown()),
        };
        self.0.token(kind, len)
    }

    fn stop(&mut self) {
        self.0.stop();
    }

    fn is_reserved(kind: Kind) -> bool {
        kind == Kind::End
    }

    fn wrong(kind: Kind, _: &str) -> Option<Wrong> {
        (kind == Kind::Comment).then(|| Mistake::UnclosedComment.into())
    }
}

fn cursor(text: &str) -> Cursor<'_, Words<'_>> {
    Cursor::new(text, Language::Bp).unwrap()
}

/// The errors as people see them: first lines, notes and help.
fn shown(text: &str, errors: &[ParseError<Wrong>]) -> String {
    let file = SourceFile::new("f", text).unwrap();
    let all: String = errors.iter().map(|e| source::render(&e.into(), &file)).collect();
    let keep = |line: &&str| line.starts_with("error") || line.trim().starts_with("= ");
    all.lines().filter(keep).map(str::trim).collect::<Vec<_>>().join("; ")
}

#[test]
fn tokens() {
    assert_eq!(
        listed::<Words<'_>>("\u{feff}a.b 12c,é// x\n#y\nend/*z*/d"),
        "Word a.b, Number 12, Word c, Comma ,, Unknown é, End end, Word d"
    );
    assert_eq!(listed::<Words<'_>>("a /* b */ /*/ c"), "Word a, Comment /*");
    assert_eq!(listed::<Words<'_>>(""), "");
}

#[test]
fn one_error_for_one_place() {
    let text = "end";
    let mut cursor = cursor(text);
    cursor.expected("a name");
    cursor.expected("an expression");
    assert_eq!(shown(text, &cursor.errors), "error[bp-expected]: expected a name, found `end`");
    assert!(matches!(
        cursor.errors[0].kind,
        Wrong::Common(Mistake::Expected { keyword: true, .. })
    ));
    cursor.also_unclosed("`if`", Span::new(0, 3), "`fi`");
    assert_eq!(cursor.errors.len(), 2);
    assert_eq!(cursor.errors[1].diagnostic().help.as_deref(), Some("write `fi` here"));
}

#[test]
fn a_comment_that_hides_the_rest_is_the_last_error() {
    let text = "a, /* b";
    let mut cursor = cursor(text);
    assert!(cursor.eat(Kind::Word) && cursor.eat(Kind::Comma));
    cursor.expected("a name");
    cursor.bump();
    cursor.expected("a name");
    assert_eq!(shown(text, &cursor.errors), "error[bp-unclosed]: comment `/*` is not closed");
}

#[test]
fn too_many_errors_end_the_text() {
    let text = "? ".repeat(2 * MAX_ERRORS);
    let mut cursor = cursor(&text);
    let mut steps = 0;
    while !cursor.at(Kind::Eof) {
        cursor.expected("a name");
        cursor.bump();
        steps += 1;
    }
    assert_eq!((cursor.errors.len(), steps), (MAX_ERRORS + 1, MAX_ERRORS + 1));
    let last = cursor.errors.last().unwrap();
    assert_eq!(last.kind, Mistake::TooManyErrors.into());
}

#[test]
fn going_on_behind_an_error() {
    let text = "a ? b\n, /* c";
    let mut cursor = cursor(text);
    cursor.skip_to(|kind| kind == Kind::Comma);
    assert!(cursor.errors.is_empty() && cursor.on_new_line());
    cursor.skip_to(|_| false);
    assert_eq!(shown(text, &cursor.errors), "error[bp-unclosed]: comment `/*` is not closed");
    assert!(cursor.at(Kind::Eof));
}

#[test]
fn long_tokens_are_cut() {
    let text = "a ".to_string() + &"x".repeat(60);
    let mut cursor = cursor(&text);
    cursor.bump();
    cursor.missing_semicolon();
    let shown = cursor.errors[0].to_string();
    assert_eq!(shown, format!("expected `;`, found `{}…`", "x".repeat(40)));
}

type Tree = Nodes<(Symbol, Option<ExprId>), ExprId>;

#[test]
fn trees_keep_names_once_and_lists_apart() {
    let mut tree = Tree::default();
    let [x, y, again] = ["x", "y", "x"].map(|text| tree.intern(text));
    assert_eq!((x, tree.symbol("y"), tree.symbol_count()), (again, Some(y), 2));
    let name = |symbol| Name { symbol, span: Span::default() };
    let one = tree.add_names([name(x)]);
    let two = tree.add_names([name(y), name(x)]);
    let none = tree.add_names([]);
    let texts = |list: List<Name>| -> Vec<&str> {
        tree.names(list).iter().map(|name| tree.text(name.symbol)).collect()
    };
    assert_eq!((texts(one), texts(two), none.is_empty()), (vec!["x"], vec!["y", "x"], true));
    assert_eq!(tree.names(List::EMPTY).len(), 0);
    let mut out = String::new();
    syntax::print::names(&mut out, &tree, two, ", ");
    assert_eq!(out, "y, x");
}

/// A tree as languages have it: nodes, and what the program consists of.
struct Program(Tree, Vec<ExprId>);

impl std::ops::Deref for Program {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.0
    }
}

/// `depth` names, each inside the next one.
fn nested(text: &str, depth: u32) -> Program {
    let mut tree = Tree::default();
    let (symbol, mut inner) = (tree.intern(text), None);
    for i in 0..depth {
        inner = Some(tree.add_expr((symbol, inner), Span::new(i, i)));
    }
    let stmts = inner.map(|kind| Stmt { labels: List::EMPTY, kind, span: Span::default() });
    stmts.into_iter().for_each(|stmt| _ = tree.add_stmt(stmt));
    Program(tree, inner.into_iter().collect())
}

#[test]
fn depth_is_compared_without_recursion() {
    let equal = |a: &Program, b: &Program| {
        let mut pairs = syntax::Pairs::new(a, b);
        let mut equal = pairs.each(&a.1, &b.1, |pairs, a, b| pairs.expr(a, b));
        while equal && let Some(((x, inner), (y, other))) = pairs.next_expr() {
            let same = a.text(x) == b.text(y);
            equal = same && pairs.maybe(inner, other, |pairs, a, b| pairs.expr(a, b));
        }
        equal
    };
    let deep = nested("x", 200_000);
    assert!(equal(&deep, &nested("x", 200_000)));
    assert!(!equal(&deep, &nested("x", 199_999)));
    assert!(!equal(&deep, &nested("y", 200_000)));
    assert!(!equal(&deep, &nested("x", 0)));
}
