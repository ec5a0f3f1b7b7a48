//! Text → tree, by hand, without recursion.
//!
//! Open `if`s and `do`s wait on a stack (`parse/stmt.rs`); expressions are read by operator
//! precedence with a stack of their own (`parse/expr.rs`). After an error the parser goes on at the
//! next `;` or block word, so that one run finds several.
//!
//! `.pds` files have the same declarations, expressions and rules, and put them together in another
//! way (`pds/parse.rs`).

mod decl;
mod expr;
mod stmt;

use std::ops::{Deref, DerefMut};

use syntax::{Cursor, Failed, Language, Parsed};

use crate::error::ParseError;
use crate::lex::{Kind, Lexer, Token};
use crate::tree::{Decl, Item, Name, Tree};

/// Reads a Remopla program. The tree is the whole program if there are no errors, and otherwise
/// what could be made of it. Linear in the text; at most [`MAX_ERRORS`](crate::MAX_ERRORS) errors and a note that
/// there are more.
pub fn parse(text: &str) -> (Tree, Vec<ParseError>) {
    let mut parser = match Parser::new(text, Language::Remopla) {
        Ok(parser) => parser,
        Err(error) => return (Tree::new(), vec![error]),
    };
    parser.program();
    (parser.tree, parser.cursor.errors)
}

/// Reads a text from left to right into a tree.
pub(crate) struct Parser<'t> {
    pub(crate) cursor: Cursor<'t, Lexer<'t>>,
    /// What was read so far.
    pub(crate) tree: Tree,
    open: stmt::Open,
    locals: Vec<Decl>,
    scratch: expr::Scratch,
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t, Lexer<'t>>;

    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl<'t> Parser<'t> {
    /// A parser at the beginning of the text.
    pub(crate) fn new(text: &'t str, language: Language) -> Result<Parser<'t>, ParseError> {
        Ok(Parser {
            cursor: Cursor::new(text, language)?,
            tree: Tree::new(),
            open: stmt::Open::default(),
            locals: Vec::new(),
            scratch: expr::Scratch::default(),
        })
    }

    // Names.

    /// A token as a name.
    fn name_of(&mut self, token: Token) -> Name {
        Name { symbol: self.tree.intern(self.cursor.text_of(token)), span: token.span }
    }

    /// A name.
    fn name(&mut self) -> Parsed<Name> {
        if self.at(Kind::Ident) {
            let token = self.bump();
            return Ok(self.name_of(token));
        }
        Err(self.expected_name("a name"))
    }

    /// Records that a name should stand here, and steps over a keyword that was meant as one: it
    /// must not open or close anything.
    fn expected_name(&mut self, phrase: &'static str) -> Failed {
        let failed = self.expected(phrase);
        let after = matches!(
            self.next.kind,
            Kind::Comma | Kind::Assign | Kind::Semi | Kind::RParen | Kind::LParen | Kind::LBracket
        );
        if self.current.kind.is_reserved() && !self.current.kind.ends_block() && after {
            self.bump();
        }
        failed
    }

    // The program.

    fn program(&mut self) {
        loop {
            match self.current.kind {
                Kind::Eof => return,
                Kind::Semi => _ = self.bump(),
                Kind::Define => {
                    if self.define().is_err() {
                        self.skip_define();
                    }
                }
                Kind::Init => {
                    if self.init().is_err() {
                        self.skip_statement();
                    }
                }
                Kind::Module => self.module(),
                kind if kind.begins_declaration() => {
                    if let Some(decl) = self.declaration() {
                        self.tree.add_item(Item::Decl(decl));
                    }
                }
                Kind::RBrace | Kind::Fi | Kind::Od | Kind::Option => {
                    let opener = match self.current.kind {
                        Kind::RBrace => "`{`",
                        Kind::Fi => "`if`",
                        Kind::Od => "`do`",
                        _ => "`if` or `do`",
                    };
                    self.unopened(opener);
                    self.bump();
                }
                Kind::Ident | Kind::All | Kind::Exists | Kind::Foreign => self.top_statements(),
                kind if kind.begins_statement() => self.top_statements(),
                _ => {
                    self.expected("a declaration, a module or a statement");
                    self.bump();
                    self.skip_to_item();
                }
            }
        }
    }

    /// Goes on at the next part of the program.
    fn skip_to_item(&mut self) {
        while !self.at(Kind::Eof) && !self.current.kind.begins_item() {
            if self.current.kind.begins_declaration() || self.skip().kind == Kind::RBrace {
                return;
            }
        }
    }

    /// `define N 3`, which becomes a part of the tree.
    pub(crate) fn define(&mut self) -> Parsed<()> {
        self.bump();
        let name = if self.eat(Kind::DefaultBits) { None } else { Some(self.name()?) };
        let value = self.expr()?;
        self.eat(Kind::Semi);
        self.tree.add_item(Item::Define(name, value));
        Ok(())
    }

    /// A definition has no `;`: goes on at something that can only begin the next part.
    fn skip_define(&mut self) {
        while !self.at(Kind::Eof)
            && !self.current.kind.begins_item()
            && !self.current.kind.begins_declaration()
        {
            if self.skip().kind == Kind::Semi {
                return;
            }
        }
    }

    /// `init main;`
    fn init(&mut self) -> Parsed<()> {
        self.bump();
        let mut names = vec![self.name()?];
        while self.at(Kind::Ident) {
            let token = self.bump();
            names.push(self.name_of(token));
        }
        self.expect(Kind::Semi, "`;`")?;
        let names = self.tree.add_names(names);
        self.tree.add_item(Item::Init(names));
        Ok(())
    }
}
