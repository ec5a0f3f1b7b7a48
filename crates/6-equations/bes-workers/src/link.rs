//! A connection that never fails, as far as `timely` can see.
//!
//! `timely` panics in its threads when a connection is lost, and the panic spreads to the workers.
//! A [`Link`] tells the run instead, waits until the workers have stopped, and then ends the stream
//! as if the other side had: with the rest of the message that was cut off, and a header of length
//! zero. What it makes up never reaches a worker.

use crate::run::Fate;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use timely::communication::allocator::zero_copy::stream::Stream;

use crate::run::{Failure, lock};

/// Workers of this process have stopped: links may end their streams.
#[derive(Default)]
pub(crate) struct Released {
    done: Mutex<bool>,
    bell: Condvar,
}

impl Released {
    pub(crate) fn release(&self) {
        *lock(&self.done) = true;
        self.bell.notify_all();
    }

    fn wait(&self) {
        let mut done = lock(&self.done);
        while !*done {
            done = self.bell.wait(done).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The data connection to one process.
pub(crate) struct Link {
    socket: TcpStream,
    process: usize,
    address: String,
    fate: Arc<Fate>,
    released: Arc<Released>,
    /// Shared by the clones: what is written after a loss goes nowhere.
    broken: Arc<AtomicBool>,
    frame: Frame,
}

/// How long a lost connection is not held against the other process: the reason why it ended may be
/// on its way.
const GRACE: Duration = Duration::from_millis(500);

impl Link {
    pub(crate) fn new(
        socket: TcpStream,
        process: usize,
        address: String,
        fate: Arc<Fate>,
        released: Arc<Released>,
    ) -> Link {
        let broken = Arc::default();
        Link { socket, process, address, fate, released, broken, frame: Frame::default() }
    }

    fn lost(&self, why: &str) {
        if !self.broken.swap(true, Ordering::SeqCst) && !self.fate.halted() {
            std::thread::sleep(GRACE);
            self.fate.halt(Failure::Lost {
                process: self.process,
                address: self.address.clone(),
                why: why.to_owned(),
            });
        }
    }
}

/// Where in a message a stream is: six numbers of eight bytes, the fifth the length of what follows.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// Bytes of the header that were read.
    header: u64,
    length: u64,
    /// Bytes of the body that are to come.
    body: u64,
    ended: bool,
}

const HEADER: u64 = 48;
const LENGTH: std::ops::Range<u64> = 32..40;

impl Frame {
    /// Bytes until the next header is complete, or the next body.
    fn missing(&self) -> u64 {
        if self.body > 0 { self.body } else { HEADER - self.header }
    }

    fn advance(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.ended {
            if self.body > 0 {
                let n = self.body.min(bytes.len() as u64);
                self.body -= n;
                bytes = &bytes[n as usize..];
                continue;
            }
            if LENGTH.contains(&self.header) {
                self.length = self.length << 8 | u64::from(bytes[0]);
            }
            self.header += 1;
            bytes = &bytes[1..];
            if self.header == HEADER {
                self.ended = self.length == 0;
                *self = Frame { header: 0, length: 0, body: self.length, ended: self.ended };
            }
        }
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.frame.ended || buffer.is_empty() {
            return Ok(0);
        }
        if !self.broken.load(Ordering::SeqCst) {
            match self.socket.read(buffer) {
                Ok(0) => self.lost("the connection was closed"),
                Ok(n) => {
                    self.frame.advance(&buffer[..n]);
                    return Ok(n);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => self.lost(&error.to_string()),
            }
        }
        self.released.wait();
        let n = self.frame.missing().min(buffer.len() as u64) as usize;
        buffer[..n].fill(0);
        self.frame.advance(&buffer[..n]);
        Ok(n)
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.broken.load(Ordering::SeqCst) {
            return Ok(bytes.len());
        }
        match self.socket.write(bytes) {
            Ok(n) if n > 0 || bytes.is_empty() => Ok(n),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            failed => {
                let why = failed.err().map_or("nothing is written".to_owned(), |e| e.to_string());
                self.lost(&why);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Link> {
        Ok(Link {
            socket: self.socket.try_clone()?,
            process: self.process,
            address: self.address.clone(),
            fate: self.fate.clone(),
            released: self.released.clone(),
            broken: self.broken.clone(),
            frame: self.frame,
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let _ = self.socket.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(length: usize) -> Vec<u8> {
        let mut bytes = vec![7; 32];
        bytes.extend((length as u64).to_be_bytes());
        bytes.extend(vec![9; 8 + length]);
        bytes
    }

    /// However a stream is cut, zeros complete it to whole messages and an end.
    #[test]
    fn streams_are_completed() {
        let whole: Vec<u8> = [message(5), message(70_000), message(1)].concat();
        for cut in (0..300).chain(70_000..whole.len()) {
            let mut frame = Frame::default();
            for part in whole[..cut].chunks(1 + cut % 7) {
                frame.advance(part);
            }
            let mut bytes = whole[..cut].to_vec();
            let mut parts = 0;
            while !frame.ended {
                let zeros = vec![0; frame.missing().min(1000) as usize];
                assert!(!zeros.is_empty());
                frame.advance(&zeros);
                bytes.extend(zeros);
                parts += 1;
                assert!(parts < 100, "cut at {cut}");
            }
            // Read again from the start: it ends where the bytes do.
            let mut at = 0;
            loop {
                let header = &bytes[at..at + 48];
                let length = u64::from_be_bytes(header[32..40].try_into().unwrap());
                at += 48 + length as usize;
                if length == 0 {
                    break;
                }
            }
            assert_eq!(at, bytes.len(), "cut at {cut}");
        }
    }
}
