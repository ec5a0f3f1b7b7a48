//! The command line. Parsing it does nothing but validate.

mod config;
mod equations;
mod families;
mod influence;
mod pages;

pub(crate) use crate::limit_args::LimitArgs;
use crate::paint::Color;
use crate::units;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
pub(crate) use config::{Batch, BatchFormat, ConfigArgs, EmitTasks, Init};
pub(crate) use equations::{
    Eval, LtsArgs, MethodArg, ModelProgram, MuSyntaxArg, ProgramView, Resolve, SolutionFormat,
    Solve, ViewArg,
};
pub(crate) use families::{FamilyArg, GameArg, Gen};
pub(crate) use influence::{AnalysisArg, Annotate, AnnotatedFormat, Influence, InfluenceMethodArg};
pub(crate) use pages::asks_for_json;
use postbop::{EngineChoice, LANGUAGES, Lang};

/// A model checker for programs with procedures: every path, every call depth, readable
/// traces.
#[derive(Parser, Debug)]
#[command(name = "bop", version, max_term_width = 100, after_help = MAIN_EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const MAIN_EXAMPLES: &str = "\
Examples:
  bop check f.c --rule memory          leaks, uses after free: on every path of a C program
  bop check f.c --memory-safety        null, bounds, use after free: with all data
  bop check lock.bp                    can an assertion fail? is SLIC_ERROR reachable?
  bop check lock.bp --reach R          is the statement labelled R reachable? how?
  bop check sort.rem --reach BAD       programs in Remopla, pushdown systems (.pds)
  bop check lock.bp --ltl 'G (p -> F q)'  does every run satisfy the formula?
  bop check lock.bp --terminates       does every run end?
  bop states lock.bp --at R            what can the variables be at R?
  bop states lock.bp --to 'f .* g .*'  can f run with g anywhere below it?
  bop gen bebop-t 100 | bop check - --lang bp --reach reach
  bop ltl 'G (request -> F grant)'     a formula's automaton

Exit codes: 0 all hold, 1 some violated (or reachable), 2 bad input or usage,
3 none violated and some unknown.";

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Answer questions about a program
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<Check>),
    /// Show what can hold at a statement, or which stacks are reached
    #[command(after_help = STATES_EXAMPLES)]
    States(Box<States>),
    /// Show the automaton of all configurations that are reached (post*)
    #[command(after_help = POST_EXAMPLES)]
    Post(Box<Post>),
    /// Show the automaton of all configurations that lead to some (pre*)
    #[command(after_help = PRE_EXAMPLES)]
    Pre(Box<Pre>),
    /// Write a program in another form
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(Convert),
    /// Show what a stage of the work produces
    #[command(after_help = DUMP_EXAMPLES)]
    Dump(Dump),
    /// Check the traces of a JSON report, or saved proofs, against the program
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(Replay),
    /// Write a member of a family of programs with known answers
    #[command(after_help = GEN_EXAMPLES)]
    Gen(Gen),
    /// Write the automaton of a temporal formula
    #[command(after_help = LTL_EXAMPLES)]
    Ltl(Ltl),
    /// Run a C program, and say what undefined behaviour it meets
    #[command(after_help = crate::run::EXAMPLES)]
    Run(crate::run::Run),
    /// Make tests of a C program: inputs that reach every branch, or every line
    #[command(after_help = crate::testing::EXAMPLES)]
    Test(crate::testing::Test),
    /// Run a build, and record how it calls the C compiler
    #[command(after_help = CAPTURE_EXAMPLES)]
    Capture(Capture),
    /// Evaluate a mu-calculus formula on a transition system
    #[command(after_help = EVAL_EXAMPLES)]
    Eval(Eval),
    /// Solve a system of boolean equations
    #[command(after_help = SOLVE_EXAMPLES)]
    Solve(Solve),
    /// Write the transition system of a program
    #[command(after_help = LTS_EXAMPLES)]
    Lts(LtsArgs),
    /// Show which variables matter at each point of a program
    #[command(after_help = INFLUENCE_EXAMPLES)]
    Influence(Influence),
    /// Show for which names a formula holds at each point of a program
    #[command(after_help = ANNOTATE_EXAMPLES)]
    Annotate(Annotate),
    /// Look at a project, and write a `bop.toml` for it
    #[command(after_help = config::INIT_EXAMPLES)]
    Init(Init),
    /// Check many programs with many questions, all cores at once
    #[command(after_help = config::BATCH_EXAMPLES)]
    Batch(Batch),
    /// Serve an editor: the Language Server Protocol over standard input and output
    #[command(after_help = crate::lsp::EXAMPLES)]
    Lsp,
    /// Write the manual pages of all verbs into a folder
    #[command(after_help = crate::man::EXAMPLES)]
    Man {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: String,
    },
    /// Write a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

const CHECK_EXAMPLES: &str = "\
With no property named, assertions are checked and, where that label exists, whether SLIC_ERROR (in C
also ERROR) is reachable.

Examples:
  bop check lock.bp
  bop check lock.bp --reach R --reach main:L --reach :42
  bop check lock.bp --reach-all                   dead code
  bop check lock.bp --ltl 'G (request -> F granted)'
  bop check lock.bp --terminates --fair '!in(idle)'
  bop check lock.bp --reach R --format bebop      the listing of Bebop, in reverse
  bop check lock.bp --format json -o report.json
  bop check big.bp --timeout 60s --memory 4G --trace any --stats
  bop check big.bp --engine compare --self-check
  bop check a.c b.c --rule memory -- -Iinclude -DX=1      rules, checked on all paths of C programs
  bop check --compile-commands compile_commands.json --rule locks --rule my.rule
  bop check f.c --assert --emit-test tests        C with its data: inputs that break an assertion
  bop check f.c --overflow --memory-safety                C with its data: runs that are executed
  bop check f.c --keep max:2 --keep a:2 --ltl 'G !error'  C with the values of two variables";

const CAPTURE_EXAMPLES: &str = "\
The exit code is that of the build. Compilers are seen however they are called: by name, by path, from
CMake, behind ccache, by libtool.

Examples:
  bop capture -- make -j4               writes compile_commands.json
  bop capture -- sh -c 'cmake -B build && cmake --build build'
  bop check --compile-commands compile_commands.json --rule memory";

const STATES_EXAMPLES: &str = "\
With --at, shows what can hold at a statement; --stacks shows the stacks below it instead.
Without --at, says whether a stack of --to is reached: exit code 1 if so, 0 if not.

Sets of stacks are regular expressions over frames, the topmost one first:
  f            a frame of the procedure f, or at the label f
  f:L f:12 :12 a frame at the label L, or on line 12 (below the top: waiting in a call there)
  .  !f        any frame; any but those
  f[x < y]     such a frame whose variables satisfy the condition (below the top: its locals)
  a b  a|b  a&b  a* a+ a?  (a)
  ~a           every stack but these
In a pushdown system the frames are stack symbols, and q <a b> asks for the control location q.
@FILE reads an automaton from a file.

Examples:
  bop states lock.bp --at R             all variables in scope at the statement labelled R
  bop states lock.bp --at :12 --vars g,h
  bop states lock.bp --at main:R --format json
  bop states lock.bp --to 'f .* g .*'   can f run with g anywhere below it?
  bop states lock.bp --at R --stacks    which stacks can be below R?
  bop states lock.bp --at R --stacks=procs --format dot | dot -Tsvg -o stacks.svg
  bop states lock.bp --at R --stacks=data   and what do their variables hold?
  bop states q.rem --to 'quicksort[lo < hi] .* main'
  bop states lock.bp --at R --from 'f'  what holds at R if the program starts in f?
  bop states lock.bp --at R --to 'g .*'  what must hold at R so that g can be entered?";

const POST_EXAMPLES: &str = "\
The automaton reads stacks, the topmost frame first. In the formula of an edge x is a variable of the frame,
'x one of the state that the edge leaves, x' one of the state that it leads to: the values with which
the frame was entered. Sets of stacks are written as in `bop states`.

Examples:
  bop post lock.bp                      what is reached from the start
  bop post sys.pds --from 'q <a a>' --format json
  bop post lock.bp --format dot | dot -Tsvg -o post.svg";

const PRE_EXAMPLES: &str = "\
As `bop post`, backwards: what a state holds are the values with which the frame is left.

Examples:
  bop pre lock.bp --to 'f[x] .*'        from where can f come to run with x?
  bop pre sys.pds --to 'q <a .*>'";

const CONVERT_EXAMPLES: &str = "\
Examples:
  bop convert old.bp --to bp            the common subset that all tools read
  bop convert old.bp --dialect satabs --to bp
  bop convert lock.bp --to remopla      for Moped
  bop convert sort.rem --to pds         as a symbolic pushdown system
  bop convert sort.rem --to bp          numbers and arrays as bits
  bop convert lock.bp --to dot | dot -Tsvg -o lock.svg
  bop convert flat.bp --to aiger -o flat.aag                  a circuit, for ABC and others
  bop convert f.c --to smv --stack-depth 5 --encoding bits    the control skeleton, for NuSMV
  bop convert f.c --to chc -o f.smt2    C with its data as Horn clauses; z3 f.smt2 says sat if no assertion fails
  bop convert f.c --to bp --predicates f.preds    a boolean program that tells these predicates, and no other data
  bop convert live.mcl --to blk --model program.aut           a formula as modal equations
  bop convert live.mcl --to pbes --model program.aut          with the model, for mCRL2

A Remopla program and a pushdown system have no assertions: one that can fail becomes a statement
where nothing goes on.";

const DUMP_EXAMPLES: &str = "\
Examples:
  bop dump lock.bp --stage tree         the syntax tree
  bop dump lock.bp --stage ir           the control-flow graph with the relation on every edge
  bop dump lock.bp --stage spds         the symbolic pushdown system
  bop dump f.c --stage data             a C program with all its data
  bop dump lock.bp --stage task --reach R
  bop dump lock.bp --stage summaries    what each procedure does, from entry to exit";

const REPLAY_EXAMPLES: &str = "\
Exit codes: 0 all traces are runs of the program and all proofs are proofs, 1 one is not, 2 bad input,
3 not found out.

Examples:
  bop check lock.bp --reach R --format json -o report.json; bop replay lock.bp report.json
  bop check lock.bp --reach Q --proof proof.json; bop replay lock.bp proof.json";

const GEN_EXAMPLES: &str = "\
Examples:
  bop gen bebop-t 1000 -o t1000.bp; bop check t1000.bp --reach reach
  bop gen counter 16 | bop check - --lang bp
  bop gen wide --vars 400 --procs 30 --nondet 20 --seed 7 -o wide.bp
  bop gen gc -o gc.c; bop check gc.c --rule gc-variables -q
  bop gen quicksort --bits 3 --len 4 | bop check - --lang remopla --reach BAD
  bop gen andor --vars 5000000 | bop solve - --method global
  bop gen game two-counters 10 | bop solve -";

const LTL_EXAMPLES: &str = "\
Operators, from the one that binds least: -> <->, ^, |, &, U R W M, and the prefixes G [] F <> X !
Atoms: names, proc::var, at(L), in(proc), terminated, error, and expressions in double quotes.

Examples:
  bop ltl 'G (request -> F grant)'
  bop ltl 'G F a & G F b' --ba          one mark, on states
  bop ltl 'a U b' --format dot | dot -Tsvg -o until.svg
  bop ltl '!(F G p)' --format text --stats";

const EVAL_EXAMPLES: &str = "\
Exit codes: 0 true, 1 false, 2 bad input, 3 not found out.

Examples:
  bop eval '[true*]<true>true' model.aut                    no deadlock (mCRL2's syntax)
  bop eval 'nu X . (< true > true and [ true ] X)' model.aut    the same in CADP's
  bop eval @formula.mcf model.aut --diagnostic why.aut      the part of the model that shows it";

const SOLVE_EXAMPLES: &str = "\
Exit codes: 0 true, 1 false, 2 bad input, 3 not found out.

Examples:
  bop solve system.pbes                 mCRL2's text format, with or without parameters
  bop solve system.bes                  blocks, as in CADP
  bop solve analysis.blk --model program.aut
  bop gen andor --vars 100000 | bop solve - --method bfs
  bop solve game.pg --at 3              a parity game: true where the player even wins
  bop solve game.pg --solution game.sol -q
  bop solve system.pbes --diagnostic why.txt --format json
  bop solve system.pbes --workers 4     with four threads
  bop solve system.pbes --hosts FILE    with the processes that the file lists
  bop solve system.pbes --hosts FILE --secret KEY    on several machines: all have the same KEY";

const LTS_EXAMPLES: &str = "\
With --view data, states are points of the program, and labels say what is read and written:
  BOOL !v        a condition reads v (also: assumptions, constraints, arithmetic that may block)
  ASSERT !v      an assertion reads v
  ASSIGN !v !w   v is assigned from w; ASSIGN !v: from nothing
  DEF !d, KILL !t, EVAL !e  with --terms: definitions are made, lost; expressions are evaluated
With --view states, they are configurations: a point, the values of variables, and the stack.
  STEP !proc !line !L  CALL !proc !line !callee  RETURN !proc !line  ERROR !proc !line  END

Examples:
  bop lts f.c -o f.aut
  bop lts lock.bp --view states --stack-depth 8";

const INFLUENCE_EXAMPLES: &str = "\
  ia1  what decides which code is reached
  ia2  and whether assertions hold
  ia3  the same where there are global variables
  ia4  what the variables of a temporal property (--vars) depend on; these count everywhere

Examples:
  bop influence f.c --analysis ia1
  bop influence f.c --analysis ia2 --format source
  bop influence f.c --criterion f.c:2:max
  bop influence f.c --format html -o f.html
  bop influence lock.bp --analysis ia4 --vars g,main::x --method all --format json";

const ANNOTATE_EXAMPLES: &str = "\
The formula is a fixpoint with one parameter of sort Var: `mu Y (v:Var := x) . …`. Labels are those of
`bop lts`, with --terms if the formula mentions DEF, KILL or EVAL. examples/analyses has some.

Examples:
  bop annotate f.c --formula @examples/analyses/live.mcl
  bop annotate f.c --formula @examples/analyses/reaching.mcl --past
  bop annotate lock.bp --formula 'mu Y (v:Var := x) . (< {BOOL !v} > true or < true > Y (v))'";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  bop completions bash > ~/.local/share/bash-completion/completions/bop
  bop completions zsh > ~/.zfunc/_bop
  bop completions fish > ~/.config/fish/completions/bop.fish";

/// What abstract matching stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum MatchingArg {
    /// What decides which code is reached
    Ia1,
    /// And whether assertions hold
    Ia2,
    /// The same where there are global variables
    Ia3,
    /// What the question reads, everywhere
    Ia4,
    /// All variables
    Off,
}

/// What to read, and how.
#[derive(Args, Debug)]
pub(crate) struct Input {
    /// The program; `-` reads it from standard input. A C program may be several files
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) c: CInput,
    /// The language of the program, where the file's ending does not tell
    #[arg(long, value_parser = lang_words(), help_heading = "Input")]
    pub(crate) lang: Option<Lang>,
    /// Which tool's operator precedences to use
    #[arg(long, value_enum, default_value = "standard", value_name = "D", help_heading = "Input")]
    pub(crate) dialect: DialectArg,
    /// Where the program starts: a procedure, of a pushdown system a stack symbol [default: main,
    /// or what the file says]
    #[arg(long, value_name = "P", help_heading = "Input")]
    pub(crate) entry: Option<String>,
}

/// How to read C.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "C")]
pub(crate) struct CInput {
    /// Read these C files, or all of them if none is named, with the flags of a compilation database
    #[arg(long, value_name = "FILE")]
    pub(crate) compile_commands: Option<String>,
    /// Run the compilers that the database names, with all of their flags: these can run anything
    #[arg(long, requires = "compile_commands")]
    pub(crate) trust_compile_commands: bool,
    /// The compiler to preprocess with, as `gcc -m32` [default: $CC, or cc]
    #[arg(long, value_name = "CMD")]
    pub(crate) cc: Option<String>,
    /// What functions without a body do, for rules: lines such as `borrows f 2`, `frees f 1` (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) contracts: Vec<String>,
    /// Keep what the preprocessor makes of files in this folder, and what searches find, and use it again while all
    /// that it was made of is the same
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<String>,
    /// `int`, `long` and pointers have 32 bits, as with the flag -m32
    #[arg(long)]
    pub(crate) ilp32: bool,
    /// Where functions or files could not be read, answer about the rest; without it, nothing is said to
    /// hold then
    #[arg(long)]
    pub(crate) allow_incomplete: bool,
    /// Keep the values of a C variable (`x`, or `f::x` for a local), as BITS bits without a sign
    #[arg(long, value_name = "VAR:BITS", value_parser = units::keep)]
    pub(crate) keep: Vec<(String, u32)>,
    /// Flags for the C preprocessor
    #[arg(last = true, value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) flags: Vec<String>,
}

impl CInput {
    /// The flags for the preprocessor, with what they say of the machine.
    pub(crate) fn all_flags(&self) -> impl Iterator<Item = String> {
        let machine = self.ilp32.then(|| "-m32".to_owned());
        self.flags.iter().cloned().chain(machine)
    }
}

#[derive(Args, Debug)]
pub(crate) struct Capture {
    /// Write to this file
    #[arg(short, long, value_name = "FILE", default_value = "compile_commands.json")]
    pub(crate) output: String,
    /// No word about what was recorded
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The build
    #[arg(last = true, required = true, value_name = "COMMAND", allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
}

/// The languages of the table.
pub(crate) fn lang_words() -> impl TypedValueParser<Value = Lang> {
    let words = LANGUAGES.iter().map(|row| PossibleValue::new(row.word).help(row.help));
    PossibleValuesParser::new(words).map(|word| Lang::named(&word).expect("a word of the table"))
}

/// The engines of the table.
fn engine_words() -> impl TypedValueParser<Value = EngineChoice> {
    let words = EngineChoice::all().map(|(_, word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(words)
        .map(|word| EngineChoice::named(&word).expect("a word of the table"))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DialectArg {
    /// `=>` < `|` < `^` < `&` < `=` `!=` < `!`, as Bebop, Moped, Getafix and SDV
    Standard,
    /// `=>` `=` `!=` < `^` < `|` < `&` < `!`, as SATABS
    Satabs,
}

/// How to search.
#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct Search {
    /// Who answers
    #[arg(long, value_parser = engine_words(), default_value = "auto", value_name = "E")]
    pub(crate) engine: EngineChoice,
    /// Abstract matching, for programs without recursion: search state by state, and store only the
    /// variables that influence analysis says
    #[arg(long, value_enum, value_name = "A")]
    pub(crate) matching: Option<MatchingArg>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Stop after this many steps of the engine and answer `unknown`
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
    /// Keep the values of dead variables, to measure what dropping them gains
    #[arg(long)]
    pub(crate) no_live_ranges: bool,
    /// Keep untouched globals in summaries, to measure what leaving them out gains
    #[arg(long)]
    pub(crate) no_mod_ref: bool,
    /// Use the order in which variables are declared, improved while diagrams grow, to measure what
    /// the order that is derived from the program gains
    #[arg(long)]
    pub(crate) no_order: bool,
    /// Improve the order of variables while diagrams grow
    #[arg(long)]
    pub(crate) sifting: bool,
    /// Search for loops in the whole graph at once, to measure what searching its components gains
    #[arg(long)]
    pub(crate) no_rough_components: bool,
    /// Bounded model checking by qbf and universal: unroll the program for K edges and no further; by bounded:
    /// follow loops for K rounds and recursions K deep
    #[arg(long, value_name = "K")]
    pub(crate) bound: Option<u32>,
    /// Gates of a summary that universal may make; larger ones are left to qbf [default: 20000]
    #[arg(long, value_name = "N")]
    pub(crate) summary_limit: Option<usize>,
    /// Ask another QBF solver: a command that reads QDIMACS (`depqbf --qdo`)
    #[arg(long, value_name = "CMD")]
    pub(crate) qbf_solver: Option<String>,
    /// How loops are searched for by post and pre
    #[arg(long, value_enum, default_value = "frames", value_name = "H")]
    pub(crate) heads: HeadsArg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum HeadsArg {
    /// What cannot repeat is removed, first within frames, then from frame to frame
    Frames,
    /// What cannot repeat is removed
    Elimination,
    /// The relation of what can come to what, as in Moped
    Saturation,
}

/// What to print, and where.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Show counters of effort
    #[arg(long)]
    pub(crate) stats: bool,
    /// Verdicts only, no progress; of `-q` and `-v`, the last one counts
    #[arg(short, long, overrides_with = "verbose")]
    pub(crate) quiet: bool,
    /// Also show the engine that answered and why it was chosen
    #[arg(short, long, overrides_with = "quiet")]
    pub(crate) verbose: bool,
    /// Colours: on a terminal unless NO_COLOR is set, always or never
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: Color,
}

/// How sure a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ConfidenceArg {
    /// A run from the start of `main` was executed that breaks the rule there
    Confirmed,
    /// Or one from a function that is called with anything: what is assumed of callers is listed
    Likely,
    /// Or it is not decided
    Possible,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) settings: ConfigArgs,
    #[command(flatten)]
    pub(crate) properties: Properties,
    #[command(flatten)]
    pub(crate) search: Search,
    /// Which trace to show; by default a shortest one, unless that would take much longer
    #[arg(long, value_enum, value_name = "T", help_heading = "Search")]
    pub(crate) trace: Option<TraceArg>,
    /// Do not look whether a temporal formula that holds does so vacuously
    #[arg(long, help_heading = "Search")]
    pub(crate) no_vacuity: bool,
    /// An answer that is vacuous, about nothing that the program has, is none: exit code 3
    #[arg(long, help_heading = "Search")]
    pub(crate) strict: bool,
    /// Check proofs, too (traces are always replayed)
    #[arg(long, help_heading = "Search")]
    pub(crate) self_check: bool,
    /// Ask about the control skeleton of a C program alone: `--assert` and `--reach` do not look at data then
    #[arg(long, help_heading = "C")]
    pub(crate) skeleton: bool,
    /// Show findings of rules that are at least so sure; the others are counted
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = "C")]
    pub(crate) confidence: Option<ConfidenceArg>,
    /// Write a test for each place of a C program that is reached: a folder with the inputs as C and a script `run`
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) emit_test: Option<String>,
    /// Check proofs, and save them to this file, for `bop replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) proof: Option<String>,
    /// Write a witness of the first answer about a C program with its data: YAML in the format 2.0 of SV-COMP
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) witness: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
    /// The form of the report
    #[arg(long, value_enum, default_value = "text", value_name = "F", help_heading = "Output")]
    pub(crate) format: CheckFormat,
    /// Only violations that this file does not have count: what `--write-baseline` wrote, or a report as JSON or SARIF
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) baseline: Option<String>,
    /// Write all violations to this file, for `--baseline`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) write_baseline: Option<String>,
    /// List at most this many steps of a trace; beyond it, completed calls are folded
    #[arg(long, value_name = "N", default_value = "100000", help_heading = "Output")]
    pub(crate) max_steps: usize,
}

/// What is asked.
#[derive(Args, Debug)]
#[command(next_help_heading = "Properties")]
pub(crate) struct Properties {
    /// Is the statement labelled L (or `proc:L`, or on line `:N`) reachable? `proc:exit`: can it return?
    #[arg(long, value_name = "L")]
    pub(crate) reach: Vec<String>,
    /// Which statements are reachable? Lists dead code; violated if there is any
    #[arg(long)]
    pub(crate) reach_all: bool,
    /// Can an assertion fail?
    #[arg(long)]
    pub(crate) assert: bool,
    /// Does every infinite run satisfy the temporal formula? Atoms: a global, `proc::var`,
    /// `"expression"`, `at(L)`, `in(proc)`, `terminated`, `error`; a finished run stays in its last
    /// state for ever
    #[arg(long, value_name = "F")]
    pub(crate) ltl: Vec<String>,
    /// Does every run end?
    #[arg(long, action = ArgAction::SetTrue)]
    pub(crate) terminates: bool,
    /// For temporal properties, only runs count on which this formula holds infinitely often
    #[arg(long, value_name = "F")]
    pub(crate) fair: Vec<String>,
    /// Does no run match? Sugar's `never {r}`, `{r}(b)`, `{r} |-> b` and `{r} |=> b`; atoms as for --ltl
    #[arg(long, value_name = "S")]
    pub(crate) sere: Vec<String>,
    /// Is no run accepted by a Büchi automaton of the runs that are wrong? A file in the format HOA; atoms as for --ltl
    #[arg(long, value_name = "FILE")]
    pub(crate) automaton: Vec<String>,
    /// Are all runs accepted by a deterministic Büchi automaton of the runs that are right?
    #[arg(long, value_name = "FILE")]
    pub(crate) good_automaton: Vec<String>,
    /// Of C, with its data: is every access to memory valid, and no memory lost? Null pointers, bounds, what was freed
    /// or is gone, `free` twice or of something else
    #[arg(long)]
    pub(crate) memory_safety: bool,
    /// Of C, with its data: is all memory freed when the program ends?
    #[arg(long)]
    pub(crate) memory_cleanup: bool,
    /// Of C, with its data: do the results of all signed operators fit?
    #[arg(long)]
    pub(crate) overflow: bool,
    /// Of C, with its data: is no divisor zero?
    #[arg(long)]
    pub(crate) division: bool,
    /// Of C, with its data: is nothing read that was never written?
    #[arg(long)]
    pub(crate) uninitialised: bool,
    /// Is the rule kept? A file of rules, or a ready-made one by name (`--rule list` lists them); `all`: all of
    /// these that are about functions which the program calls
    #[arg(long, value_name = "FILE")]
    pub(crate) rule: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum TraceArg {
    /// A shortest one, a completed call counted as one step
    Shortest,
    /// Whichever is found first
    Any,
    /// None
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people
    Text,
    /// As Bebop printed it, in reverse
    Bebop,
    /// For programs: schema postbop.report/1
    Json,
    /// As compilers print warnings, a line each: `file:line:col: warning: … [bop.rule]`
    Gcc,
    /// For code-scanning sites: SARIF 2.1.0
    Sarif,
    /// One page to look at in a browser, offline
    Html,
}

#[derive(Args, Debug)]
pub(crate) struct States {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The statement: `L`, `proc:L`, or `:N` for those on line N
    #[arg(long, value_name = "L", required_unless_present = "to", help_heading = "Statements")]
    pub(crate) at: Option<String>,
    /// The variables to show [default: all in scope]
    #[arg(long, value_name = "X,Y", value_delimiter = ',', help_heading = "Statements")]
    pub(crate) vars: Vec<String>,
    /// Start from these stacks instead of where the program starts
    #[arg(long, value_name = "E", help_heading = "Stacks")]
    pub(crate) from: Option<String>,
    /// Is one of these stacks reached? With --at: what leads from there to one of them
    #[arg(long, value_name = "E", help_heading = "Stacks")]
    pub(crate) to: Option<String>,
    /// Show the stacks below the statement (or, without --at, those of --to that are reached) as an
    /// automaton over calls or procedures, or with data
    #[arg(
        long,
        value_enum,
        value_name = "BY",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "calls",
        conflicts_with = "vars",
        help_heading = "Stacks"
    )]
    pub(crate) stacks: Option<StacksBy>,
    #[command(flatten)]
    pub(crate) search: Search,
    #[command(flatten)]
    pub(crate) output: Output,
    /// The form of the answer
    #[arg(long, value_enum, default_value = "text", value_name = "F", help_heading = "Output")]
    pub(crate) format: StatesFormat,
    /// List at most this many cubes
    #[arg(long, value_name = "N", default_value = "1000", help_heading = "Output")]
    pub(crate) max_cubes: usize,
}

#[derive(Args, Debug)]
pub(crate) struct Post {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Start from these stacks instead of where the program starts
    #[arg(long, value_name = "E")]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: Output,
    /// The form of the automaton
    #[arg(long, value_enum, default_value = "text", value_name = "F", help_heading = "Output")]
    pub(crate) format: StatesFormat,
}

#[derive(Args, Debug)]
pub(crate) struct Pre {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Where runs shall come to
    #[arg(long, value_name = "E")]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: Output,
    /// The form of the automaton
    #[arg(long, value_enum, default_value = "text", value_name = "F", help_heading = "Output")]
    pub(crate) format: StatesFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StacksBy {
    /// By the calls that frames wait in
    Calls,
    /// By the procedures of frames
    Procs,
    /// By calls, with formulas over the variables of frames
    Data,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StatesFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// The automaton of --stacks, for Graphviz
    Dot,
    /// One page to look at in a browser, offline
    Html,
}

#[derive(Args, Debug)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The form wanted
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Output")]
    pub(crate) to: Form,
    /// The depth of the stack in smv and edl
    #[arg(
        long,
        value_name = "N",
        default_value = "5",
        value_parser = clap::value_parser!(u32).range(0..=1_000),
        help_heading = "Output"
    )]
    pub(crate) stack_depth: u32,
    /// How smv and edl write program counters
    #[arg(long, value_enum, value_name = "E", default_value = "int", help_heading = "Output")]
    pub(crate) encoding: EncodingArg,
    /// A temporal formula as a specification in smv and edl (repeatable)
    #[arg(long, value_name = "F", help_heading = "Output")]
    pub(crate) ltl: Vec<String>,
    /// Of C: a rule as a specification in smv and edl, ready-made or a file with one
    #[arg(long, value_name = "RULE", help_heading = "Output")]
    pub(crate) rule: Vec<String>,
    /// A place that chc is about, as in `bop check` (repeatable) [default: failed assertions, and the labels ERROR and SLIC_ERROR]
    #[arg(long, value_name = "PLACE", help_heading = "Output")]
    pub(crate) reach: Vec<String>,
    /// Of C, with --to bp: predicates over its data, C expressions by procedure
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) predicates: Option<String>,
    /// The transition system (.aut) that a formula or a modal system is about, or a program that is one
    #[arg(long, value_name = "MODEL", help_heading = "Formulas and equations")]
    pub(crate) model: Option<String>,
    /// The syntax of the formula
    #[arg(long, value_enum, default_value = "either", help_heading = "Formulas and equations")]
    pub(crate) syntax: MuSyntaxArg,
    /// The name of the internal action in labels (repeatable) [default: i and tau]
    #[arg(long, value_name = "NAME", help_heading = "Formulas and equations")]
    pub(crate) tau: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Form {
    /// Boolean program, in the common subset of all dialects; numbers and arrays become bits
    Bp,
    /// The language of Moped
    Remopla,
    /// Pushdown system
    Pds,
    /// The control-flow graph, for Graphviz
    Dot,
    /// A model with a bounded stack, for NuSMV
    Smv,
    /// Of C: the same for RuleBase
    Edl,
    /// Of C: the source, annotated with the program counters of these models
    Cout,
    /// A circuit in AIGER's text format, for hardware model checkers; of programs without recursion. A bad state for
    /// failed assertions and for each label
    #[value(alias = "aag")]
    Aiger,
    /// The same in AIGER's binary format, which ABC reads
    Aig,
    /// The same in BTOR2
    Btor2,
    /// Of C: the program with its data as Horn clauses in SMT-LIB, for Spacer and others; sat if nothing bad happens
    Chc,
    /// Of a formula (.mcf, .mcl, .mu): a modal equation system
    Blk,
    /// Of a formula or a modal system, with --model, or of a .pbes: a boolean equation system
    Bes,
    /// Of a formula or a modal system, with --model, or of a .bes: one in mCRL2's text format
    Pbes,
    /// Of all these: a parity game in PGSolver's format
    Pg,
    #[value(hide = true)]
    Aut,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum EncodingArg {
    /// As integers
    Int,
    /// As vectors of bits
    Bits,
}

#[derive(Args, Debug)]
pub(crate) struct Dump {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) properties: Properties,
    /// The stage
    #[arg(long, value_enum, default_value = "ir", help_heading = "Output")]
    pub(crate) stage: StageArg,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The format of summaries, modref and live
    #[arg(long, value_enum, default_value = "text", value_name = "F", help_heading = "Output")]
    pub(crate) format: DumpFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DumpFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StageArg {
    /// The syntax tree; of C, the control skeleton
    Tree,
    /// The program model
    Ir,
    /// The symbolic pushdown system
    Spds,
    /// The program model and the goals
    Task,
    /// Summaries and path edges of each procedure
    Summaries,
    /// The globals that each procedure modifies or reads
    Modref,
    /// The variables that are live before each statement
    Live,
    /// Of C: the program with its data, types and conversions written out, and the regions of its memory
    Data,
    /// Of C: these regions alone, and how many there are
    Regions,
}

#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// The program, then the report as `bop check --format json` writes it, or the proofs as `bop check
    /// --proof` does; `-` reads them from standard input. A C program may be several files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// The language of the program, where the file's ending does not tell
    #[arg(long, value_parser = lang_words(), help_heading = "Input")]
    pub(crate) lang: Option<Lang>,
    /// Which tool's operator precedences to use
    #[arg(long, value_enum, default_value = "standard", value_name = "D", help_heading = "Input")]
    pub(crate) dialect: DialectArg,
    /// Where the program starts: a procedure, of a pushdown system a stack symbol [default: main,
    /// or what the file says]
    #[arg(long, value_name = "P", help_heading = "Input")]
    pub(crate) entry: Option<String>,
    #[command(flatten)]
    pub(crate) c: CInput,
    /// Nothing but the exit code
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args, Debug)]
pub(crate) struct Ltl {
    /// The formula
    #[arg(value_name = "FORMULA")]
    pub(crate) formula: String,
    /// The form of the automaton
    #[arg(long, value_enum, default_value = "hoa", value_name = "F")]
    pub(crate) format: AutomatonFormat,
    /// One acceptance mark, on states, for tools that know no others
    #[arg(long)]
    pub(crate) ba: bool,
    /// Show the size on standard error
    #[arg(long)]
    pub(crate) stats: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AutomatonFormat {
    /// The Hanoi omega-automata format
    Hoa,
    /// For Graphviz
    Dot,
    /// For people
    Text,
}
