//! Processes that find each other, and look after each other.
//!
//! Every process listens at its own address, at no other one, and connects to those of lower
//! numbers; each connection begins with a greeting that tells who is there and what for, and with
//! proofs of both sides that they know the run's secret (`door.rs`). Two processes have one connection for data, which is `timely`'s. Process 0 has another one to each,
//! over which everybody says that it is alive, that it is done, or why it stopped: the news of a
//! process that stops reaches all others through process 0.
//!
//! There is no encryption: whoever can read and change what is sent between two machines can read and
//! change the run.

use crate::door::{
    Attempt, Door, Greeting, MOMENT, OTHER_CREW, OTHER_TASK, Strangers, TWICE, WELCOME, call,
};
use crate::hosts::Hosts;
use crate::link::{Link, Released};
use crate::run::{Failure, Fate, lock};
use crate::secret::Secret;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};

/// Processes that are connected to each other, for one run.
#[derive(Debug)]
pub struct Cluster {
    me: usize,
    addresses: Vec<String>,
    data: Vec<Option<TcpStream>>,
    pulse: Pulse,
    strangers: Strangers,
}

/// Why the processes did not find each other.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// The list has no such process.
    #[error("there is no process {process}: {processes} are listed, from 0")]
    NoSuchProcess {
        /// The number.
        process: usize,
        /// How many there are.
        processes: usize,
    },
    /// This process cannot listen at its address.
    #[error("process {process} cannot listen at {address}: {why}")]
    Listen {
        /// Its number.
        process: usize,
        /// The address.
        address: String,
        /// What the system says.
        why: String,
    },
    /// A process did not come.
    #[error("process {process} ({address}) was not there within {}: {why}", seconds(*.patience))]
    Absent {
        /// The process.
        process: usize,
        /// Its address.
        address: String,
        /// How long this one waited.
        patience: Duration,
        /// What was noticed of it.
        why: String,
    },
    /// A process that came is about something else.
    #[error("process {process} ({address}) {why}")]
    Misfit {
        /// The process.
        process: usize,
        /// Its address.
        address: String,
        /// What is different.
        why: &'static str,
    },
    /// The caller did not want to wait any longer.
    #[error("stopped")]
    Stopped,
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn misfit(reply: u8) -> &'static str {
    match reply {
        OTHER_CREW => "has another list of hosts, or another number of workers",
        OTHER_TASK => "works on another question, or is another version",
        TWICE => "was started twice",
        _ => "does not speak this protocol",
    }
}

/// Between attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// The search for the others.
struct Search<'a> {
    hosts: &'a Hosts,
    me: usize,
    threads: usize,
    task: u64,
    secret: &'a Secret,
    patience: Duration,
    deadline: Instant,
    go_on: &'a (dyn Fn() -> bool + Sync),
    failed: AtomicBool,
}

impl Search<'_> {
    fn address(&self, process: usize) -> String {
        self.hosts.addresses()[process].clone()
    }

    fn misfit(&self, process: usize, reply: u8) -> JoinError {
        JoinError::Misfit { process, address: self.address(process), why: misfit(reply) }
    }

    fn absent(&self, process: usize, why: &str) -> JoinError {
        JoinError::Absent {
            process,
            address: self.address(process),
            patience: self.patience,
            why: why.to_owned(),
        }
    }

    fn greeting(&self, to: usize, control: bool) -> Greeting {
        Greeting {
            control,
            process: self.me as u32,
            to: to as u32,
            processes: self.hosts.addresses().len() as u32,
            threads: self.threads as u32,
            task: self.task,
        }
    }

    /// Whether there is time left; an error if somebody wants to stop.
    fn time_left(&self) -> Result<bool, JoinError> {
        if self.failed.load(Ordering::SeqCst) || !(self.go_on)() {
            return Err(JoinError::Stopped);
        }
        Ok(Instant::now() < self.deadline)
    }

    /// Connects to a process of a lower number.
    fn connect(&self, process: usize, control: bool) -> Result<TcpStream, JoinError> {
        let mut why = "it does not answer".to_owned();
        while self.time_left()? {
            match self.attempt(process, control) {
                Ok(socket) => return Ok(socket),
                Err(Attempt::Refused(reply)) => return Err(self.misfit(process, reply)),
                Err(Attempt::Failed(error)) => why = error.to_string(),
            }
            thread::sleep(PAUSE);
        }
        Err(self.absent(process, &why))
    }

    fn attempt(&self, process: usize, control: bool) -> Result<TcpStream, Attempt> {
        let mut last = io::Error::new(ErrorKind::NotFound, "it has no address");
        for at in self.hosts.addresses()[process].to_socket_addrs()? {
            let mut socket = match TcpStream::connect_timeout(&at, MOMENT) {
                Ok(socket) => socket,
                Err(error) => {
                    last = error;
                    continue;
                }
            };
            call(&mut socket, &self.greeting(process, control), self.secret)?;
            return Ok(socket);
        }
        Err(Attempt::Failed(last))
    }

    /// Waits for the processes of higher numbers.
    fn accept(
        &self,
        door: &mut Door<'_>,
        data: &mut [Option<TcpStream>],
        control: &mut [Option<TcpStream>],
    ) -> Result<(), JoinError> {
        loop {
            let missing = |list: &[Option<TcpStream>]| {
                (self.me + 1..list.len()).find(|&process| list[process].is_none())
            };
            let missing = missing(data).or(missing(control).filter(|_| self.me == 0));
            let Some(missing) = missing else { return Ok(()) };
            if !self.time_left()? {
                let why = match door.strangers.is_empty() {
                    true => "it did not connect".to_owned(),
                    false => format!("it did not connect; {}", door.strangers),
                };
                return Err(self.absent(missing, &why));
            }
            let Some((mut socket, greeting)) = door.look() else {
                thread::sleep(PAUSE);
                continue;
            };
            let process = greeting.process as usize;
            let wanted = self.greeting(self.me, greeting.control);
            let list = if greeting.control { &mut *control } else { &mut *data };
            let reply = if (greeting.processes, greeting.threads, greeting.to)
                != (wanted.processes, wanted.threads, wanted.to)
                || process <= self.me
                || process >= list.len()
                || (greeting.control && self.me != 0)
            {
                OTHER_CREW
            } else if greeting.task != wanted.task {
                OTHER_TASK
            } else if list[process].is_some() {
                TWICE
            } else {
                WELCOME
            };
            let _ = socket.write_all(&[reply]);
            match reply {
                WELCOME => list[process] = Some(socket),
                // The one that is here is good; the other one is told.
                TWICE => {}
                _ if process < self.hosts.addresses().len() => {
                    return Err(self.misfit(process, reply));
                }
                _ => return Err(self.misfit(self.hosts.addresses().len() - 1, reply)),
            }
        }
    }
}

impl Cluster {
    /// Finds the other processes. All have the same list, the same number of threads, the same secret,
    /// and the same task, which is whatever number tells their questions apart. Gives up after
    /// `patience`, or when `go_on` says so.
    pub fn join(
        hosts: &Hosts,
        process: usize,
        threads: usize,
        task: u64,
        secret: &Secret,
        patience: Duration,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Cluster, JoinError> {
        let processes = hosts.addresses().len();
        if process >= processes {
            return Err(JoinError::NoSuchProcess { process, processes });
        }
        let deadline = Instant::now() + patience;
        let failed = AtomicBool::new(false);
        let search =
            Search { hosts, me: process, threads, task, secret, patience, deadline, go_on, failed };
        let address = search.address(process);
        let listener = TcpListener::bind(&address)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .map_err(|e| JoinError::Listen {
                process,
                address: address.clone(),
                why: e.to_string(),
            })?;
        let mut data: Vec<Option<TcpStream>> = (0..processes).map(|_| None).collect();
        let mut control: Vec<Option<TcpStream>> = (0..processes).map(|_| None).collect();
        let note = |result: Result<(), JoinError>| {
            search.failed.fetch_or(result.is_err(), Ordering::SeqCst);
            result
        };
        let (mut higher, mut higher_control) = (Vec::new(), Vec::new());
        std::mem::swap(&mut higher, &mut data);
        std::mem::swap(&mut higher_control, &mut control);
        let mut door = Door::new(&listener, secret);
        let (accepted, connected) = thread::scope(|scope| {
            // Greetings are answered while others are waited for: no circle of waiting.
            let accepting =
                scope.spawn(|| note(search.accept(&mut door, &mut higher, &mut higher_control)));
            let connect = || {
                let mut lower = Vec::new();
                for other in 0..process {
                    lower.push(search.connect(other, false)?);
                }
                let control = if process > 0 { Some(search.connect(0, true)?) } else { None };
                Ok((lower, control))
            };
            let connected = connect();
            let connected = match note(connected.as_ref().map(|_| ()).map_err(Clone::clone)) {
                Ok(()) => connected,
                Err(error) => Err(error),
            };
            (accepting.join().unwrap_or(Err(JoinError::Stopped)), connected)
        });
        // Of two errors the one that is not about the other.
        let (lower, to_first) = match (accepted, connected) {
            (Ok(()), Ok(found)) => found,
            (Err(JoinError::Stopped), Err(error)) | (Err(error), _) | (Ok(()), Err(error)) => {
                return Err(error);
            }
        };
        for (slot, socket) in higher.iter_mut().zip(lower) {
            *slot = Some(socket);
        }
        if process > 0 {
            higher_control[0] = to_first;
        }
        let (addresses, strangers) = (hosts.addresses().to_vec(), door.close());
        let pulse = Pulse::start(process, &addresses, higher_control)
            .map_err(|e| JoinError::Listen { process, address, why: e.to_string() })?;
        Ok(Cluster { me: process, addresses, data: higher, pulse, strangers })
    }

    /// Who was sent away while the others were waited for.
    pub fn strangers(&self) -> &Strangers {
        &self.strangers
    }

    /// The number of this process.
    pub fn me(&self) -> usize {
        self.me
    }

    /// The number of processes.
    pub fn processes(&self) -> usize {
        self.addresses.len()
    }

    /// Whether the run goes on.
    pub(crate) fn fate(&self) -> &Arc<Fate> {
        &self.pulse.fate
    }

    /// Is set when another process is lost or stops: whoever works before the workers do, such as who reads a
    /// model, is to look at it.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.fate().stop.clone()
    }

    /// Why the run has ended before the workers began, if another process is the reason.
    pub fn failure(&self) -> Option<Failure> {
        self.fate().failure()
    }

    /// This process cannot take part: the others are told why.
    pub fn give_up(self, reason: String) {
        self.fate().halt(Failure::Stopped(reason));
    }

    /// Starts `timely`'s threads.
    pub(crate) fn start(self, threads: usize) -> io::Result<(Vec<TcpBuilder>, Guard)> {
        let released: Arc<Released> = Arc::default();
        let mut sockets = Vec::new();
        let mut links = Vec::new();
        let fate = self.fate().clone();
        for (process, socket) in self.data.into_iter().enumerate() {
            links.push(match socket {
                None => None,
                Some(socket) => {
                    sockets.push(socket.try_clone()?);
                    let address = self.addresses[process].clone();
                    Some(Link::new(socket, process, address, fate.clone(), released.clone()))
                }
            });
        }
        let hooks = Hooks::default();
        let local =
            ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), hooks.spill.clone());
        let (builders, comms) =
            initialize_networking_from_sockets(local, links, self.me, threads, hooks)?;
        Ok((builders, Guard { comms: Some(comms), released, sockets, pulse: self.pulse }))
    }
}

/// Messages between process 0 and the others.
const ALIVE: u8 = 0;
const FINISHED: u8 = 1;
const STOP: u8 = 2;

/// Everybody says that it is alive so often, and is lost when it was not heard of for so long: a
/// machine that is switched off closes no connection, and neither does a process that is held.
const BEAT: Duration = Duration::from_millis(500);
const SILENCE: Duration = Duration::from_secs(6);

fn beat(control: &[Arc<Mutex<TcpStream>>], closing: &AtomicBool) {
    while !closing.load(Ordering::SeqCst) {
        for socket in control {
            // Whether that fails is noticed by who listens.
            let _ = lock(socket).write_all(&[ALIVE]);
        }
        thread::park_timeout(BEAT);
    }
}

/// Listens to one process.
struct Ear {
    process: usize,
    addresses: Arc<Vec<String>>,
    fate: Arc<Fate>,
    closing: Arc<AtomicBool>,
}

impl Ear {
    fn listen(&self, mut socket: TcpStream) {
        let mut heard = Instant::now();
        let mut closing_since: Option<Instant> = None;
        let mut bytes: Vec<u8> = Vec::new();
        let mut buffer = [0; 1024];
        loop {
            if self.closing.load(Ordering::SeqCst) {
                // The other side is given a moment to say why, or that it is done, too.
                let since = *closing_since.get_or_insert_with(Instant::now);
                if since.elapsed() > 3 * MOMENT {
                    return;
                }
            }
            match socket.read(&mut buffer) {
                Ok(0) => return self.lost("it died, or was killed"),
                Ok(n) => {
                    heard = Instant::now();
                    bytes.extend_from_slice(&buffer[..n]);
                    if self.understand(&mut bytes) {
                        return;
                    }
                }
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if heard.elapsed() > SILENCE {
                        return self.lost("it was not heard of for 6 s");
                    }
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return self.lost(&e.to_string()),
            }
        }
    }

    fn lost(&self, why: &str) {
        if !self.closing.load(Ordering::SeqCst) {
            self.fate.halt(Failure::Lost {
                process: self.process,
                address: self.addresses[self.process].clone(),
                why: why.to_owned(),
            });
        }
    }

    /// Takes complete messages from the front; whether the other side has said its last.
    fn understand(&self, bytes: &mut Vec<u8>) -> bool {
        loop {
            match bytes.first() {
                None => return false,
                Some(&ALIVE) => _ = bytes.remove(0),
                Some(&FINISHED) => return true,
                Some(_) => {
                    let Some(failure) = decode(bytes, &self.addresses) else { return false };
                    self.fate.halt(failure);
                    return true;
                }
            }
        }
    }
}

/// A reason to stop: what kind of one, whose, and a text.
fn encode(failure: &Failure, me: usize) -> Vec<u8> {
    let (kind, process, text) = match failure {
        Failure::Stopped(reason) => (0, me, reason),
        Failure::StoppedElsewhere { process, reason, .. } => (0, *process, reason),
        Failure::System(reason) => (1, me, reason),
        Failure::Lost { process, why, .. } => (2, *process, why),
        Failure::Internal(what) => (3, me, what),
        Failure::Whole => (4, me, &String::new()),
    };
    let mut out = vec![STOP, kind];
    out.extend((process as u32).to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
    out
}

/// The same at the other side, once it is complete.
fn decode(bytes: &[u8], addresses: &[String]) -> Option<Failure> {
    let (_, rest) = bytes.split_first()?;
    let (&kind, rest) = rest.split_first()?;
    let (process, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let text = rest.get(..u32::from_le_bytes(*length) as usize)?;
    let text = String::from_utf8_lossy(text).into_owned();
    let process = u32::from_le_bytes(*process) as usize;
    let address = addresses.get(process).cloned().unwrap_or_default();
    Some(match kind {
        0 => Failure::StoppedElsewhere { process, address, reason: text },
        1 => Failure::System(text),
        2 => Failure::Lost { process, address, why: text },
        4 => Failure::Whole,
        _ => Failure::Internal(text),
    })
}

/// The threads that tell others that this process is alive, and listen to them: from the moment on when all
/// are connected until this is dropped, which tells how the run ended here.
#[derive(Debug)]
struct Pulse {
    me: usize,
    fate: Arc<Fate>,
    /// Of process 0: to each other process; of others: to process 0.
    control: Vec<Arc<Mutex<TcpStream>>>,
    listeners: Vec<JoinHandle<()>>,
    heart: Option<JoinHandle<()>>,
    closing: Arc<AtomicBool>,
}

impl Pulse {
    fn start(
        me: usize,
        addresses: &[String],
        control: Vec<Option<TcpStream>>,
    ) -> io::Result<Pulse> {
        let mut pulse = Pulse {
            me,
            fate: Arc::default(),
            control: Vec::new(),
            listeners: Vec::new(),
            heart: None,
            closing: Arc::default(),
        };
        let addresses = Arc::new(addresses.to_vec());
        for (process, socket) in control.into_iter().enumerate() {
            let Some(socket) = socket else { continue };
            let reader = socket.try_clone()?;
            reader.set_read_timeout(Some(Duration::from_millis(200)))?;
            // Who is held reads nothing: that must not hold this process, too.
            socket.set_write_timeout(Some(MOMENT))?;
            pulse.control.push(Arc::new(Mutex::new(socket)));
            let ear = Ear {
                process,
                addresses: addresses.clone(),
                fate: pulse.fate.clone(),
                closing: pulse.closing.clone(),
            };
            pulse.listeners.push(thread::spawn(move || ear.listen(reader)));
        }
        let (control, closing) = (pulse.control.clone(), pulse.closing.clone());
        pulse.heart = Some(thread::spawn(move || beat(&control, &closing)));
        Ok(pulse)
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        // Who leaves without a word is lost.
        let last = match self.fate.failure() {
            _ if self.fate.finished() => vec![FINISHED],
            Some(failure) => encode(&failure, self.me),
            None => Vec::new(),
        };
        self.closing.store(true, Ordering::SeqCst);
        for socket in &self.control {
            let mut socket = lock(socket);
            let _ = socket.write_all(&last);
            let _ = socket.shutdown(Shutdown::Write);
        }
        if let Some(heart) = self.heart.take() {
            heart.thread().unpark();
            let _ = heart.join();
        }
        for listener in self.listeners.drain(..) {
            let _ = listener.join();
        }
    }
}

/// The threads that connect a process to others while workers work.
pub(crate) struct Guard {
    comms: Option<CommsGuard>,
    released: Arc<Released>,
    sockets: Vec<TcpStream>,
    pulse: Pulse,
}

impl Guard {
    /// The workers of this process have stopped: says so, and takes the connections down. When the
    /// run has an answer, what is still to be sent is sent, unless nobody takes it for a while.
    pub(crate) fn end(self) {
        let Guard { comms, released, sockets, pulse } = self;
        let finished = pulse.fate.finished();
        // Waits for the threads of `timely`. They do not panic, for links do not fail; if one did, the answer
        // would not depend on it.
        let leave = move || {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(comms)));
        };
        if finished {
            released.release();
            let leaving = thread::spawn(leave);
            let since = Instant::now();
            while !leaving.is_finished() && since.elapsed() < SILENCE {
                thread::sleep(PAUSE);
            }
            drop(pulse);
            sockets.iter().for_each(|socket| _ = socket.shutdown(Shutdown::Both));
            let _ = leaving.join();
        } else {
            drop(pulse);
            released.release();
            sockets.iter().for_each(|socket| _ = socket.shutdown(Shutdown::Both));
            leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_travel() {
        let addresses = ["a:1".to_owned(), "b:2".to_owned()];
        let lost = Failure::Lost { process: 1, address: "b:2".to_owned(), why: "gone".to_owned() };
        let stopped = Failure::Stopped("out of time".to_owned());
        let elsewhere = Failure::StoppedElsewhere {
            process: 0,
            address: "a:1".to_owned(),
            reason: "out of time".to_owned(),
        };
        for (sent, received) in [
            (&lost, &lost),
            (&stopped, &elsewhere),
            (&elsewhere, &elsewhere),
            (&Failure::System("x".to_owned()), &Failure::System("x".to_owned())),
        ] {
            let bytes = encode(sent, 0);
            for cut in 0..bytes.len() {
                assert_eq!(decode(&bytes[..cut], &addresses), None);
            }
            assert_eq!(decode(&bytes, &addresses).as_ref(), Some(received));
        }
    }
}
