//! Several processes, played by threads of the test: they share nothing but sockets.

use bes::cadp::{Parts, Text};
use bes::param::{Instance, NoModel};
use bes::pbes;
use bes_workers::{
    Cluster, Crew, Failure, Found, Hosts, JoinError, Secret, Watch, solve, solve_parts,
};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::generated::{Random, SHAPES, in_blocks, system};

const PATIENCE: Duration = Duration::from_secs(60);

/// Addresses of this machine that nobody listens at.
fn hosts(processes: usize) -> Hosts {
    let listeners: Vec<TcpListener> =
        (0..processes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let lines: Vec<String> =
        listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect();
    Hosts::parse(&lines.join("\n")).unwrap()
}

fn calm() -> Watch {
    Arc::new(|_| Ok(()))
}

fn secret() -> Secret {
    Secret::new("what the processes of these tests know").unwrap()
}

fn join(hosts: &Hosts, process: usize, threads: usize) -> Result<Cluster, JoinError> {
    Cluster::join(hosts, process, threads, 7, &secret(), PATIENCE, &|| true)
}

/// What each process finds.
fn across(
    processes: usize,
    threads: usize,
    run: impl Fn(usize, Crew) -> Result<Found, Failure> + Sync,
) -> Vec<Result<Found, Failure>> {
    let hosts = hosts(processes);
    thread::scope(|scope| {
        let running: Vec<_> = (0..processes)
            .map(|process| {
                let (hosts, run) = (&hosts, &run);
                scope.spawn(move || {
                    let cluster = Some(join(hosts, process, threads).unwrap());
                    run(process, Crew { threads, cluster })
                })
            })
            .collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn replicas(text: &str, count: usize) -> Vec<Instance<NoModel>> {
    let parsed = pbes::parse(text).unwrap();
    (0..count).map(|_| parsed.instance().unwrap()).collect()
}

#[test]
fn processes_agree_with_the_sequential_solver() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let variables = 1 + random.below(120);
        let bes = system(&mut random, SHAPES[seed as usize % 4], variables).asking(0);
        let expected = bes.solve_globally(&mut |_| true).unwrap()[bes.initial_variable() as usize];
        let (processes, threads) = (2 + seed as usize % 2, 1 + seed as usize / 2 % 2);
        let text = bes.to_mcrl2();
        let blocks: Arc<dyn Text + Send> = Arc::new(in_blocks(&bes).into_bytes());
        let parts = Parts::of_size(&*blocks, 100, &mut |_| true).unwrap();
        let found = across(processes, threads, |_, crew| match seed % 3 {
            // Seeds and shapes have no common factor: every shape both ways.
            0 => solve_parts(&blocks, parts.clone(), crew, calm()),
            _ => solve(replicas(&text, threads), crew, calm()),
        });
        for one in &found {
            let one = one.as_ref().unwrap();
            assert_eq!(one.value, expected, "seed {seed}: {text}");
            assert_eq!((one.workers, one.processes), (processes * threads, processes));
        }
        assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
    }
}

/// Many messages: more than sockets and queues hold at once.
#[test]
fn much_is_sent() {
    let text = "pbes mu X(n: Nat, m: Nat) = val(n > 60 && m > 60) && Y(n, m) ||\n\
                val(n <= 60) && X(n + 1, m) || val(m <= 60) && X(n, m + 1);\n\
                nu Y(n: Nat, m: Nat) = Y(m, n) && val(n == m);\ninit X(0, 0);";
    for one in across(2, 2, |_, crew| solve(replicas(text, 2), crew, calm())) {
        let one = one.unwrap();
        assert!(one.value);
        assert!(one.variables > 3000, "{one:?}");
    }
}

const ENDLESS: &str = "pbes mu X(n: Nat) = X(n + 1) || X(n + 2); init X(0);";

/// The limit of one process ends all, and all know whose it was.
#[test]
fn one_stops_all() {
    for stopping in 0..3 {
        let found = across(3, 1, |process, crew| {
            let start = Instant::now();
            let watch: Watch = Arc::new(move |_| {
                match process == stopping && start.elapsed() > Duration::from_millis(50) {
                    true => Err("enough".to_owned()),
                    false => Ok(()),
                }
            });
            solve(replicas(ENDLESS, 1), crew, watch)
        });
        for (process, one) in found.into_iter().enumerate() {
            let error = one.unwrap_err();
            if process == stopping {
                assert_eq!(error, Failure::Stopped("enough".to_owned()));
            } else {
                let Failure::StoppedElsewhere { process, reason, .. } = &error else {
                    panic!("{error:?}")
                };
                assert_eq!((*process, reason.as_str()), (stopping, "enough"));
            }
        }
    }
}

/// A process that goes away without a word ends all.
#[test]
fn one_is_lost() {
    for lost in 0..3 {
        let hosts = hosts(3);
        let found: Vec<Option<Failure>> = thread::scope(|scope| {
            let running: Vec<_> = (0..3)
                .map(|process| {
                    let hosts = &hosts;
                    scope.spawn(move || {
                        let cluster = join(hosts, process, 1).unwrap();
                        if process == lost {
                            // The sockets are closed.
                            thread::sleep(Duration::from_millis(50));
                            return None;
                        }
                        let crew = Crew { threads: 1, cluster: Some(cluster) };
                        Some(solve(replicas(ENDLESS, 1), crew, calm()).unwrap_err())
                    })
                })
                .collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        for failure in found.into_iter().flatten() {
            let Failure::Lost { process, address, .. } = &failure else { panic!("{failure:?}") };
            assert_eq!((*process, address), (lost, &hosts.addresses()[lost]));
        }
    }
}

/// A process that is gone while the others read what they need is missed, and named; and so is one that cannot read.
#[test]
fn one_is_lost_while_others_read() {
    for gives_up in [false, true] {
        let hosts = hosts(2);
        let failure = thread::scope(|scope| {
            let other = scope.spawn(|| {
                let cluster = join(&hosts, 1, 1).unwrap();
                if gives_up {
                    cluster.give_up("there is no such file".to_owned());
                } else {
                    // As if it was killed: without a last word.
                    drop(cluster);
                }
            });
            let cluster = join(&hosts, 0, 1).unwrap();
            let (stop, since) = (cluster.stop(), Instant::now());
            while !stop.load(Ordering::SeqCst) && since.elapsed() < PATIENCE {
                thread::sleep(Duration::from_millis(5));
            }
            other.join().unwrap();
            cluster.failure()
        });
        match failure {
            Some(Failure::Lost { process: 1, .. }) => assert!(!gives_up),
            Some(Failure::StoppedElsewhere { process: 1, reason, .. }) => {
                assert!(gives_up);
                assert_eq!(reason, "there is no such file");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// An equation without a value is an error everywhere.
#[test]
fn trouble_travels() {
    let text = "pbes mu X(n: Int) = Y(n) && X(n); mu Y(n: Int) = val(9223372036854775807 + n > 0);\
                init X(1);";
    for one in across(2, 1, |_, crew| solve(replicas(text, 1), crew, calm())) {
        assert!(matches!(&one, Err(Failure::System(what)) if what.contains("no value")), "{one:?}");
    }
}

#[test]
fn who_does_not_come_is_named() {
    let hosts = hosts(3);
    let patience = Duration::from_millis(300);
    for process in 0..3 {
        let start = Instant::now();
        let joined = Cluster::join(&hosts, process, 1, 7, &secret(), patience, &|| true);
        let error = joined.unwrap_err();
        let JoinError::Absent { process: absent, .. } = &error else { panic!("{error:?}") };
        assert_ne!(*absent, process);
        assert!(error.to_string().contains("was not there within 0.3 s"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
    let error = join(&hosts, 3, 1).unwrap_err();
    assert_eq!(error, JoinError::NoSuchProcess { process: 3, processes: 3 });
}

#[test]
fn waiting_can_be_stopped() {
    let hosts = hosts(2);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            stop.store(true, Ordering::SeqCst);
        });
        let go_on = || !stop.load(Ordering::SeqCst);
        let joined = Cluster::join(&hosts, 0, 1, 7, &secret(), PATIENCE, &go_on);
        assert_eq!(joined.unwrap_err(), JoinError::Stopped);
    });
}

#[test]
fn other_questions_and_crews_are_refused() {
    for (threads, task, word) in [(1, 8, "another question"), (2, 7, "number of workers")] {
        let hosts = hosts(2);
        let (first, second) = thread::scope(|scope| {
            let first = scope.spawn(|| join(&hosts, 0, 1));
            let second = Cluster::join(&hosts, 1, threads, task, &secret(), PATIENCE, &|| true);
            (first.join().unwrap(), second)
        });
        for error in [first.unwrap_err(), second.unwrap_err()] {
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}

/// An address is listened at by one process; strangers are sent away and do no harm.
#[test]
fn strangers() {
    let hosts = hosts(2);
    let taken = TcpListener::bind(&hosts.addresses()[1]).unwrap();
    let error = join(&hosts, 1, 1).unwrap_err();
    assert!(matches!(error, JoinError::Listen { process: 1, .. }), "{error:?}");
    drop(taken);
    let joined = thread::scope(|scope| {
        let first = scope.spawn(|| join(&hosts, 0, 1));
        let mut stranger = loop {
            match TcpStream::connect(&hosts.addresses()[0]) {
                Ok(socket) => break socket,
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        };
        stranger.write_all(b"GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        // Closed or reset, without an answer.
        let _ = stranger.read_to_end(&mut answer);
        assert!(answer.is_empty());
        let second = join(&hosts, 1, 1);
        (first.join().unwrap(), second)
    });
    assert_eq!(joined.0.unwrap().strangers().garbage, 1);
    assert!(joined.1.is_ok());
}

/// Connects as soon as somebody listens.
fn connected(address: &str) -> TcpStream {
    loop {
        match TcpStream::connect(address) {
            Ok(socket) => return socket,
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// However many connect and say nothing, those who belong together find each other at once.
#[test]
fn silence_keeps_nobody_out() {
    let hosts = hosts(2);
    let start = Instant::now();
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(|| join(&hosts, 0, 1));
        let idle: Vec<TcpStream> = (0..300).map(|_| connected(&hosts.addresses()[0])).collect();
        let second = join(&hosts, 1, 1);
        drop(idle);
        (first.join().unwrap().unwrap(), second)
    });
    assert!(second.is_ok());
    // One second for each of them would be five minutes.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert!(first.strangers().silent > 0, "{}", first.strangers());
    assert_eq!((first.strangers().garbage, first.strangers().unproven), (0, 0));
}

/// Who does not know the secret is not let in, whatever it says; who does is.
#[test]
fn the_secret_counts() {
    let hosts = hosts(2);
    let other = Secret::new("something else that is long enough").unwrap();
    let patience = Duration::from_millis(1500);
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(|| join(&hosts, 0, 1));
        let second = Cluster::join(&hosts, 1, 1, 7, &other, patience, &|| true);
        // With another task a stranger could end the run, if it were believed.
        let third = Cluster::join(&hosts, 1, 1, 8, &other, patience, &|| true);
        for refused in [second, third] {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains("does not know the secret"), "{error}");
        }
        let second = join(&hosts, 1, 1);
        (first.join().unwrap().unwrap(), second)
    });
    assert!(second.is_ok());
    assert!(first.strangers().unproven >= 2, "{}", first.strangers());
}

/// What was said at the door before is worth nothing, and neither is an echo.
#[test]
fn proofs_are_not_used_twice() {
    let hosts = hosts(2);
    let (first, heard) = thread::scope(|scope| {
        // A stranger between the two: the real second process talks to it, and it to the first.
        let between = TcpListener::bind("127.0.0.1:0").unwrap();
        let via = format!("{}\n{}", between.local_addr().unwrap(), hosts.addresses()[1]);
        let via = Hosts::parse(&via).unwrap();
        let first = scope.spawn(|| join(&hosts, 0, 1));
        let second = scope.spawn(move || {
            let patience = Duration::from_millis(500);
            Cluster::join(&via, 1, 1, 7, &secret(), patience, &|| true)
        });
        let (mut caller, _) = between.accept().unwrap();
        let mut greeting = [0; 65];
        caller.read_exact(&mut greeting).unwrap();
        // It records a whole talk.
        let mut listener = connected(&hosts.addresses()[0]);
        listener.write_all(&greeting).unwrap();
        let mut answer = [0; 64];
        listener.read_exact(&mut answer).unwrap();
        caller.write_all(&answer).unwrap();
        let mut proof = [0; 32];
        caller.read_exact(&mut proof).unwrap();
        drop((caller, listener, between));
        let _ = second.join().unwrap();
        // The same words again, and the listener's own proof sent back to it.
        let mut heard = Vec::new();
        for said in [&proof[..], &answer[32..]] {
            let mut again = connected(&hosts.addresses()[0]);
            again.write_all(&greeting).unwrap();
            let mut fresh = [0; 64];
            again.read_exact(&mut fresh).unwrap();
            assert_ne!(fresh[..32], answer[..32], "a number is used twice");
            again.write_all(said).unwrap();
            let _ = again.read_to_end(&mut heard);
        }
        let second = join(&hosts, 1, 1);
        assert!(second.is_ok());
        (first.join().unwrap().unwrap(), heard)
    });
    assert!(heard.is_empty(), "{heard:?}");
    assert!(first.strangers().unproven >= 3, "{}", first.strangers());
}
