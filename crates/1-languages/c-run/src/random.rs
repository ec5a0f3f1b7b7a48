//! `rand` as the GNU library computes it: an additive feedback of degree 31.

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Random {
    state: [u32; 34],
    at: usize,
}

impl Random {
    pub(crate) fn new(seed: u32) -> Random {
        let mut state = [0u32; 34];
        let seed = if seed == 0 { 1 } else { seed };
        state[0] = seed;
        let mut word = i64::from(seed as i32);
        for slot in state.iter_mut().take(31).skip(1) {
            word = 16807 * word % 2_147_483_647;
            if word < 0 {
                word += 2_147_483_647;
            }
            *slot = word as u32;
        }
        for i in 31..34 {
            state[i] = state[i - 31];
        }
        let mut random = Random { state, at: 0 };
        for _ in 0..310 {
            random.step();
        }
        random
    }

    fn step(&mut self) -> u32 {
        // The last 34 words in a ring: r[i] = r[i - 3] + r[i - 31].
        let i = self.at;
        let next = self.state[(i + 3) % 34].wrapping_add(self.state[(i + 31) % 34]);
        self.state[i] = next;
        self.at = (i + 1) % 34;
        next
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.step() >> 1
    }
}
