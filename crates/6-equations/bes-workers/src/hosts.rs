//! The file that lists the processes.

use std::net::{ToSocketAddrs, UdpSocket};

/// Where the processes listen, one address a line: `host:port`, or a port, which is one of this
/// machine that no other one can reach. Lines that are empty or begin with `#` do not count; the first
/// process has number 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts {
    addresses: Vec<String>,
}

/// What is wrong with such a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostsError {
    /// There is no address.
    #[error("there is no address")]
    Empty,
    /// A line is no address.
    #[error("line {line}: `{text}` is no address; write it as `host:port`")]
    NoAddress {
        /// The line, from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// An address is listed twice.
    #[error("line {line}: `{text}` is listed twice")]
    Twice {
        /// The second line.
        line: usize,
        /// The address.
        text: String,
    },
    /// More processes than can be connected to each other.
    #[error("{0} processes are too many; at most {MOST} are connected")]
    TooMany(usize),
}

/// Every process has a connection to every other one.
const MOST: usize = 256;

impl Hosts {
    /// Reads the text of a file.
    ///
    /// ```
    /// use bes_workers::Hosts;
    ///
    /// let hosts = Hosts::parse("# two of one machine\n127.0.0.1:4000\n127.0.0.1:4001\n").unwrap();
    /// assert_eq!(hosts.addresses().len(), 2);
    /// assert!(Hosts::parse("localhost").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Hosts, HostsError> {
        let mut addresses: Vec<String> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let (line, number) = (line.trim(), number + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let shown = || line.chars().take(80).collect::<String>();
            let loopback = line.parse::<u16>().ok().map(|port| format!("127.0.0.1:{port}"));
            let line = loopback.as_deref().unwrap_or(line);
            let parts = line.rsplit_once(':');
            let good = parts.is_some_and(|(host, port)| {
                let port = port.parse::<u16>().is_ok_and(|port| port != 0);
                let bracketed = host.starts_with('[') && host.ends_with(']');
                port && !host.is_empty()
                    && !host.contains(char::is_whitespace)
                    && (bracketed || !host.contains(':'))
            });
            if !good {
                return Err(HostsError::NoAddress { line: number, text: shown() });
            }
            if addresses.iter().any(|known| known.eq_ignore_ascii_case(line)) {
                return Err(HostsError::Twice { line: number, text: shown() });
            }
            addresses.push(line.to_owned());
        }
        match addresses.len() {
            0 => Err(HostsError::Empty),
            1..=MOST => Ok(Hosts { addresses }),
            n => Err(HostsError::TooMany(n)),
        }
    }

    /// The addresses, by process.
    pub fn addresses(&self) -> &[String] {
        &self.addresses
    }

    /// Whether no other machine can reach any of the addresses.
    pub fn all_loopback(&self) -> bool {
        self.addresses.iter().all(|address| {
            let found = address.to_socket_addrs().ok();
            found.is_some_and(|all| {
                let all: Vec<_> = all.collect();
                !all.is_empty() && all.iter().all(|at| at.ip().is_loopback())
            })
        })
    }

    /// The processes whose addresses are of this machine.
    pub fn local(&self) -> Vec<usize> {
        let is_local = |address: &String| {
            // A datagram socket that is bound and dropped tells whose address it is, and listens to
            // nobody.
            let found = address.to_socket_addrs().ok();
            found.is_some_and(|mut all| all.any(|at| UdpSocket::bind((at.ip(), 0)).is_ok()))
        };
        (0..self.addresses.len()).filter(|&i| is_local(&self.addresses[i])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read() {
        let hosts = Hosts::parse("a:1\r\n\n # b:2\n  [::1]:3  \n").unwrap();
        assert_eq!(hosts.addresses(), ["a:1", "[::1]:3"]);
        let hosts = Hosts::parse("4000\n127.0.0.1:4001\n").unwrap();
        assert_eq!(hosts.addresses(), ["127.0.0.1:4000", "127.0.0.1:4001"]);
        assert!(hosts.all_loopback());
        assert!(!Hosts::parse("4000\n192.0.2.1:4000").unwrap().all_loopback());
        assert!(!Hosts::parse("0.0.0.0:4000").unwrap().all_loopback());
    }

    #[test]
    fn wrong_files_are_refused() {
        for text in ["a", "a:", "70000", "a:0", "a:70000", ":1", "a b:1", "::1:3", "http://a:1"] {
            let refused = Hosts::parse(text);
            let line = 1;
            let expected = HostsError::NoAddress { line, text: text.to_owned() };
            assert_eq!(refused, Err(expected), "{text}");
        }
        assert_eq!(Hosts::parse("# nothing\n\n"), Err(HostsError::Empty));
        let twice = HostsError::Twice { line: 3, text: "A:1".to_owned() };
        assert_eq!(Hosts::parse("a:1\nb:1\nA:1"), Err(twice));
        let many: String = (1..=300).map(|port| format!("a:{port}\n")).collect();
        assert_eq!(Hosts::parse(&many), Err(HostsError::TooMany(300)));
    }

    #[test]
    fn loopback_is_local() {
        let hosts = Hosts::parse("127.0.0.1:4000\n192.0.2.1:4000\nlocalhost:1").unwrap();
        assert_eq!(hosts.local(), [0, 2]);
    }
}
