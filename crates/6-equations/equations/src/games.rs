//! Parity games: `bop solve GAME.pg`.

use crate::resolve::{Resolution, Solution, Stream, alone, failed, go_on, named, unreadable};
use asking::{Options, Watch};
use bes::{Method, SolveError, pg};
use check::Budget;
use input::{Error, guarded};

/// What is known of a parity game beside the winner of one vertex, which is the value: *true* is
/// the player *even*.
#[derive(Clone, Debug)]
pub struct Played {
    /// The vertex.
    pub vertex: u32,
    /// How many vertices either player wins, if all are solved: even's, odd's.
    pub winners: Option<(u64, u64)>,
    /// The winner and his move at each vertex, in PGSolver's format, if that was wanted. A checker
    /// accepts them.
    pub solution: Option<String>,
}

impl Played {
    /// Who wins the vertex, by the value of its equation.
    pub fn winner(value: bool) -> &'static str {
        if value { "even" } else { "odd" }
    }
}

/// Who wins a parity game in PGSolver's format that is read as it comes: at [`Resolution::at`], or where
/// the game begins.
pub fn solve_game(
    game: Stream<'_>,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("solving a parity game", || {
        let budget = watch.budget(options.search.limits);
        solve(read(game, resolution.at, &budget)?, resolution, &budget)
    })
}

/// Reads a game; `at` is the vertex asked for.
pub(crate) fn read(
    game: Stream<'_>,
    at: Option<u32>,
    budget: &Budget,
) -> Result<pg::ParityGame, Error> {
    let Stream { name, input } = game;
    let read = pg::read(input, &mut |_| budget.poll().is_ok());
    let mut game = read.map_err(|error| unreadable(name, error, budget))?;
    if let Some(number) = at {
        let vertex = game.vertex(number);
        let vertex =
            vertex.ok_or_else(|| Error::Usage(format!("{name}: there is no vertex {number}")))?;
        game.bes = game.bes.asking(vertex);
    }
    Ok(game)
}

fn solve(
    game: pg::ParityGame,
    resolution: &Resolution,
    budget: &Budget,
) -> Result<Solution, Error> {
    let vertex = game.numbers[game.bes.initial_variable() as usize];
    let total = game.bes.len() as u64;
    let mut out = match resolution.method {
        Method::Auto | Method::Global => all(game, resolution, budget)?,
        _ if resolution.all => {
            let what = "`--solution` wants all vertices: leave `--method` out".to_owned();
            return Err(Error::Usage(what));
        }
        _ => alone(game.bes, resolution, budget)?,
    };
    let played = out.game.take();
    let (winners, solution) = played.map_or((None, None), |p| (p.winners, p.solution));
    out.variables_total = Some(total);
    out.game = Some(Played { vertex, winners, solution });
    Ok(out)
}

/// All vertices at once.
fn all(
    mut game: pg::ParityGame,
    resolution: &Resolution,
    budget: &Budget,
) -> Result<Solution, Error> {
    let stopped = || failed(budget, SolveError::<String>::Stopped);
    let mut reserved = 0;
    let solved =
        game.bes.solve_with_strategy(&mut |progress| go_on(budget, &mut reserved, progress));
    let (values, strategy) = solved.ok_or_else(stopped)?;
    let refuted = |what| Error::Internal(format!("the explanation is refuted: {what}"));
    let main = game.bes.initial_variable();
    let even = values.iter().filter(|&&value| value).count() as u64;
    let mut out = Solution {
        value: values[main as usize],
        variables_explored: game.bes.len() as u64,
        variables_total: None,
        dependencies: game.bes.dependencies() as u64,
        algorithm: "a parity game".to_owned(),
        explanation: None,
        game: None,
    };
    if resolution.diagnostic {
        let explanation = game.bes.explanation(main, &values, &strategy);
        let Ok(checked) = bes::check(&mut game.bes, &main, &explanation);
        checked.map_err(|e| refuted(e.to_string()))?;
        out.explanation = Some(named(&explanation, &|&v| game.name(v)));
    }
    let mut solution = None;
    if resolution.all {
        game.bes.check_all(&values, &strategy).map_err(|e| refuted(e.to_string()))?;
        solution = Some(game.solution(&values, &strategy));
    }
    let winners = Some((even, values.len() as u64 - even));
    out.game = Some(Played { vertex: game.numbers[main as usize], winners, solution });
    Ok(out)
}
