//! The door of a process: who may come in, and who is sent away.
//!
//! - **HS1.** The caller greets: who it is, for whom and for what, and a number that is used once.
//! - **HS2.** The listener answers with a number of its own and its proof. Whoever does not greet is
//!   not answered.
//! - **HS3.** The caller, which knows by now that the listener belongs to the run, proves the same of
//!   itself.
//! - **HS4.** The listener replies whether the two fit each other.
//!
//! Callers are looked after all at once, and those that keep silent are sent away after a moment: no
//! number of them keeps anybody out.

use crate::secret::{NONCE, PROOF, Secret, Who, drawn};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// What a process says when it connects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Greeting {
    pub(crate) control: bool,
    pub(crate) process: u32,
    /// Whom it wants to talk to.
    pub(crate) to: u32,
    pub(crate) processes: u32,
    pub(crate) threads: u32,
    pub(crate) task: u64,
}

const MAGIC: [u8; 8] = *b"bop wrk2";
const GREETING: usize = 33;

pub(crate) const WELCOME: u8 = 0;
pub(crate) const OTHER_CREW: u8 = 1;
pub(crate) const OTHER_TASK: u8 = 2;
pub(crate) const TWICE: u8 = 3;

impl Greeting {
    fn bytes(&self) -> [u8; GREETING] {
        let mut out = [0; GREETING];
        out[..8].copy_from_slice(&MAGIC);
        out[8] = u8::from(self.control);
        out[9..13].copy_from_slice(&self.process.to_le_bytes());
        out[13..17].copy_from_slice(&self.to.to_le_bytes());
        out[17..21].copy_from_slice(&self.processes.to_le_bytes());
        out[21..25].copy_from_slice(&self.threads.to_le_bytes());
        out[25..].copy_from_slice(&self.task.to_le_bytes());
        out
    }

    fn read(bytes: &[u8; GREETING]) -> Option<Greeting> {
        let (magic, rest) = bytes.split_first_chunk()?;
        let (control, rest) = rest.split_first()?;
        let (process, rest) = rest.split_first_chunk()?;
        let (to, rest) = rest.split_first_chunk()?;
        let (processes, rest) = rest.split_first_chunk()?;
        let (threads, rest) = rest.split_first_chunk()?;
        let task = rest.first_chunk()?;
        (*magic == MAGIC && *control < 2).then(|| Greeting {
            control: *control == 1,
            process: u32::from_le_bytes(*process),
            to: u32::from_le_bytes(*to),
            processes: u32::from_le_bytes(*processes),
            threads: u32::from_le_bytes(*threads),
            task: u64::from_le_bytes(*task),
        })
    }
}

/// A connection attempt, or what somebody has to say at the door, may take so long.
pub(crate) const MOMENT: Duration = Duration::from_millis(1000);

/// Why a call came to nothing.
pub(crate) enum Attempt {
    /// The listener belongs to the run, and does not want this process.
    Refused(u8),
    /// Nobody of the run was reached.
    Failed(io::Error),
}

impl From<io::Error> for Attempt {
    fn from(error: io::Error) -> Attempt {
        Attempt::Failed(error)
    }
}

/// The caller's side, on a connection that was just made.
pub(crate) fn call(
    socket: &mut TcpStream,
    greeting: &Greeting,
    secret: &Secret,
) -> Result<(), Attempt> {
    let (greeting, own) = (greeting.bytes(), drawn()?);
    socket.set_nodelay(true)?;
    socket.write_all(&[&greeting[..], &own].concat())?;
    // The other side may be busy.
    socket.set_read_timeout(Some(4 * MOMENT))?;
    let mut answer = [0; NONCE + PROOF];
    socket.read_exact(&mut answer).map_err(|e| match e.kind() {
        ErrorKind::UnexpectedEof => io::Error::other("what listens there sends this process away"),
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            io::Error::other("what listens there does not answer")
        }
        _ => e,
    })?;
    let (theirs, proof) = answer.split_at(NONCE);
    let said: [&[u8]; 3] = [&greeting, &own, theirs];
    if !secret.accepts(Who::Listener, &said, proof) {
        return Err(io::Error::other("what listens there does not know the secret").into());
    }
    socket.write_all(&secret.proof(Who::Caller, &said))?;
    let mut reply = [0];
    socket.read_exact(&mut reply)?;
    if reply != [WELCOME] {
        return Err(Attempt::Refused(reply[0]));
    }
    socket.set_read_timeout(None)?;
    Ok(())
}

/// So many callers are looked after at once; the one that has kept silent longest makes way.
const MOST: usize = 256;

/// Who was sent away.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Strangers {
    /// Those that said nothing, or not enough.
    pub silent: usize,
    /// Those that said something else.
    pub garbage: usize,
    /// Those that did not know the secret.
    pub unproven: usize,
    /// Where the first one called from.
    pub first: Option<SocketAddr>,
}

impl Strangers {
    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

/// In a few words.
impl fmt::Display for Strangers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.silent + self.garbage + self.unproven;
        let connections = if all == 1 { "connection" } else { "connections" };
        write!(f, "{all} {connections} refused")?;
        let kinds = [
            (self.silent, "said nothing"),
            (self.garbage, "spoke another protocol"),
            (self.unproven, "did not prove to know the secret"),
        ];
        let mut before = ": ";
        for (n, what) in kinds.into_iter().filter(|(n, _)| *n > 0) {
            write!(f, "{before}{n} {what}")?;
            before = ", ";
        }
        match self.first {
            Some(first) => write!(f, " (the first from {first})"),
            None => Ok(()),
        }
    }
}

/// A caller that has not proved anything yet.
struct Caller {
    socket: TcpStream,
    from: SocketAddr,
    since: Instant,
    heard: Vec<u8>,
    /// What it greeted with, once it has, and the number that it was answered with.
    greeted: Option<(Greeting, [u8; NONCE])>,
}

/// What is known of a caller.
enum State {
    Waiting,
    Silent,
    Garbage,
    Unproven,
    Proved(Greeting),
}

const FIRST: usize = GREETING + NONCE;

impl Caller {
    /// Listens to what has come.
    fn listen(&mut self, secret: &Secret) -> State {
        let mut buffer = [0; FIRST + PROOF];
        let mut gone = false;
        match self.socket.read(&mut buffer) {
            Ok(0) => gone = true,
            Ok(n) => self.heard.extend_from_slice(&buffer[..n]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => gone = true,
        }
        let known = self.heard.len().min(MAGIC.len());
        if self.heard[..known] != MAGIC[..known] || self.heard.len() > FIRST + PROOF {
            return State::Garbage;
        }
        if self.greeted.is_none()
            && let Some(first) = self.heard.first_chunk::<GREETING>()
            && self.heard.len() >= FIRST
        {
            let Some(greeting) = Greeting::read(first) else { return State::Garbage };
            let Ok(own) = drawn() else { return State::Silent };
            let said: [&[u8]; 2] = [&self.heard[..FIRST], &own];
            let answer = [&own[..], &secret.proof(Who::Listener, &said)].concat();
            // There is room for it in a connection that was never written to.
            if !matches!(self.socket.write(&answer), Ok(n) if n == answer.len()) {
                return State::Silent;
            }
            self.greeted = Some((greeting, own));
        }
        if let Some((greeting, own)) = &self.greeted
            && self.heard.len() == FIRST + PROOF
        {
            let (first, proof) = self.heard.split_at(FIRST);
            return match secret.accepts(Who::Caller, &[first, own], proof) {
                true => State::Proved(*greeting),
                false => State::Unproven,
            };
        }
        match (gone || self.since.elapsed() > MOMENT, &self.greeted) {
            (false, _) => State::Waiting,
            (true, Some(_)) => State::Unproven,
            (true, None) => State::Silent,
        }
    }
}

/// A listener, and those who stand before it.
pub(crate) struct Door<'a> {
    listener: &'a TcpListener,
    secret: &'a Secret,
    callers: Vec<Caller>,
    /// Who was sent away.
    pub(crate) strangers: Strangers,
}

impl<'a> Door<'a> {
    /// A listener that does not block.
    pub(crate) fn new(listener: &'a TcpListener, secret: &'a Secret) -> Door<'a> {
        Door { listener, secret, callers: Vec::new(), strangers: Strangers::default() }
    }

    /// Looks after everybody once; the first caller that has proved itself, if one has. It waits for
    /// a reply of one byte.
    pub(crate) fn look(&mut self) -> Option<(TcpStream, Greeting)> {
        while let Ok((socket, from)) = self.listener.accept() {
            if self.callers.len() >= MOST {
                let mute = self.callers.iter().position(|c| c.heard.is_empty()).unwrap_or(0);
                let caller = self.callers.remove(mute);
                self.refuse(caller.from, |s| &mut s.silent);
            }
            let ready = socket.set_nonblocking(true).and_then(|()| socket.set_nodelay(true));
            if ready.is_ok() {
                let since = Instant::now();
                self.callers.push(Caller { socket, from, since, heard: Vec::new(), greeted: None });
            }
            // Those at the door are heard before more are let near it.
            if self.callers.len() >= MOST {
                break;
            }
        }
        let mut i = 0;
        while let Some(caller) = self.callers.get_mut(i) {
            let state = caller.listen(self.secret);
            if matches!(state, State::Waiting) {
                i += 1;
                continue;
            }
            let caller = self.callers.remove(i);
            match state {
                State::Proved(greeting) => {
                    if caller.socket.set_nonblocking(false).is_ok() {
                        return Some((caller.socket, greeting));
                    }
                }
                State::Garbage => self.refuse(caller.from, |s| &mut s.garbage),
                State::Unproven => self.refuse(caller.from, |s| &mut s.unproven),
                State::Silent | State::Waiting => self.refuse(caller.from, |s| &mut s.silent),
            }
        }
        None
    }

    /// Closes the door: who was sent away, and who still stood there and had said nothing. Who had
    /// greeted may be one of the run that called once too often.
    pub(crate) fn close(mut self) -> Strangers {
        for caller in std::mem::take(&mut self.callers) {
            if caller.heard.is_empty() {
                self.refuse(caller.from, |s| &mut s.silent);
            }
        }
        self.strangers
    }

    fn refuse(&mut self, from: SocketAddr, kind: fn(&mut Strangers) -> &mut usize) {
        *kind(&mut self.strangers) += 1;
        self.strangers.first.get_or_insert(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_read() {
        let greeting = Greeting {
            control: true,
            process: 3,
            to: 1,
            processes: 4,
            threads: 2,
            task: u64::MAX - 1,
        };
        assert_eq!(Greeting::read(&greeting.bytes()), Some(greeting));
        let mut other = greeting.bytes();
        other[0] = b'G';
        assert_eq!(Greeting::read(&other), None);
    }

    #[test]
    fn strangers_are_told() {
        let first = Some("127.0.0.1:9".parse().unwrap());
        let one = Strangers { silent: 0, garbage: 1, unproven: 0, first };
        assert_eq!(
            one.to_string(),
            "1 connection refused: 1 spoke another protocol (the first from 127.0.0.1:9)"
        );
        let many = Strangers { silent: 129, garbage: 0, unproven: 2, first };
        assert_eq!(
            many.to_string(),
            "131 connections refused: 129 said nothing, 2 did not prove to know the secret (the \
             first from 127.0.0.1:9)"
        );
    }
}
