//! Tokens → tree, by recursive descent.
//!
//! Where C cannot be read without knowing which names are types, scopes tell. Every top-level item is
//! parsed on its own: what fails is skipped to its end, by its brackets, and reported. Chains that
//! programs make long (`else if`, `case` labels, operators of one level) are loops here; what really
//! nests is bounded by [`MAX_DEPTH`], and the parser runs on a stack that fits it.

use crate::extra::{About, Aligned, Designator};
use crate::lex::{Pack, Place, Problem, Tok, Token, lex};
use crate::tree::*;
use rustc_hash::FxHashMap;

/// How deep expressions and statements may nest.
pub const MAX_DEPTH: u32 = 2_000;

/// What is no C has problems without end, each of which may cost [`MAX_DEPTH`] levels.
const MAX_PROBLEMS: usize = 10_000;
/// Items that nest too deep.
const MAX_DEEP: usize = 100;

/// Enough for [`MAX_DEPTH`] levels of the largest frames.
const STACK_BYTES: usize = 256 << 20;

/// Parses a preprocessed translation unit. Never fails as a whole: see [`Unit::problems`].
pub fn parse(text: &str) -> Unit {
    let body = || {
        let mut unit = Unit::default();
        let keywords = Keywords::new(&mut unit);
        let (tokens, files, packs) = lex(text, &mut unit.names);
        unit.files = files;
        unit.text = text.into();
        let mut parser = Parser {
            hopeless: vec![false; tokens.len()],
            closing: matching(&tokens),
            tokens,
            packs,
            pos: 0,
            unit,
            keywords,
            scopes: vec![Scope::default()],
            local_labels: FxHashMap::default(),
            depth: 0,
        };
        // A keyword of C23, and a name in C11: what a program declares takes its place.
        let (name, ty) = (parser.unit.names.add("bool"), parser.base("_Bool"));
        parser.declare(name, Meaning::Type(ty));
        parser.unit();
        parser.unit
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, body);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(unit)) => unit,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let message = format!("no thread to parse on: {error}");
                let problem = Problem { at: Place::default(), message, function: None };
                Unit { problems: vec![problem], ..Unit::default() }
            }
        }
    })
}

macro_rules! keywords {
    ($($variant:ident: $($text:literal)*;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Kw { $($variant,)* }

        const KEYWORDS: &[(&str, Kw)] = &[$($(($text, Kw::$variant),)*)*];
    };
}

keywords! {
    Typedef: "typedef"; Extern: "extern"; Static: "static"; Auto: "auto"; Register: "register";
    Thread: "__thread" "_Thread_local" "thread_local"; Inline: "inline" "__inline" "__inline__";
    Noreturn: "_Noreturn";
    Const: "const" "__const" "__const__" "constexpr";
    Volatile: "volatile" "__volatile" "__volatile__" "_Atomic";
    Qualifier: "restrict" "__restrict" "__restrict__" "_Nonnull" "_Nullable" "__unaligned" "__seg_fs" "__seg_gs";
    Attribute: "__attribute__" "__attribute" "__declspec" "_Alignas" "__alignas" "alignas";
    Extension: "__extension__";
    Void: "void";
    Base: "char" "short" "int" "long" "float" "double" "signed" "__signed" "__signed__" "unsigned"
        "_Bool" "_Complex" "__complex__" "__complex" "_Imaginary" "__int128" "__int128_t"
        "__uint128_t" "_Float16" "__fp16" "__bf16" "_Float32" "_Float64" "_Float128" "_Float32x"
        "_Float64x" "_Float128x" "__float128" "__float80" "__ibm128" "_Decimal32" "_Decimal64"
        "_Decimal128" "_BitInt" "_Sat" "_Fract" "_Accum";
    VaList: "__builtin_va_list";
    AutoType: "__auto_type";
    Struct: "struct"; Union: "union"; Enum: "enum";
    Typeof: "typeof" "__typeof" "__typeof__" "typeof_unqual";
    Sizeof: "sizeof" "_Alignof" "__alignof" "__alignof__" "alignof";
    If: "if"; Else: "else"; While: "while"; Do: "do"; For: "for"; Switch: "switch"; Case: "case";
    Default: "default"; Break: "break"; Continue: "continue"; Return: "return"; Goto: "goto";
    Asm: "asm" "__asm" "__asm__";
    StaticAssert: "_Static_assert" "static_assert";
    Generic: "_Generic";
    Offsetof: "__builtin_offsetof"; TypesCompatible: "__builtin_types_compatible_p";
    VaArg: "__builtin_va_arg" "__builtin_convertvector";
    ChooseExpr: "__builtin_choose_expr"; BitCast: "__builtin_bit_cast";
    RealPart: "__real__" "__real" "__imag__" "__imag";
    LocalLabel: "__label__";
    Pragma: "_Pragma";
}

/// Keywords have the first symbols.
struct Keywords(Vec<Kw>);

impl Keywords {
    fn new(unit: &mut Unit) -> Keywords {
        for &(text, _) in KEYWORDS {
            unit.names.add(text);
        }
        Keywords(KEYWORDS.iter().map(|&(_, kw)| kw).collect())
    }
    fn get(&self, sym: Sym) -> Option<Kw> {
        self.0.get(sym.index()).copied()
    }
}

/// What a name of a scope is.
#[derive(Clone, Copy)]
enum Meaning {
    Type(TypeId),
    Enumerator(EnumeratorId),
    Other,
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<Sym, Meaning>,
    tags: FxHashMap<Sym, RecordId>,
    enums: FxHashMap<Sym, EnumId>,
    /// Labels that only the block has (`__label__`), with the names that are theirs in the function.
    labels: FxHashMap<Sym, Sym>,
}

/// Why an item was given up.
struct Fail {
    at: Place,
    message: String,
    /// It nests too deep.
    deep: bool,
}

/// No closing bracket.
const OPEN: u32 = u32::MAX;

/// Of each opening bracket, the closing one of its kind; other kinds do not count.
fn matching(tokens: &[Token]) -> Vec<u32> {
    let mut out = vec![OPEN; tokens.len()];
    let mut open: [Vec<usize>; 3] = Default::default();
    for (i, token) in tokens.iter().enumerate() {
        let Tok::Punct(p) = token.tok else { continue };
        let Some(kind) = "([{)]}".find(p).filter(|_| p.len() == 1) else { continue };
        match kind.checked_sub(3) {
            None => open[kind].push(i),
            Some(kind) => {
                if let Some(start) = open[kind].pop() {
                    out[start] = i as u32;
                }
            }
        }
    }
    out
}

type Parsed<T> = Result<T, Fail>;

/// A part of a declarator, to be put around a type.
enum Op {
    Pointer(Qualified),
    Array(Option<ExprId>),
    Function { params: Vec<Param>, variadic: bool, unprototyped: bool },
}

/// What qualifiers say of a type.
#[derive(Clone, Copy, Default)]
struct Qualified {
    is_const: bool,
    is_volatile: bool,
    odd: bool,
}

/// What declaration specifiers say.
struct Specifiers {
    storage: Storage,
    thread: bool,
    attributes: Attributes,
    ty: TypeId,
}

struct Declarator {
    name: Option<(Sym, Place)>,
    ops: Vec<Op>,
    attributes: Attributes,
}

struct Parser {
    tokens: Vec<Token>,
    packs: Vec<Pack>,
    /// Of each opening bracket, the closing one.
    closing: Vec<u32>,
    /// Tokens from which no end of an item was found; see [`Parser::end_of_item`].
    hopeless: Vec<bool>,
    pos: usize,
    unit: Unit,
    keywords: Keywords,
    scopes: Vec<Scope>,
    /// How many blocks have declared the label.
    local_labels: FxHashMap<Sym, u32>,
    depth: u32,
}

impl Parser {
    // Tokens.

    fn tok(&self) -> Tok {
        self.tokens[self.pos].tok
    }
    fn ahead(&self, n: usize) -> Tok {
        self.tokens.get(self.pos + n).map_or(Tok::End, |t| t.tok)
    }
    fn at(&self) -> Place {
        self.tokens[self.pos].at
    }
    fn advance(&mut self) {
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
    }
    fn is(&self, p: &str) -> bool {
        matches!(self.tok(), Tok::Punct(q) if q == p)
    }
    fn ahead_is(&self, n: usize, p: &str) -> bool {
        matches!(self.ahead(n), Tok::Punct(q) if q == p)
    }
    fn eat(&mut self, p: &str) -> bool {
        let found = self.is(p);
        if found {
            self.advance();
        }
        found
    }
    fn expect(&mut self, p: &str) -> Parsed<()> {
        if self.eat(p) { Ok(()) } else { Err(self.wanted(&format!("`{p}`"))) }
    }
    fn kw(&self) -> Option<Kw> {
        self.kw_ahead(0)
    }
    fn kw_ahead(&self, n: usize) -> Option<Kw> {
        match self.ahead(n) {
            Tok::Word(sym) => self.keywords.get(sym),
            _ => None,
        }
    }
    fn eat_kw(&mut self, kw: Kw) -> bool {
        let found = self.kw() == Some(kw);
        if found {
            self.advance();
        }
        found
    }
    /// A word that is no keyword.
    fn word(&self) -> Option<Sym> {
        match self.tok() {
            Tok::Word(sym) if self.keywords.get(sym).is_none() => Some(sym),
            _ => None,
        }
    }
    fn fail(&self, message: impl Into<String>) -> Fail {
        Fail { at: self.at(), message: message.into(), deep: false }
    }
    fn wanted(&self, what: &str) -> Fail {
        let found = match self.tok() {
            Tok::Word(s) | Tok::Number(s) | Tok::Text(s) => format!("`{}`", self.unit.name(s)),
            Tok::Punct(p) => format!("`{p}`"),
            Tok::Stray(c) => format!("`{}`", c.escape_debug()),
            Tok::End => "the end of the file".to_owned(),
        };
        self.fail(format!("expected {what}, found {found}"))
    }
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(Fail { at: self.at(), message, deep: true });
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    // The tree.

    /// The offset behind the last token that was read. Nodes without operands are made before their
    /// token is passed over, and have its end instead.
    fn end(&self) -> u32 {
        self.pos.checked_sub(1).map_or(0, |last| self.tokens[last].end)
    }
    fn expr_node(&mut self, at: Place, kind: ExprKind) -> ExprId {
        let end = self.end();
        self.unit.exprs.push(Expr { kind, at, end });
        ExprId(self.unit.exprs.len() as u32 - 1)
    }
    fn stmt_node(&mut self, at: Place, kind: StmtKind) -> StmtId {
        let end = self.end();
        self.unit.stmts.push(Stmt { kind, at, end });
        StmtId(self.unit.stmts.len() as u32 - 1)
    }
    fn type_node(&mut self, kind: TypeKind) -> TypeId {
        self.qualified_node(kind, Qualified::default())
    }
    fn qualified_node(&mut self, kind: TypeKind, q: Qualified) -> TypeId {
        let Qualified { is_const, is_volatile, odd } = q;
        self.unit.types.push(Type { kind, is_const, is_volatile, odd });
        TypeId(self.unit.types.len() as u32 - 1)
    }
    /// The type with more qualifiers; those that it has stay.
    fn qualify(&mut self, ty: TypeId, q: Qualified) -> TypeId {
        if !(q.is_const || q.is_volatile || q.odd) {
            return ty;
        }
        let Type { kind, is_const, is_volatile, odd } = self.unit.ty(ty).clone();
        let q = Qualified {
            is_const: q.is_const || is_const,
            is_volatile: q.is_volatile || is_volatile,
            odd: q.odd || odd,
        };
        self.qualified_node(kind, q)
    }
    fn init_node(&mut self, init: Init) -> InitId {
        self.unit.inits.push(init);
        InitId(self.unit.inits.len() as u32 - 1)
    }
    fn base(&mut self, text: &str) -> TypeId {
        let sym = self.unit.names.add(text);
        self.type_node(TypeKind::Base(sym))
    }

    // Scopes.

    /// Declares a label of the block; its name in the function says which it is.
    fn local_label(&mut self, label: Sym) {
        let times = self.local_labels.entry(label).or_insert(0);
        *times += 1;
        let name = format!("{}#{times}", self.unit.name(label));
        let own = self.unit.names.add(&name);
        let scope = self.scopes.last_mut().expect("the file's scope stays");
        scope.labels.insert(label, own);
    }
    /// The name of a label in its function.
    fn label_of(&self, label: Sym) -> Sym {
        self.scopes.iter().rev().find_map(|s| s.labels.get(&label)).copied().unwrap_or(label)
    }

    fn declare(&mut self, name: Sym, meaning: Meaning) {
        let scope = self.scopes.last_mut().expect("the file's scope stays");
        scope.names.insert(name, meaning);
    }
    fn meaning(&self, name: Sym) -> Option<Meaning> {
        self.scopes.iter().rev().find_map(|s| s.names.get(&name)).copied()
    }
    fn typedef(&self, tok: Tok) -> Option<TypeId> {
        let Tok::Word(sym) = tok else { return None };
        match self.meaning(sym) {
            Some(Meaning::Type(ty)) => Some(ty),
            _ => None,
        }
    }

    // Items.

    fn unit(&mut self) {
        let mut deep = 0;
        while self.tok() != Tok::End {
            let start = self.pos;
            self.scopes.truncate(1);
            self.depth = 0;
            if let Err(fail) = self.item() {
                deep += usize::from(fail.deep);
                let end = self.end_of_item(start);
                let function = self.function_name(start, end);
                self.unit.problems.push(Problem { at: fail.at, message: fail.message, function });
                self.scopes.truncate(1);
                self.pos = end.max(start + 1).min(self.tokens.len() - 1);
                if self.unit.problems.len() >= MAX_PROBLEMS || deep >= MAX_DEEP {
                    let (at, message) =
                        (self.at(), "too many problems: the rest is left out".into());
                    self.unit.problems.push(Problem { at, message, function: None });
                    return;
                }
            }
        }
    }

    /// The name before the first parenthesis of an item that has a body: good enough to say which
    /// function is lost.
    fn function_name(&self, start: usize, end: usize) -> Option<Sym> {
        let item = &self.tokens[start..end];
        item.iter().find(|t| t.tok == Tok::Punct("{"))?;
        let open = item.iter().position(|t| t.tok == Tok::Punct("("))?;
        match item[..open].last()?.tok {
            Tok::Word(sym) if self.keywords.get(sym).is_none() => Some(sym),
            _ => None,
        }
    }

    /// The token after an item, by its brackets; where they never close, before the next line
    /// that starts with a word. No token is looked at twice in vain: those from which the end of the
    /// file was reached are remembered.
    fn end_of_item(&mut self, start: usize) -> usize {
        let mut i = start;
        let mut parenthesis = false;
        while i < self.tokens.len() && !self.hopeless[i] {
            match self.tokens[i].tok {
                Tok::Punct("(") => parenthesis = true,
                Tok::Punct("{") => {
                    // After `=`, or a tag or name without `)`, it belongs to a declaration, which
                    // ends with `;`.
                    let before = i.checked_sub(1).filter(|&b| b >= start);
                    let in_declaration = match before.map(|b| self.tokens[b].tok) {
                        Some(Tok::Punct("=")) => true,
                        Some(Tok::Word(_)) => !parenthesis,
                        _ => false,
                    };
                    match self.closing[i] {
                        OPEN => break,
                        close if !in_declaration => return close as usize + 1,
                        close => i = close as usize,
                    }
                }
                // Declarations of K&R parameters end in `;`, too: a body may follow. Then the rest
                // is an item of its own, which fails and is skipped in turn.
                Tok::Punct("}" | ";") => return i + 1,
                _ => {}
            }
            i += 1;
        }
        // What was passed over on the way is no start of anything that ends, either.
        let mut passed = start;
        while passed < i {
            self.hopeless[passed] = true;
            passed = match (self.tokens[passed].tok, self.closing[passed]) {
                (Tok::Punct("{"), close) if close != OPEN => close as usize + 1,
                _ => passed + 1,
            };
        }
        let first_line = self.tokens[start].at;
        (start + 1..self.tokens.len() - 1)
            .find(|&i| {
                let Token { tok, at, .. } = self.tokens[i];
                at.column == 1
                    && (at.line, at.file) != (first_line.line, first_line.file)
                    && matches!(tok, Tok::Word(_))
            })
            .unwrap_or(self.tokens.len() - 1)
    }

    fn item(&mut self) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.eat_kw(Kw::Pragma) {
            return self.skip_parens();
        }
        if self.kw() == Some(Kw::Asm) {
            self.unit.assembler = true;
            self.advance();
            self.skip_parens()?;
            self.eat(";");
            return Ok(());
        }
        if self.eat_kw(Kw::StaticAssert) {
            self.skip_parens()?;
            return self.expect(";");
        }
        while self.eat_kw(Kw::Extension) {}
        let specifiers = self.specifiers(true)?;
        let specifiers = match specifiers {
            Some(s) => s,
            // Implicit int.
            None if self.word().is_some() || self.is("*") || self.is("(") => Specifiers {
                storage: Storage::None,
                thread: false,
                attributes: Attributes::default(),
                ty: self.base("int"),
            },
            None => return Err(self.wanted("a declaration")),
        };
        if self.eat(";") {
            return Ok(());
        }
        let mut first = true;
        loop {
            let declarator = self.declarator(true)?;
            if first && self.starts_body(&declarator) {
                return self.function(&specifiers, declarator);
            }
            first = false;
            let declaration = self.declared(&specifiers, declarator)?;
            if specifiers.storage != Storage::Typedef {
                self.unit.items.push(Item::Declaration(declaration));
            }
            if !self.eat(",") {
                break;
            }
            self.attributes(&mut Attributes::default())?;
        }
        self.expect(";")
    }

    fn starts_body(&self, declarator: &Declarator) -> bool {
        match declarator.ops.last() {
            Some(Op::Function { unprototyped, .. }) => {
                self.is("{") || (*unprototyped && !self.is(";") && self.starts_declaration(0))
            }
            _ => false,
        }
    }

    fn function(&mut self, specifiers: &Specifiers, declarator: Declarator) -> Parsed<()> {
        let Some((name, at)) = declarator.name else {
            return Err(self.wanted("the name of a function"));
        };
        let attributes = join(specifiers.attributes, declarator.attributes);
        let ty = self.apply(specifiers.ty, declarator.ops);
        self.declare(name, Meaning::Other);
        self.scopes.push(Scope::default());
        // K&R: the types of the parameters come after the list.
        let mut types: FxHashMap<Sym, TypeId> = FxHashMap::default();
        while !self.is("{") {
            let Some(s) = self.specifiers(false)? else {
                return Err(self.wanted("the body of a function"));
            };
            while !self.is(";") {
                let d = self.declarator(true)?;
                let ty = self.apply(s.ty, d.ops);
                if let Some((name, _)) = d.name {
                    types.insert(name, ty);
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        let mut params = match &self.unit.ty(ty).kind {
            TypeKind::Function { params, .. } => params.clone(),
            _ => Vec::new(),
        };
        for param in &mut params {
            if let Some(&ty) = param.name.and_then(|name| types.get(&name)) {
                param.ty = ty;
            }
            if let Some(name) = param.name {
                self.declare(name, Meaning::Other);
            }
        }
        if let TypeKind::Function { params: all, .. } = &mut self.unit.types[ty.index()].kind {
            all.clone_from(&params);
        }
        let body = self.block(false)?;
        let end = match &self.unit.stmt(body).kind {
            StmtKind::Block(_, end) => *end,
            _ => at,
        };
        self.scopes.pop();
        self.unit.items.push(Item::Function(Function {
            name,
            at,
            ty,
            storage: specifiers.storage,
            attributes,
            params,
            body,
            end,
        }));
        Ok(())
    }

    /// The rest of a declared name: `asm`, attributes, initialiser.
    fn declared(&mut self, specifiers: &Specifiers, d: Declarator) -> Parsed<Declaration> {
        let Some((name, at)) = d.name else {
            return Err(self.wanted("a name"));
        };
        let mut attributes = join(specifiers.attributes, d.attributes);
        let ty = self.apply(specifiers.ty, d.ops);
        while self.kw() == Some(Kw::Asm) {
            attributes.asm_name = self.asm_name()?.or(attributes.asm_name);
        }
        self.attributes(&mut attributes)?;
        let ty = self.qualify(ty, Qualified { odd: attributes.odd, ..Qualified::default() });
        let ty = self.demands(ty, attributes, specifiers.storage == Storage::Typedef);
        let meaning = match specifiers.storage {
            Storage::Typedef => Meaning::Type(ty),
            _ => Meaning::Other,
        };
        self.declare(name, meaning);
        let init = if self.eat("=") { Some(self.initialiser()?) } else { None };
        let Specifiers { storage, thread, .. } = *specifiers;
        Ok(Declaration { name, at, ty, storage, thread, attributes, init })
    }

    /// Keeps what attributes make of a type.
    fn demands(&mut self, mut ty: TypeId, attributes: Attributes, alignment: bool) -> TypeId {
        if let Some(mode) = attributes.mode {
            self.unit.extra.modes.insert(ty, mode);
        }
        if let Some(aligned) = attributes.aligned.filter(|_| alignment) {
            let own = self.unit.ty(ty).clone();
            self.unit.types.push(own);
            ty = TypeId(self.unit.types.len() as u32 - 1);
            self.unit.extra.aligned.insert(ty, aligned);
        }
        ty
    }

    /// `asm("name")` behind a declarator.
    fn asm_name(&mut self) -> Parsed<Option<Sym>> {
        self.advance();
        let name = match self.ahead(1) {
            Tok::Text(sym) => Some(sym),
            _ => None,
        };
        self.skip_parens()?;
        Ok(name)
    }

    fn skip_parens(&mut self) -> Parsed<()> {
        while matches!(self.kw(), Some(Kw::Volatile | Kw::Qualifier | Kw::Goto | Kw::Inline)) {
            self.advance();
        }
        match self.is("(") {
            true => self.skip_bracket(),
            false => self.expect("("),
        }
    }

    /// From an opening bracket to behind the closing one.
    fn skip_bracket(&mut self) -> Parsed<()> {
        match self.closing[self.pos] {
            OPEN => Err(self.fail("a bracket that is never closed")),
            close => {
                self.pos = close as usize;
                self.advance();
                Ok(())
            }
        }
    }

    /// Attributes, if any stand here.
    fn attributes(&mut self, out: &mut Attributes) -> Parsed<()> {
        loop {
            if self.kw() == Some(Kw::Attribute) {
                let alignas =
                    matches!(self.tok(), Tok::Word(s) if self.unit.name(s).contains("lignas"));
                self.advance();
                let start = self.pos;
                if alignas && self.is("(") {
                    out.aligned = Some(self.alignment()?);
                    continue;
                }
                self.skip_parens()?;
                self.read_attributes(start, self.pos, out);
            } else if self.is("[") && self.ahead_is(1, "[") {
                let start = self.pos;
                self.skip_bracket()?;
                self.read_attributes(start, self.pos, out);
            } else {
                return Ok(());
            }
        }
    }

    /// `(type)` or `(number)` of `_Alignas` and `aligned`.
    fn alignment(&mut self) -> Parsed<Aligned> {
        if self.starts_type(1) {
            return Ok(Aligned::As(self.parenthesised_type()?));
        }
        self.expect("(")?;
        let e = self.deeper(Self::conditional)?;
        self.expect(")")?;
        Ok(Aligned::By(e))
    }

    fn read_attributes(&mut self, from: usize, to: usize, out: &mut Attributes) {
        for i in from..to {
            let Tok::Word(sym) = self.tokens[i].tok else { continue };
            match self.unit.name(sym) {
                "noreturn" | "__noreturn__" | "_Noreturn" => out.noreturn = true,
                "cleanup" | "__cleanup__" => {
                    if let Some(Token { tok: Tok::Word(f), .. }) = self.tokens.get(i + 2) {
                        out.cleanup = Some(*f);
                    }
                }
                "constructor" | "__constructor__" => out.constructor = true,
                "destructor" | "__destructor__" => out.destructor = true,
                "weak" | "__weak__" => out.weak = true,
                "mode" | "__mode__" | "vector_size" | "__vector_size__" => {
                    out.odd = true;
                    if let Some(Token { tok: Tok::Word(mode), .. }) = self.tokens.get(i + 2) {
                        out.mode = Some(*mode);
                    }
                }
                "packed" | "__packed__" => out.packed = true,
                "aligned" | "__aligned__" => {
                    let here = std::mem::replace(&mut self.pos, i + 1);
                    let asked = if self.is("(") { self.alignment().ok() } else { None };
                    out.aligned = Some(asked.unwrap_or(Aligned::Most));
                    self.pos = here;
                }
                "alias" | "__alias__" | "weakref" | "__weakref__" | "ifunc" | "__ifunc__" => {
                    if let Some(Token { tok: Tok::Text(name), .. }) = self.tokens.get(i + 2) {
                        match self.unit.name(sym).contains("ifunc") {
                            true => out.ifunc = Some(*name),
                            false => out.alias = Some(*name),
                        }
                    }
                }
                _ => {}
            }
        }
    }

    // Declarations.

    fn starts_type(&self, n: usize) -> bool {
        match self.kw_ahead(n) {
            Some(
                Kw::Void
                | Kw::Base
                | Kw::VaList
                | Kw::AutoType
                | Kw::Struct
                | Kw::Union
                | Kw::Enum
                | Kw::Typeof
                | Kw::Const
                | Kw::Volatile
                | Kw::Qualifier
                | Kw::Attribute,
            ) => true,
            Some(Kw::Extension) => self.starts_type(n + 1),
            Some(_) => false,
            None => self.typedef(self.ahead(n)).is_some(),
        }
    }

    fn starts_declaration(&self, n: usize) -> bool {
        match self.kw_ahead(n) {
            Some(
                Kw::Typedef
                | Kw::Extern
                | Kw::Static
                | Kw::Auto
                | Kw::Register
                | Kw::Thread
                | Kw::Inline
                | Kw::Noreturn
                | Kw::StaticAssert,
            ) => true,
            Some(Kw::Extension) => self.starts_declaration(n + 1),
            _ => self.starts_type(n),
        }
    }

    /// Declaration specifiers; none if nothing of the kind stands here. With `implicit`, storage
    /// alone will do: `static x;`.
    fn specifiers(&mut self, implicit: bool) -> Parsed<Option<Specifiers>> {
        let (mut storage, mut thread) = (Storage::None, false);
        let mut attributes = Attributes::default();
        let mut base: Vec<Sym> = Vec::new();
        let mut ty: Option<TypeId> = None;
        let (mut q, mut any) = (Qualified::default(), false);
        loop {
            let kw = self.kw();
            match kw {
                Some(Kw::Typedef) => storage = Storage::Typedef,
                Some(Kw::Extern) => storage = Storage::Extern,
                Some(Kw::Static) => storage = Storage::Static,
                Some(Kw::Auto) => storage = Storage::Auto,
                Some(Kw::Register) => storage = Storage::Register,
                Some(Kw::Thread) => thread = true,
                Some(Kw::Noreturn) => attributes.noreturn = true,
                Some(Kw::Const) => q.is_const = true,
                Some(Kw::Inline | Kw::Extension | Kw::Qualifier) => {}
                Some(Kw::Volatile) => {
                    q.is_volatile = true;
                    // `_Atomic (type)` is a type.
                    if self.ahead_is(1, "(")
                        && matches!(self.tok(), Tok::Word(s) if self.unit.name(s) == "_Atomic")
                    {
                        self.advance();
                        ty = Some(self.parenthesised_type()?);
                        any = true;
                        continue;
                    }
                }
                Some(Kw::Attribute) => {
                    self.attributes(&mut attributes)?;
                    any = true;
                    continue;
                }
                Some(Kw::Void) if ty.is_none() => ty = Some(self.type_node(TypeKind::Void)),
                Some(Kw::Base) => {
                    if let Tok::Word(sym) = self.tok() {
                        base.push(sym);
                    }
                    // `_BitInt(8)`
                    if self.ahead_is(1, "(")
                        && matches!(self.tok(), Tok::Word(s) if self.unit.name(s) == "_BitInt")
                    {
                        self.advance();
                        self.skip_parens()?;
                        any = true;
                        continue;
                    }
                }
                Some(Kw::VaList | Kw::AutoType) if ty.is_none() && base.is_empty() => {
                    if let Tok::Word(sym) = self.tok() {
                        ty = Some(self.type_node(TypeKind::Other(sym)));
                    }
                }
                Some(Kw::Struct | Kw::Union) if ty.is_none() => {
                    ty = Some(self.record()?);
                    any = true;
                    continue;
                }
                Some(Kw::Enum) if ty.is_none() => {
                    ty = Some(self.enumeration()?);
                    any = true;
                    continue;
                }
                Some(Kw::Typeof) if ty.is_none() => {
                    self.advance();
                    self.expect("(")?;
                    ty = Some(if self.starts_type(0) {
                        self.deeper(Self::type_name)?
                    } else {
                        let e = self.expression()?;
                        self.type_node(TypeKind::TypeOf(e))
                    });
                    self.expect(")")?;
                    any = true;
                    continue;
                }
                None if ty.is_none() && base.is_empty() => match self.typedef(self.tok()) {
                    Some(named) => {
                        let Tok::Word(sym) = self.tok() else { break };
                        ty = Some(self.type_node(TypeKind::Named(sym, named)));
                    }
                    None if self.is("[") && self.ahead_is(1, "[") => {
                        self.attributes(&mut attributes)?;
                        continue;
                    }
                    None => break,
                },
                _ => break,
            }
            any = true;
            self.advance();
        }
        if !any {
            return Ok(None);
        }
        let ty = match ty {
            Some(ty) => ty,
            None if base.is_empty() && !implicit && storage == Storage::None && !q.is_const => {
                return Err(self.wanted("a type"));
            }
            // C23: the type of the initial value.
            None if base.is_empty() && storage == Storage::Auto => {
                let sym = self.unit.names.add("__auto_type");
                self.type_node(TypeKind::Other(sym))
            }
            None if base.is_empty() => self.base("int"),
            None => {
                let mut words: Vec<&str> = base.iter().map(|&s| self.unit.name(s)).collect();
                words.sort_unstable();
                let text = normal_base(&words);
                self.base(&text)
            }
        };
        q.odd |= attributes.odd;
        let ty = self.qualify(ty, q);
        if let Some(mode) = attributes.mode {
            self.unit.extra.modes.insert(ty, mode);
        }
        Ok(Some(Specifiers { storage, thread, attributes, ty }))
    }

    fn find_tag(&self, name: Sym) -> Option<RecordId> {
        self.scopes.iter().rev().find_map(|s| s.tags.get(&name)).copied()
    }

    fn record(&mut self) -> Parsed<TypeId> {
        let tag = if self.kw() == Some(Kw::Struct) { Tag::Struct } else { Tag::Union };
        self.advance();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let name = match self.tok() {
            Tok::Word(sym) if !self.is("{") => {
                self.advance();
                Some(sym)
            }
            _ => None,
        };
        self.attributes(&mut attributes)?;
        if name.is_none() && !self.is("{") {
            return Err(self.wanted("a tag or `{`"));
        }
        let defines = self.is("{");
        let known = match (name, defines) {
            (Some(name), false) => self.find_tag(name),
            // A definition completes what its own scope has declared.
            (Some(name), true) => {
                let here = self.scopes.last().and_then(|s| s.tags.get(&name)).copied();
                here.filter(|r| self.unit.records[r.index()].fields.is_none())
            }
            (None, _) => None,
        };
        let id = known.unwrap_or_else(|| {
            self.unit.records.push(Record { tag, name, fields: None });
            RecordId(self.unit.records.len() as u32 - 1)
        });
        if let Some(name) = name
            && known.is_none()
        {
            let scope = self.scopes.last_mut().expect("the file's scope stays");
            scope.tags.insert(name, id);
        }
        if defines {
            self.advance();
            let fields = self.deeper(Self::fields)?;
            self.unit.records[id.index()].fields = Some(fields);
            let offset = self.end();
            let now = self.packs.partition_point(|p| p.0 <= offset);
            if let Some(pack) = now.checked_sub(1).and_then(|i| self.packs[i].1) {
                self.unit.extra.packs.insert(id, pack);
            }
            self.attributes(&mut attributes)?;
            if attributes.packed || attributes.aligned.is_some() {
                let demands = (attributes.packed, attributes.aligned);
                self.unit.extra.records.insert(id, demands);
            }
        }
        Ok(self.type_node(TypeKind::Record(id)))
    }

    /// The members up to and including the closing brace.
    fn fields(&mut self) -> Parsed<Vec<Field>> {
        let mut out = Vec::new();
        while !self.eat("}") {
            if self.eat(";") || self.eat_kw(Kw::Extension) {
                continue;
            }
            if self.eat_kw(Kw::StaticAssert) {
                self.skip_parens()?;
                continue;
            }
            let Some(s) = self.specifiers(false)? else {
                return Err(self.wanted("a member"));
            };
            if self.is(";") {
                let Attributes { packed, aligned, .. } = s.attributes;
                out.push(Field { name: None, ty: s.ty, bits: None, packed, aligned });
                continue;
            }
            loop {
                let d = match self.is(":") {
                    true => Declarator {
                        name: None,
                        ops: Vec::new(),
                        attributes: Attributes::default(),
                    },
                    false => self.declarator(true)?,
                };
                let bits = if self.eat(":") { Some(self.conditional()?) } else { None };
                let mut attributes = join(s.attributes, d.attributes);
                self.attributes(&mut attributes)?;
                let ty = self.apply(s.ty, d.ops);
                let ty =
                    self.qualify(ty, Qualified { odd: attributes.odd, ..Qualified::default() });
                let ty = self.demands(ty, attributes, false);
                let Attributes { packed, aligned, .. } = attributes;
                let name = d.name.map(|(name, _)| name);
                out.push(Field { name, ty, bits, packed, aligned });
                if !self.eat(",") {
                    break;
                }
                self.attributes(&mut Attributes::default())?;
            }
            self.expect(";")?;
        }
        Ok(out)
    }

    fn enumeration(&mut self) -> Parsed<TypeId> {
        self.advance();
        let before = self.pos;
        self.attributes(&mut Attributes::default())?;
        let mut odd = self.pos > before;
        let name = self.word();
        if name.is_some() {
            self.advance();
        }
        // `enum e : 3;` is a bit-field without a name.
        if self.is(":") && self.starts_type(1) {
            self.advance();
            self.deeper(|p| p.specifiers(false))?;
            odd = true;
        }
        let known = match (name, self.is("{")) {
            (Some(name), false) => self.scopes.iter().rev().find_map(|s| s.enums.get(&name)),
            // A definition completes what its own scope has declared.
            (Some(name), true) => self.scopes.last().and_then(|s| s.enums.get(&name)),
            (None, _) => None,
        };
        let known = known.copied();
        let id = known.unwrap_or_else(|| {
            self.unit.enums.push(Enumeration { tag: name, members: None, odd: false });
            EnumId(self.unit.enums.len() as u32 - 1)
        });
        if let Some(name) = name
            && known.is_none()
        {
            let scope = self.scopes.last_mut().expect("the file's scope stays");
            scope.enums.insert(name, id);
        }
        if self.eat("{") {
            let mut members = Vec::new();
            while !self.eat("}") {
                let Some(sym) = self.word() else { return Err(self.wanted("an enumerator")) };
                self.advance();
                self.attributes(&mut Attributes::default())?;
                let value = if self.eat("=") { Some(self.conditional()?) } else { None };
                let enumerator = EnumeratorId(self.unit.enumerators.len() as u32);
                let first = members.is_empty();
                self.unit.enumerators.push(Enumerator { name: sym, value, first });
                self.declare(sym, Meaning::Enumerator(enumerator));
                members.push(enumerator);
                if !self.eat(",") {
                    self.expect("}")?;
                    break;
                }
            }
            self.unit.enums[id.index()].members = Some(members);
        } else if name.is_none() {
            return Err(self.wanted("a tag or `{`"));
        }
        let before = self.pos;
        self.attributes(&mut Attributes::default())?;
        self.unit.enums[id.index()].odd |= odd || self.pos > before;
        Ok(self.type_node(TypeKind::Enum(id)))
    }

    /// A type as in a cast.
    fn type_name(&mut self) -> Parsed<TypeId> {
        let Some(s) = self.specifiers(false)? else { return Err(self.wanted("a type")) };
        let d = self.declarator(false)?;
        Ok(self.apply(s.ty, d.ops))
    }

    fn apply(&mut self, mut ty: TypeId, ops: Vec<Op>) -> TypeId {
        for op in ops {
            let (kind, q) = match op {
                Op::Pointer(q) => (TypeKind::Pointer(ty), q),
                Op::Array(size) => (TypeKind::Array(ty, size), Qualified::default()),
                Op::Function { params, variadic, unprototyped } => {
                    let kind = TypeKind::Function { result: ty, params, variadic, unprototyped };
                    (kind, Qualified::default())
                }
            };
            ty = self.qualified_node(kind, q);
        }
        ty
    }

    /// A declarator; its parts are listed in the order in which they go around the type.
    fn declarator(&mut self, named: bool) -> Parsed<Declarator> {
        self.deeper(|p| p.declarator_here(named))
    }

    fn declarator_here(&mut self, named: bool) -> Parsed<Declarator> {
        let mut attributes = Attributes::default();
        let mut ops = Vec::new();
        self.attributes(&mut attributes)?;
        while self.is("*") || self.is("^") {
            self.advance();
            let mut q = Qualified::default();
            loop {
                match self.kw() {
                    Some(Kw::Const) => q.is_const = true,
                    Some(Kw::Volatile) => q.is_volatile = true,
                    Some(Kw::Qualifier) => {}
                    Some(Kw::Attribute) => {
                        self.attributes(&mut attributes)?;
                        continue;
                    }
                    _ => break,
                }
                self.advance();
            }
            ops.push(Op::Pointer(q));
        }
        let mut inner = None;
        let mut name = None;
        if self.is("(") && self.groups(named) {
            self.advance();
            let d = self.declarator(named)?;
            self.expect(")")?;
            inner = Some(d);
        } else if let Some(sym) = self.word() {
            name = Some((sym, self.at()));
            self.advance();
        }
        let mut suffixes = Vec::new();
        loop {
            self.attributes(&mut attributes)?;
            if self.eat("[") {
                while matches!(
                    self.kw(),
                    Some(Kw::Static | Kw::Const | Kw::Volatile | Kw::Qualifier)
                ) {
                    self.advance();
                }
                let size = if self.is("]") {
                    None
                } else if self.is("*") && self.ahead_is(1, "]") {
                    self.advance();
                    None
                } else {
                    Some(self.assignment()?)
                };
                self.expect("]")?;
                suffixes.push(Op::Array(size));
            } else if self.is("(") && (name.is_some() || inner.is_some() || !named) {
                suffixes.push(self.parameters()?);
            } else {
                break;
            }
        }
        ops.extend(suffixes.into_iter().rev());
        if let Some(d) = inner {
            ops.extend(d.ops);
            name = d.name;
            attributes = join(attributes, d.attributes);
        }
        while self.kw() == Some(Kw::Asm) && named && matches!(self.ahead(1), Tok::Punct("(")) {
            attributes.asm_name = self.asm_name()?.or(attributes.asm_name);
        }
        self.attributes(&mut attributes)?;
        Ok(Declarator { name, ops, attributes })
    }

    /// Whether the parenthesis here groups a declarator, and is no list of parameters.
    fn groups(&self, named: bool) -> bool {
        match self.ahead(1) {
            Tok::Punct("*" | "(" | "^" | "[") => true,
            Tok::Punct(_) => false,
            Tok::Word(sym) => match self.keywords.get(sym) {
                Some(Kw::Attribute) => true,
                Some(_) => false,
                None => self.typedef(Tok::Word(sym)).is_none() && named,
            },
            _ => false,
        }
    }

    fn parameters(&mut self) -> Parsed<Op> {
        self.expect("(")?;
        self.scopes.push(Scope::default());
        let result = self.parameter_list();
        self.scopes.pop();
        result
    }

    fn parameter_list(&mut self) -> Parsed<Op> {
        let (mut params, mut variadic) = (Vec::new(), false);
        if self.eat(")") {
            return Ok(Op::Function { params, variadic, unprototyped: true });
        }
        if self.kw() == Some(Kw::Void) && self.ahead_is(1, ")") {
            self.advance();
            self.advance();
            return Ok(Op::Function { params, variadic, unprototyped: false });
        }
        // K&R: names alone.
        if self.word().is_some()
            && self.typedef(self.tok()).is_none()
            && (self.ahead_is(1, ",") || self.ahead_is(1, ")"))
        {
            loop {
                let Some(name) = self.word() else { return Err(self.wanted("a parameter")) };
                self.advance();
                let ty = self.base("int");
                params.push(Param { name: Some(name), ty });
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            return Ok(Op::Function { params, variadic, unprototyped: true });
        }
        loop {
            if self.eat("...") {
                variadic = true;
                break;
            }
            let Some(s) = self.specifiers(true)? else { return Err(self.wanted("a parameter")) };
            let d = self.deeper(|p| p.parameter_declarator())?;
            let ty = self.apply(s.ty, d.ops);
            let name = d.name.map(|(name, _)| name);
            if let Some(name) = name {
                self.declare(name, Meaning::Other);
            }
            params.push(Param { name, ty });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(Op::Function { params, variadic, unprototyped: false })
    }

    /// A declarator that may have a name or none.
    fn parameter_declarator(&mut self) -> Parsed<Declarator> {
        // With a name somewhere before the end of the parameter it is a named one. A name that is
        // a type, in parentheses, is a parameter list: `int f(int (T))`.
        let mut n = 0;
        loop {
            match self.ahead(n) {
                Tok::Punct("*" | "(" | "^") => n += 1,
                Tok::Word(sym) => match self.keywords.get(sym) {
                    Some(Kw::Const | Kw::Qualifier) => n += 1,
                    Some(Kw::Attribute) => break,
                    Some(_) => return self.declarator_here(false),
                    None => {
                        let inside = n > 0 && self.ahead_is(n - 1, "(");
                        let named = !inside || self.typedef(Tok::Word(sym)).is_none();
                        return self.declarator_here(named);
                    }
                },
                _ => break,
            }
        }
        self.declarator_here(false)
    }

    fn initialiser(&mut self) -> Parsed<InitId> {
        if !self.is("{") {
            let e = self.assignment()?;
            return Ok(self.init_node(Init::Expr(e)));
        }
        self.deeper(|p| {
            p.advance();
            let mut list = Vec::new();
            let mut paths = Vec::new();
            while !p.eat("}") {
                let (mut designators, mut members) = (Vec::new(), Vec::new());
                let mut path = Vec::new();
                loop {
                    if p.is("[") {
                        p.advance();
                        let low = p.conditional()?;
                        designators.push(low);
                        if p.eat("...") {
                            let high = p.conditional()?;
                            designators.push(high);
                            path.push(Designator::Range(low, high));
                        } else {
                            path.push(Designator::Index(low));
                        }
                        p.expect("]")?;
                    } else if p.is(".") {
                        p.advance();
                        let Tok::Word(sym) = p.tok() else { return Err(p.wanted("a member")) };
                        members.push(sym);
                        path.push(Designator::Member(sym));
                        p.advance();
                    } else {
                        break;
                    }
                }
                // `x: value` is the old spelling of `.x = value`.
                if let Some(sym) = p.word()
                    && p.ahead_is(1, ":")
                {
                    members.push(sym);
                    path.push(Designator::Member(sym));
                    p.advance();
                    p.advance();
                } else {
                    p.eat("=");
                }
                let value = p.initialiser()?;
                list.push((designators, members, value));
                paths.push(path);
                if !p.eat(",") {
                    p.expect("}")?;
                    break;
                }
            }
            let init = p.init_node(Init::List(list));
            if paths.iter().any(|path| !path.is_empty()) {
                p.unit.extra.designators.insert(init, paths);
            }
            Ok(init)
        })
    }

    // Statements.

    /// A block; its scope is its own if `scoped`.
    fn block(&mut self, scoped: bool) -> Parsed<StmtId> {
        let at = self.at();
        self.expect("{")?;
        if scoped {
            self.scopes.push(Scope::default());
        }
        let mut body = Vec::new();
        while !self.is("}") {
            if self.tok() == Tok::End {
                return Err(self.wanted("`}`"));
            }
            body.push(self.statement()?);
        }
        let end = self.at();
        self.advance();
        if scoped {
            self.scopes.pop();
        }
        Ok(self.stmt_node(at, StmtKind::Block(body, end)))
    }

    fn declaration_statement(&mut self) -> Parsed<StmtId> {
        let at = self.at();
        let declarations = self.declarations()?;
        Ok(self.stmt_node(at, StmtKind::Declare(declarations)))
    }

    fn declarations(&mut self) -> Parsed<Vec<Declaration>> {
        if self.eat_kw(Kw::StaticAssert) {
            self.skip_parens()?;
            self.expect(";")?;
            return Ok(Vec::new());
        }
        let Some(specifiers) = self.specifiers(true)? else {
            return Err(self.wanted("a declaration"));
        };
        let mut out = Vec::new();
        while !self.is(";") {
            let d = self.declarator(true)?;
            if self.is("{") && matches!(d.ops.last(), Some(Op::Function { .. })) {
                return Err(self.fail("a function inside a function"));
            }
            let declaration = self.declared(&specifiers, d)?;
            if specifiers.storage != Storage::Typedef {
                out.push(declaration);
            }
            if !self.eat(",") {
                break;
            }
            self.attributes(&mut Attributes::default())?;
        }
        self.expect(";")?;
        Ok(out)
    }

    fn statement(&mut self) -> Parsed<StmtId> {
        // Labels in a row are a loop: `case` lists can be long.
        enum Prefix {
            Label(Sym),
            Case(ExprId, Option<ExprId>),
            Default,
        }
        let mut prefixes: Vec<(Place, Prefix)> = Vec::new();
        loop {
            let at = self.at();
            if let Some(sym) = self.word()
                && self.ahead_is(1, ":")
            {
                self.advance();
                self.advance();
                prefixes.push((at, Prefix::Label(sym)));
            } else if self.kw() == Some(Kw::Case) {
                self.advance();
                let low = self.conditional()?;
                let high = if self.eat("...") { Some(self.conditional()?) } else { None };
                self.expect(":")?;
                prefixes.push((at, Prefix::Case(low, high)));
            } else if self.kw() == Some(Kw::Default) {
                self.advance();
                self.expect(":")?;
                prefixes.push((at, Prefix::Default));
            } else {
                break;
            }
            // `__attribute__((unused))` after a label.
            while self.kw() == Some(Kw::Attribute) && !self.attribute_declares() {
                self.attributes(&mut Attributes::default())?;
            }
        }
        let at = self.at();
        // A label before `}` is an extension that everybody has.
        let mut s = if self.is("}") && !prefixes.is_empty() {
            self.stmt_node(at, StmtKind::Empty)
        } else {
            self.deeper(Self::unlabelled)?
        };
        for (at, prefix) in prefixes.into_iter().rev() {
            let kind = match prefix {
                Prefix::Label(sym) => StmtKind::Label(self.label_of(sym), s),
                Prefix::Case(low, high) => StmtKind::Case(low, high, s),
                Prefix::Default => StmtKind::Default(s),
            };
            s = self.stmt_node(at, kind);
        }
        Ok(s)
    }

    /// Whether what follows the attribute here is a declaration.
    fn attribute_declares(&self) -> bool {
        match self.closing.get(self.pos + 1) {
            Some(&close) if close != OPEN => self.starts_declaration(close as usize + 1 - self.pos),
            _ => false,
        }
    }

    /// How far it is to the token after the `[[…]]` that start here.
    fn after_brackets(&self) -> usize {
        let mut n = 0;
        while self.ahead_is(n, "[") && self.ahead_is(n + 1, "[") {
            match self.closing[self.pos + n] {
                OPEN => return n,
                close => n = close as usize + 1 - self.pos,
            }
        }
        n
    }

    fn condition(&mut self) -> Parsed<ExprId> {
        self.expect("(")?;
        let e = self.expression()?;
        self.expect(")")?;
        Ok(e)
    }

    fn unlabelled(&mut self) -> Parsed<StmtId> {
        let at = self.at();
        let kind = match self.kw() {
            _ if self.is("{") => return self.block(true),
            _ if self.eat(";") => StmtKind::Empty,
            _ if self.is("[") && self.ahead_is(1, "[") => {
                if self.starts_declaration(self.after_brackets()) {
                    return self.declaration_statement();
                }
                self.attributes(&mut Attributes::default())?;
                return self.statement();
            }
            Some(Kw::If) => return self.conditional_statement(),
            Some(Kw::While) => {
                self.advance();
                let e = self.condition()?;
                StmtKind::While(e, self.statement()?)
            }
            Some(Kw::Do) => {
                self.advance();
                let body = self.statement()?;
                if !self.eat_kw(Kw::While) {
                    return Err(self.wanted("`while`"));
                }
                let e = self.condition()?;
                self.expect(";")?;
                StmtKind::DoWhile(body, e)
            }
            Some(Kw::For) => {
                self.advance();
                self.scopes.push(Scope::default());
                let result = self.for_rest();
                self.scopes.pop();
                result?
            }
            Some(Kw::Switch) => {
                self.advance();
                let e = self.condition()?;
                StmtKind::Switch(e, self.statement()?)
            }
            Some(Kw::Break) => {
                self.advance();
                self.expect(";")?;
                StmtKind::Break
            }
            Some(Kw::Continue) => {
                self.advance();
                self.expect(";")?;
                StmtKind::Continue
            }
            Some(Kw::Return) => {
                self.advance();
                let e = if self.is(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                StmtKind::Return(e)
            }
            Some(Kw::Goto) => {
                self.advance();
                let kind = if self.eat("*") {
                    StmtKind::GotoComputed(self.expression()?)
                } else {
                    let Tok::Word(sym) = self.tok() else { return Err(self.wanted("a label")) };
                    self.advance();
                    StmtKind::Goto(self.label_of(sym))
                };
                self.expect(";")?;
                kind
            }
            Some(Kw::Asm) => StmtKind::Asm(self.asm()?),
            Some(Kw::Pragma) => {
                self.advance();
                self.skip_parens()?;
                StmtKind::Empty
            }
            Some(Kw::LocalLabel) => {
                self.advance();
                while let Some(label) = self.word() {
                    self.local_label(label);
                    self.advance();
                    self.eat(",");
                }
                self.expect(";")?;
                StmtKind::Empty
            }
            Some(Kw::Attribute) if !self.attribute_declares() => {
                // `__attribute__((fallthrough));`
                self.attributes(&mut Attributes::default())?;
                return self.statement();
            }
            _ if self.starts_declaration(0) => return self.declaration_statement(),
            Some(Kw::Else) => return Err(self.wanted("a statement")),
            _ => {
                let e = self.expression()?;
                self.expect(";")?;
                StmtKind::Expr(e)
            }
        };
        Ok(self.stmt_node(at, kind))
    }

    /// `if … else if … else …`, as a loop.
    fn conditional_statement(&mut self) -> Parsed<StmtId> {
        let mut arms = Vec::new();
        let mut last = None;
        loop {
            let at = self.at();
            self.advance();
            let e = self.condition()?;
            let then = self.statement()?;
            arms.push((at, e, then));
            if !self.eat_kw(Kw::Else) {
                break;
            }
            if self.kw() != Some(Kw::If) {
                last = Some(self.statement()?);
                break;
            }
        }
        for (at, e, then) in arms.into_iter().rev() {
            last = Some(self.stmt_node(at, StmtKind::If(e, then, last)));
        }
        Ok(last.expect("there is an arm"))
    }

    fn for_rest(&mut self) -> Parsed<StmtKind> {
        self.expect("(")?;
        let init = if self.eat(";") {
            ForInit::None
        } else if self.starts_declaration(0) {
            ForInit::Declare(self.declarations()?)
        } else {
            let e = self.expression()?;
            self.expect(";")?;
            ForInit::Expr(e)
        };
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        let body = self.statement()?;
        Ok(StmtKind::For(init, condition, step, body))
    }

    fn asm(&mut self) -> Parsed<Asm> {
        self.advance();
        while matches!(self.kw(), Some(Kw::Volatile | Kw::Qualifier | Kw::Goto | Kw::Inline)) {
            self.advance();
        }
        self.expect("(")?;
        let mut out = Asm { empty: true, ..Asm::default() };
        while let Tok::Text(text) = self.tok() {
            let body = self.unit.name(text).trim_matches('"');
            out.empty &= body.chars().all(char::is_whitespace);
            self.advance();
        }
        out.memory = self.is(")");
        let mut section = 0;
        while !self.eat(")") {
            if self.eat(":") {
                section += 1;
                continue;
            }
            // Two empty sections may stand as one token in C++ lexers, never here.
            match section {
                1 | 2 => {
                    if self.eat("[") {
                        self.advance();
                        self.expect("]")?;
                    }
                    while matches!(self.tok(), Tok::Text(_)) {
                        self.advance();
                    }
                    self.expect("(")?;
                    let e = self.expression()?;
                    self.expect(")")?;
                    if section == 1 { out.outputs.push(e) } else { out.inputs.push(e) }
                }
                3 => match self.tok() {
                    Tok::Text(sym) => {
                        out.memory |= self.unit.name(sym).contains("memory");
                        self.advance();
                    }
                    _ => return Err(self.wanted("a clobbered register")),
                },
                4 => {
                    let Some(label) = self.word() else { return Err(self.wanted("a label")) };
                    out.labels.push(self.label_of(label));
                    self.advance();
                }
                _ => return Err(self.wanted("`)`")),
            }
            self.eat(",");
        }
        self.eat(";");
        Ok(out)
    }

    // Expressions.

    fn expression(&mut self) -> Parsed<ExprId> {
        let at = self.at();
        let mut e = self.assignment()?;
        while self.eat(",") {
            let right = self.assignment()?;
            e = self.expr_node(at, ExprKind::Comma(e, right));
        }
        Ok(e)
    }

    fn assignment(&mut self) -> Parsed<ExprId> {
        // Assignments group to the right; a chain is a loop.
        let mut chain = Vec::new();
        let mut e = loop {
            let at = self.at();
            let left = self.conditional()?;
            let op = match self.tok() {
                Tok::Punct("=") => Assign::Plain,
                Tok::Punct(p) if p.len() >= 2 && p.ends_with('=') => {
                    match binary(&p[..p.len() - 1]) {
                        Some((op, _)) if !matches!(p, "==" | "!=" | "<=" | ">=") => {
                            Assign::With(op)
                        }
                        _ => break left,
                    }
                }
                _ => break left,
            };
            self.advance();
            chain.push((at, op, left));
        };
        for (at, op, left) in chain.into_iter().rev() {
            e = self.expr_node(at, ExprKind::Assign(op, left, e));
        }
        Ok(e)
    }

    fn conditional(&mut self) -> Parsed<ExprId> {
        // `a ? b : c ? d : e` is a loop, too.
        let mut chain = Vec::new();
        let mut e = loop {
            let at = self.at();
            let condition = self.deeper(|p| p.operators(0))?;
            if !self.eat("?") {
                break condition;
            }
            let then = if self.is(":") { None } else { Some(self.deeper(Self::expression)?) };
            self.expect(":")?;
            chain.push((at, condition, then));
        };
        for (at, condition, then) in chain.into_iter().rev() {
            e = self.expr_node(at, ExprKind::Conditional(condition, then, e));
        }
        Ok(e)
    }

    /// Operators with two operands that bind tighter than `level`.
    fn operators(&mut self, level: u8) -> Parsed<ExprId> {
        let at = self.at();
        let mut left = self.unary()?;
        while let Tok::Punct(p) = self.tok()
            && let Some((op, binds)) = binary(p)
            && binds > level
        {
            self.advance();
            let right = self.deeper(|p| p.operators(binds))?;
            left = self.expr_node(at, ExprKind::Binary(op, left, right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let at = self.at();
        let op = match self.tok() {
            Tok::Punct("-") => Unary::Minus,
            Tok::Punct("+") => Unary::Plus,
            Tok::Punct("~") => Unary::Complement,
            Tok::Punct("!") => Unary::Not,
            Tok::Punct("*") => Unary::Deref,
            Tok::Punct("&") => Unary::Address,
            Tok::Punct(p @ ("++" | "--")) => Unary::Step { up: p == "++", after: false },
            Tok::Punct("&&") => {
                self.advance();
                let Tok::Word(sym) = self.tok() else { return Err(self.wanted("a label")) };
                self.advance();
                let sym = self.label_of(sym);
                return Ok(self.expr_node(at, ExprKind::LabelAddress(sym)));
            }
            Tok::Punct("(") if self.starts_type(1) => {
                let ty = self.parenthesised_type()?;
                if self.is("{") {
                    let init = self.initialiser()?;
                    let e = self.expr_node(at, ExprKind::Compound(ty, init));
                    return self.postfix(at, e);
                }
                let e = self.deeper(Self::unary)?;
                return Ok(self.expr_node(at, ExprKind::Cast(ty, e)));
            }
            _ => match self.kw() {
                Some(Kw::Extension) => {
                    self.advance();
                    return self.deeper(Self::unary);
                }
                Some(Kw::RealPart) => {
                    let imaginary =
                        matches!(self.tok(), Tok::Word(s) if self.unit.name(s).contains("imag"));
                    self.advance();
                    let e = self.deeper(Self::unary)?;
                    let e = self.expr_node(at, ExprKind::Unary(Unary::Part, e));
                    if imaginary {
                        self.unit.extra.imaginary.insert(e);
                    }
                    return Ok(e);
                }
                Some(Kw::Sizeof) => {
                    let size = matches!(self.tok(), Tok::Word(s) if self.unit.name(s) == "sizeof");
                    self.advance();
                    if self.is("(") && self.starts_type(1) {
                        let ty = self.parenthesised_type()?;
                        if self.is("{") {
                            let init = self.initialiser()?;
                            let e = self.expr_node(at, ExprKind::Compound(ty, init));
                            let e = self.postfix(at, e)?;
                            return Ok(self.expr_node(at, ExprKind::SizeOf(e)));
                        }
                        if size {
                            return Ok(self.expr_node(at, ExprKind::SizeOfType(ty)));
                        }
                        return Ok(self.about(at, ty, About::Align));
                    }
                    let e = self.deeper(Self::unary)?;
                    let e = self.expr_node(at, ExprKind::SizeOf(e));
                    if !size {
                        self.unit.extra.align_of.insert(e);
                    }
                    return Ok(e);
                }
                _ => {
                    let e = self.primary()?;
                    return self.postfix(at, e);
                }
            },
        };
        self.advance();
        let e = self.deeper(Self::unary)?;
        Ok(self.expr_node(at, ExprKind::Unary(op, e)))
    }

    /// A constant about a type.
    fn about(&mut self, at: Place, ty: TypeId, about: About) -> ExprId {
        let e = self.expr_node(at, ExprKind::AboutType(ty));
        self.unit.extra.about.insert(e, about);
        e
    }

    fn parenthesised_type(&mut self) -> Parsed<TypeId> {
        self.expect("(")?;
        let ty = self.deeper(Self::type_name)?;
        self.expect(")")?;
        Ok(ty)
    }

    fn postfix(&mut self, at: Place, mut e: ExprId) -> Parsed<ExprId> {
        loop {
            let kind = match self.tok() {
                Tok::Punct("[") => {
                    self.advance();
                    let i = self.deeper(Self::expression)?;
                    self.expect("]")?;
                    ExprKind::Index(e, i)
                }
                Tok::Punct("(") => {
                    self.advance();
                    let mut arguments = Vec::new();
                    while !self.eat(")") {
                        arguments.push(self.deeper(Self::assignment)?);
                        if !self.eat(",") {
                            self.expect(")")?;
                            break;
                        }
                    }
                    ExprKind::Call(e, arguments)
                }
                Tok::Punct(p @ ("." | "->")) => {
                    self.advance();
                    let Tok::Word(sym) = self.tok() else { return Err(self.wanted("a member")) };
                    self.advance();
                    if p == "." { ExprKind::Field(e, sym) } else { ExprKind::Arrow(e, sym) }
                }
                Tok::Punct(p @ ("++" | "--")) => {
                    self.advance();
                    ExprKind::Unary(Unary::Step { up: p == "++", after: true }, e)
                }
                _ => return Ok(e),
            };
            e = self.expr_node(at, kind);
        }
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let at = self.at();
        let kind = match self.tok() {
            Tok::Number(sym) => ExprKind::Number(sym),
            Tok::Text(sym) => {
                while matches!(self.ahead(1), Tok::Text(_)) {
                    self.advance();
                }
                ExprKind::Text(sym)
            }
            Tok::Punct("(") if self.ahead_is(1, "{") => {
                self.advance();
                let s = self.deeper(|p| p.block(true))?;
                self.expect(")")?;
                return Ok(self.expr_node(at, ExprKind::Block(s)));
            }
            Tok::Punct("(") => {
                self.advance();
                let e = self.deeper(Self::expression)?;
                self.expect(")")?;
                return Ok(e);
            }
            Tok::Word(sym) => match self.keywords.get(sym) {
                // Keywords of C23, unless the program has names of its own.
                None if self.meaning(sym).is_none()
                    && matches!(self.unit.name(sym), "true" | "false" | "nullptr") =>
                {
                    let value = if self.unit.name(sym) == "true" { "1" } else { "0" };
                    ExprKind::Number(self.unit.names.add(value))
                }
                None => match self.meaning(sym) {
                    Some(Meaning::Enumerator(id)) => ExprKind::Enumerator(id),
                    _ => ExprKind::Name(sym),
                },
                // The first operand is a constant.
                Some(Kw::ChooseExpr) => {
                    self.advance();
                    self.expect("(")?;
                    let condition = self.deeper(Self::assignment)?;
                    self.expect(",")?;
                    let then = self.deeper(Self::assignment)?;
                    self.expect(",")?;
                    let last = self.deeper(Self::assignment)?;
                    self.expect(")")?;
                    let e = self.expr_node(at, ExprKind::Conditional(condition, Some(then), last));
                    self.unit.extra.chosen.insert(e);
                    return Ok(e);
                }
                Some(Kw::BitCast) => {
                    self.advance();
                    self.expect("(")?;
                    let ty = self.type_name()?;
                    self.expect(",")?;
                    let e = self.deeper(Self::assignment)?;
                    self.expect(")")?;
                    return Ok(self.expr_node(at, ExprKind::Cast(ty, e)));
                }
                Some(Kw::Offsetof) => {
                    self.advance();
                    self.expect("(")?;
                    let ty = self.type_name()?;
                    self.expect(",")?;
                    let Some(member) = self.word() else { return Err(self.wanted("a member")) };
                    let e = self.expr_node(at, ExprKind::Name(member));
                    self.advance();
                    let mut e = self.postfix(at, e)?;
                    self.expect(")")?;
                    let mut path = Vec::new();
                    loop {
                        e = match self.unit.expr(e).kind {
                            ExprKind::Index(inner, i) => {
                                path.push(Designator::Index(i));
                                inner
                            }
                            ExprKind::Field(inner, sym) => {
                                path.push(Designator::Member(sym));
                                inner
                            }
                            _ => break,
                        };
                    }
                    path.push(Designator::Member(member));
                    path.reverse();
                    return Ok(self.about(at, ty, About::Offset(path)));
                }
                Some(Kw::TypesCompatible) => {
                    self.advance();
                    self.expect("(")?;
                    let ty = self.type_name()?;
                    self.expect(",")?;
                    let other = self.type_name()?;
                    self.expect(")")?;
                    return Ok(self.about(at, ty, About::Compatible(other)));
                }
                Some(Kw::VaArg) => {
                    self.advance();
                    self.expect("(")?;
                    let e = self.deeper(Self::assignment)?;
                    self.expect(",")?;
                    let ty = self.type_name()?;
                    self.expect(")")?;
                    return Ok(self.expr_node(at, ExprKind::VaArg(e, ty)));
                }
                Some(Kw::Generic) => {
                    self.advance();
                    self.expect("(")?;
                    let e = self.deeper(Self::assignment)?;
                    let (mut arms, mut types) = (Vec::new(), Vec::new());
                    while self.eat(",") {
                        types.push(match self.eat_kw(Kw::Default) {
                            true => None,
                            false => Some(self.type_name()?),
                        });
                        self.expect(":")?;
                        arms.push(self.deeper(Self::assignment)?);
                    }
                    self.expect(")")?;
                    let e = self.expr_node(at, ExprKind::Generic(e, arms));
                    self.unit.extra.generic.insert(e, types);
                    return Ok(e);
                }
                Some(_) => return Err(self.wanted("an expression")),
            },
            _ => return Err(self.wanted("an expression")),
        };
        self.advance();
        Ok(self.expr_node(at, kind))
    }
}

fn join(a: Attributes, b: Attributes) -> Attributes {
    Attributes {
        noreturn: a.noreturn || b.noreturn,
        cleanup: a.cleanup.or(b.cleanup),
        constructor: a.constructor || b.constructor,
        destructor: a.destructor || b.destructor,
        weak: a.weak || b.weak,
        alias: a.alias.or(b.alias),
        ifunc: a.ifunc.or(b.ifunc),
        asm_name: a.asm_name.or(b.asm_name),
        odd: a.odd || b.odd,
        packed: a.packed || b.packed,
        aligned: b.aligned.or(a.aligned),
        mode: a.mode.or(b.mode),
    }
}

/// One spelling for each arithmetic type; the words are sorted.
fn normal_base(words: &[&str]) -> String {
    let has = |w: &[&str]| words.iter().any(|x| w.contains(x));
    let count = |w: &str| words.iter().filter(|x| **x == w).count();
    let unsigned = has(&["unsigned"]);
    let signed = has(&["signed", "__signed", "__signed__"]);
    let core = if has(&["char"]) {
        return match (unsigned, signed) {
            (true, _) => "unsigned char".into(),
            (_, true) => "signed char".into(),
            _ => "char".into(),
        };
    } else if has(&["short"]) {
        "short"
    } else if has(&["double"]) {
        if count("long") > 0 { "long double" } else { "double" }
    } else if count("long") >= 2 {
        "long long"
    } else if count("long") == 1 {
        "long"
    } else {
        match words
            .iter()
            .find(|w| !matches!(**w, "int" | "unsigned" | "signed" | "__signed" | "__signed__"))
        {
            Some(other) => other,
            None => "int",
        }
    };
    let complex = has(&["_Complex", "__complex__", "__complex", "_Imaginary"]);
    match (unsigned, complex && core != "_Complex") {
        (true, _) => format!("unsigned {core}"),
        (_, true) => format!("{core} _Complex"),
        _ => core.to_owned(),
    }
}

/// The operator and how tight it binds.
fn binary(p: &str) -> Option<(Binary, u8)> {
    Some(match p {
        "||" => (Binary::Or, 1),
        "&&" => (Binary::And, 2),
        "|" => (Binary::BitOr, 3),
        "^" => (Binary::BitXor, 4),
        "&" => (Binary::BitAnd, 5),
        "==" => (Binary::Eq, 6),
        "!=" => (Binary::Ne, 6),
        "<" => (Binary::Lt, 7),
        ">" => (Binary::Gt, 7),
        "<=" => (Binary::Le, 7),
        ">=" => (Binary::Ge, 7),
        "<<" => (Binary::Shl, 8),
        ">>" => (Binary::Shr, 8),
        "+" => (Binary::Add, 9),
        "-" => (Binary::Sub, 9),
        "*" => (Binary::Mul, 10),
        "/" => (Binary::Div, 10),
        "%" => (Binary::Rem, 10),
        _ => return None,
    })
}
