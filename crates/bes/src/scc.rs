//! Strongly connected components.

use crate::zielonka::Rows;

/// The component of every vertex, numbered so that edges never lead to a higher number (Tarjan).
pub(crate) fn components(rows: &Rows) -> Vec<u32> {
    let n = rows.offsets.len() - 1;
    const OPEN: u32 = u32::MAX;
    let mut component = vec![OPEN; n];
    let mut index = vec![0u32; n];
    let mut low = vec![0u32; n];
    let mut stack: Vec<u32> = Vec::new();
    let mut frames: Vec<(u32, u32)> = Vec::new();
    let (mut count, mut number) = (0u32, 0u32);
    for root in 0..n as u32 {
        if index[root as usize] != 0 {
            continue;
        }
        frames.push((root, rows.offsets[root as usize]));
        while let Some(&mut (x, ref mut at)) = frames.last_mut() {
            if index[x as usize] == 0 {
                count += 1;
                (index[x as usize], low[x as usize]) = (count, count);
                stack.push(x);
            }
            if *at < rows.offsets[x as usize + 1] {
                let y = rows.targets[*at as usize];
                *at += 1;
                if index[y as usize] == 0 {
                    frames.push((y, rows.offsets[y as usize]));
                } else if component[y as usize] == OPEN {
                    low[x as usize] = low[x as usize].min(index[y as usize]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent as usize] = low[parent as usize].min(low[x as usize]);
            }
            if low[x as usize] == index[x as usize] {
                while let Some(v) = stack.pop() {
                    component[v as usize] = number;
                    if v == x {
                        break;
                    }
                }
                number += 1;
            }
        }
    }
    component
}
