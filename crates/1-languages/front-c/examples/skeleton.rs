//! Sizes and times of skeletons: `cargo run -p front-c --example skeleton -- a.c b.c -- -Iinclude`.
//! A file whose name ends in `.i` is taken as preprocessed. With `--targets` first, it lists what calls
//! through pointers reach.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use front_c::preprocess::{Source, preprocess, run};
use front_c::{Flow, Options, Pointers, Skeleton, lower, parse, skeleton, skeleton_by};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let list = arguments.next_if(|a| a == "--targets").is_some();
    let files: Vec<String> = arguments.by_ref().take_while(|a| a != "--").collect();
    let flags: Vec<String> = arguments.collect();
    let mut units = Vec::new();
    let start = Instant::now();
    let mut parsing = std::time::Duration::ZERO;
    for file in files {
        let text = if file.ends_with(".i") {
            match std::fs::read(&file) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(error) => {
                    eprintln!("{file}: {error}");
                    continue;
                }
            }
        } else {
            let source = Source { file, flags: flags.clone(), ..Source::default() };
            match preprocess(&source, &mut run) {
                Ok(text) => text,
                Err(error) => {
                    eprintln!("{error}");
                    continue;
                }
            }
        };
        let start = Instant::now();
        units.push(parse(&text));
        parsing += start.elapsed();
    }
    println!("read and preprocessed in {:?}, parsed in {parsing:?}", start.elapsed() - parsing);
    let start = Instant::now();
    let (calls, targets, most) = pointers(&skeleton_by(&units, Pointers::Types));
    println!(
        "by type, {calls} calls through pointers to {targets} targets, at most {most}, in {:?}",
        start.elapsed()
    );
    let start = Instant::now();
    let skeleton = skeleton(&units);
    println!("skeleton in {:?}", start.elapsed());
    let points: usize = skeleton.bodies.iter().map(|b| b.points.len()).sum();
    let (calls, targets, most) = pointers(&skeleton);
    println!(
        "{} functions, {points} points, {} objects, {calls} calls through pointers to {targets} targets, at most {most}, {} warnings",
        skeleton.bodies.len(),
        skeleton.objects.len(),
        skeleton.warnings.len()
    );
    if list {
        list_targets(&skeleton);
        return;
    }
    for warning in skeleton.warnings.iter().take(20) {
        println!("{warning}");
    }
    for feasibility in [false, true] {
        let start = Instant::now();
        match lower(&skeleton, &Options { feasibility, ..Options::default() }) {
            Ok(lowered) => println!(
                "program in {:?}: {} nodes, {} edges, {} variables",
                start.elapsed(),
                lowered.program.nodes.len(),
                lowered.program.edges.len(),
                lowered.program.vars.len()
            ),
            Err(error) => println!("{error}"),
        }
    }
}

/// Calls through pointers, their targets in all, and the most that one has.
fn pointers(skeleton: &Skeleton) -> (usize, usize, usize) {
    let calls = skeleton.bodies.iter().flat_map(|b| &b.points).filter_map(|p| match &p.flow {
        Flow::Call(call) if call.indirect => Some(call.targets.len()),
        _ => None,
    });
    calls.fold((0, 0, 0), |(n, all, most), more| (n + 1, all + more, most.max(more)))
}

fn list_targets(skeleton: &Skeleton) {
    for p in skeleton.bodies.iter().flat_map(|b| &b.points) {
        let Flow::Call(call) = &p.flow else { continue };
        if !call.indirect {
            continue;
        }
        let names: Vec<&str> =
            call.targets.iter().map(|t| &*skeleton.funcs[t.index()].unique).collect();
        let file = skeleton.files[p.at.file as usize].rsplit('/').next().unwrap_or("");
        println!("{}\t{file}:{}\t{}\t{}", names.len(), p.at.line, p.text, names.join(" "));
    }
}
