//! Text → tree, by hand, without recursion.
//!
//! Open `if`s and `while`s wait on a stack (`parse/stmt.rs`); expressions are read by operator
//! precedence with a stack of their own (`parse/expr.rs`). After an error the parser goes on at the
//! next `;` or block word, so that one run finds several.

mod expr;
pub(crate) mod soft;
mod stmt;

use std::ops::{Deref, DerefMut};

use syntax::{Cursor, Failed, Language, Parsed};

use crate::error::{ParseError, ParseErrorKind};
use crate::lex::{Kind, Token, WithNames};
use crate::tree::{Block, List, Name, Proc, Tree};
use crate::{Dialect, MAX_RETURNS};

/// Reads a boolean program. The tree is the whole program if there are no errors, and otherwise
/// what could be made of it. Linear in the text; at most [`MAX_ERRORS`](crate::MAX_ERRORS) errors and a note that
/// there are more.
pub fn parse(text: &str, dialect: Dialect) -> (Tree, Vec<ParseError>) {
    let cursor = match Cursor::new(text, Language::Bp) {
        Ok(cursor) => cursor,
        Err(error) => return (Tree::new(), vec![error]),
    };
    let mut parser = Parser {
        cursor,
        dialect,
        tree: Tree::new(),
        open: stmt::Open::default(),
        locals: Vec::new(),
        scratch: expr::Scratch::default(),
    };
    parser.program();
    (parser.tree, parser.cursor.errors)
}

struct Parser<'t> {
    cursor: Cursor<'t, WithNames<'t>>,
    dialect: Dialect,
    tree: Tree,
    open: stmt::Open,
    locals: Vec<Name>,
    scratch: expr::Scratch,
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t, WithNames<'t>>;

    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl Parser<'_> {
    // Names.

    fn name_of(&mut self, token: Token) -> Name {
        Name { symbol: self.tree.intern(self.cursor.text_of(token)), span: token.span }
    }

    fn name(&mut self, phrase: &'static str) -> Parsed<Name> {
        if self.at(Kind::Ident) {
            let token = self.bump();
            return Ok(self.name_of(token));
        }
        Err(self.expected_name(phrase))
    }

    /// Records that a name should stand here, and steps over a keyword that was meant as one: it
    /// must not open or close anything.
    fn expected_name(&mut self, phrase: &'static str) -> Failed {
        let failed = self.expected(phrase);
        if self.current.kind.is_reserved()
            && !self.current.kind.ends_block()
            && matches!(self.next.kind, Kind::Comma | Kind::Assign | Kind::Semi | Kind::RParen)
        {
            self.bump();
        }
        failed
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name("a name")?];
        while self.eat(Kind::Comma) {
            names.push(self.name("a name")?);
        }
        Ok(names)
    }

    // The program.

    fn program(&mut self) {
        loop {
            match self.current.kind {
                Kind::Eof => return,
                Kind::Semi => _ = self.bump(),
                Kind::Decl => {
                    let names = self.declaration();
                    names.into_iter().for_each(|name| self.tree.add_global(name));
                }
                Kind::Void | Kind::Bool | Kind::Dfs | Kind::Ident => self.procedure(),
                _ => {
                    self.expected("a declaration or a procedure");
                    self.bump();
                    self.skip_to_item();
                }
            }
        }
    }

    /// Goes on at the next declaration or procedure.
    fn skip_to_item(&mut self) {
        while !self.at(Kind::Eof) && !self.current.kind.begins_item() {
            if self.skip().kind == Kind::End {
                return;
            }
        }
    }

    /// `decl x, y;`, as far as it can be read.
    fn declaration(&mut self) -> Vec<Name> {
        self.bump();
        let mut names = Vec::new();
        loop {
            match self.name("a name") {
                Ok(name) if self.tree.text(name.symbol) == "_" => {
                    self.error(ParseErrorKind::UnderscoreDeclared, name.span);
                }
                Ok(name) => names.push(name),
                Err(Failed) => {
                    self.skip_statement();
                    break;
                }
            }
            if self.eat(Kind::Comma) {
                continue;
            }
            if self.expect(Kind::Semi, "`,` or `;`").is_err() {
                self.skip_statement();
            }
            break;
        }
        names
    }

    fn procedure(&mut self) {
        let start = self.current.span;
        let mut proc = Proc {
            name: Name { symbol: self.tree.intern("_"), span: start },
            returns: 0,
            params: List::EMPTY,
            locals: List::EMPTY,
            enforce: None,
            abortif: None,
            body: Block::EMPTY,
            span: start,
        };
        if self.procedure_head(&mut proc).is_err() && !self.skip_to_begin() {
            return;
        }
        self.locals.clear();
        while self.at(Kind::Decl) {
            let names = self.declaration();
            self.locals.extend(names);
        }
        for (word, slot) in [(Kind::Enforce, &mut proc.enforce), (Kind::Abortif, &mut proc.abortif)]
        {
            if self.eat(word) {
                match self.condition(Kind::Semi, "`;`") {
                    Ok(expr) => *slot = Some(expr),
                    Err(Failed) => self.skip_statement(),
                }
            }
        }
        proc.body = self.body(proc.name.span);
        proc.locals = self.tree.add_names(self.locals.drain(..));
        self.tree.add_proc(proc);
    }

    fn procedure_head(&mut self, proc: &mut Proc) -> Parsed<()> {
        self.eat(Kind::Dfs);
        if !self.eat(Kind::Void) && self.eat(Kind::Bool) {
            proc.returns = 1;
            if self.eat(Kind::Less) {
                let token = self.expect(Kind::Int, "a number")?;
                match self.text_of(token).parse() {
                    Ok(n) if n <= MAX_RETURNS => proc.returns = n,
                    _ => self.error(ParseErrorKind::TooManyReturns, token.span),
                }
                self.expect(Kind::Greater, "`>`")?;
            }
        }
        proc.name = self.name("a name")?;
        proc.span = proc.span.to(proc.name.span);
        self.expect(Kind::LParen, "`(`")?;
        if !self.at(Kind::RParen) {
            let params = self.names()?;
            proc.params = self.tree.add_names(params);
        }
        self.expect(Kind::RParen, "`,` or `)`")?;
        self.expect(Kind::Begin, "`begin`")?;
        Ok(())
    }

    /// After a bad head: goes on in the body, if there is one.
    fn skip_to_begin(&mut self) -> bool {
        while !self.at(Kind::Eof) && !self.current.kind.begins_item() {
            match self.skip().kind {
                Kind::Begin => return true,
                Kind::End => return false,
                _ => {}
            }
        }
        false
    }
}
