//! Smaller programs that fail in the same way.

use super::Program;

/// Removes lines, blocks and the braces around blocks, as long as the program fails.
pub fn shrink_c(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let before: usize = best.files.iter().map(String::len).sum();
        for file in 0..best.files.len() {
            remove(&mut best, file, &mut fails);
            unwrap(&mut best, file, &mut fails);
        }
        while best.files.len() > 1 && best.files.last().is_some_and(|f| f.trim().is_empty()) {
            best.files.pop();
        }
        if best.files.iter().map(String::len).sum::<usize>() == before {
            return best;
        }
    }
}

fn lines(program: &Program, file: usize) -> Vec<String> {
    program.files[file].lines().map(str::to_owned).collect()
}

/// The program with other lines in a file.
fn with(program: &Program, file: usize, lines: &[String]) -> Program {
    let mut out = program.clone();
    out.files[file] = lines.iter().map(|l| format!("{l}\n")).collect();
    out
}

/// How braces go up and down in a line.
fn depth(line: &str) -> i32 {
    line.chars().map(|c| i32::from(c == '{') - i32::from(c == '}')).sum()
}

/// Whether what is open at the start is not closed inside, and everything that is opened is.
fn balanced(lines: &[String]) -> bool {
    let mut at = 0;
    for line in lines {
        if line.trim_start().starts_with('}') && at == 0 {
            return false;
        }
        at += depth(line);
        if at < 0 {
            return false;
        }
    }
    at == 0
}

fn remove(best: &mut Program, file: usize, fails: &mut impl FnMut(&Program) -> bool) {
    let mut size = lines(best, file).len().max(1);
    while size > 0 {
        let mut at = 0;
        loop {
            let all = lines(best, file);
            if at + size > all.len() {
                break;
            }
            if balanced(&all[at..at + size]) {
                let rest: Vec<String> =
                    all[..at].iter().chain(&all[at + size..]).cloned().collect();
                let smaller = with(best, file, &rest);
                if fails(&smaller) {
                    *best = smaller;
                    continue;
                }
            }
            at += 1;
        }
        size = if size > 8 { size / 2 } else { size - 1 };
    }
}

/// Takes a block out of its braces, or an `else` off its `if`.
fn unwrap(best: &mut Program, file: usize, fails: &mut impl FnMut(&Program) -> bool) {
    let mut at = 0;
    loop {
        let all = lines(best, file);
        if at >= all.len() {
            return;
        }
        let mut done = false;
        if all[at].ends_with('{') && depth(&all[at]) == 1 {
            let mut level = 0;
            let end = (at..all.len()).find(|&k| {
                level += depth(&all[k]);
                level == 0 || k > at && level == 1 && all[k].starts_with('}')
            });
            if let Some(end) = end {
                let mut rest = all.clone();
                if all[end].ends_with('{') {
                    // `} else {` becomes what opens the other block.
                    rest[end] = "{".to_owned();
                } else {
                    rest.remove(end);
                }
                rest.remove(at);
                let smaller = with(best, file, &rest);
                if fails(&smaller) {
                    *best = smaller;
                    done = true;
                }
            }
        }
        at += usize::from(!done);
    }
}
