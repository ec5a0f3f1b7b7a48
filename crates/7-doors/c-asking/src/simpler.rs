//! Inputs that are easier to read, and show the same.

use engine_bounded::Inputs;

/// So many simpler inputs are tried.
const SIMPLER: usize = 24;

/// Makes inputs simpler as long as they show the same: fewer arguments, smaller numbers.
pub(crate) fn simplify(inputs: &mut Inputs, mut shows: impl FnMut(&Inputs) -> bool) {
    let mut left = SIMPLER;
    let mut tried = |simpler: &Inputs| {
        left = left.saturating_sub(1);
        left > 0 && shows(simpler)
    };
    if let Some(argc) = inputs.argc {
        let few = (1..argc.min(6)).map(|argc| Inputs { argc: Some(argc), ..inputs.clone() });
        let few = few.filter(|simpler| simpler.args.len() < simpler.argv().len());
        if let Some(simpler) = few.into_iter().find(|simpler| tried(simpler)) {
            *inputs = simpler;
        }
    }
    for i in 0..inputs.values.len() {
        for number in [0, 1] {
            let size = inputs.values[i].1.unsigned_abs();
            if size > number as u128 && size > 1 {
                let mut simpler = inputs.clone();
                simpler.values[i].1 = number;
                if tried(&simpler) {
                    *inputs = simpler;
                    break;
                }
            }
        }
    }
}

/// How simple inputs are to read: the smaller the better.
pub(crate) fn plainness(inputs: &Inputs) -> (u64, usize, u128) {
    let sizes = inputs.values.iter().map(|(_, value)| value.unsigned_abs());
    let text = inputs.stdin.len() + inputs.args.iter().map(Vec::len).sum::<usize>();
    (inputs.argc.unwrap_or(0), inputs.values.len() + text, sizes.fold(0, u128::saturating_add))
}
