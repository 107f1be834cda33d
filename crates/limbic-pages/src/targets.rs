//! The servers of an address, and how the address is shown.

use std::net::{IpAddr, Ipv6Addr};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use tokio_postgres::config::{Config, Host};

use crate::passwords::{self, Login};

const DEFAULT_PORT: u16 = 5432;

/// Characters that would end a part of an address.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b',')
    .add(b'/')
    .add(b':')
    .add(b'?')
    .add(b'@')
    .add(b'[')
    .add(b']');

/// Where a connection leads.
#[derive(Clone)]
pub struct Target {
    pub host: String,
    /// Whether it is a socket of this machine: the folder of one, without an IP address.
    pub is_socket: bool,
    /// The IP address of the host, which is shown in the query.
    address: Option<IpAddr>,
    port: u16,
    /// Empty where neither the address nor the system names one.
    pub user: String,
    database: String,
}

impl Target {
    /// The servers of an address, in their order: one at least.
    pub fn all(config: &Config) -> Vec<Target> {
        let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let user = config.get_user().map(str::to_owned);
        // It is shown, and looked up in the password file; the client library asks the system in the same way.
        let user = user.or_else(|| whoami::username().ok()).unwrap_or_default();
        let database = config.get_dbname().unwrap_or(&user).to_owned();
        let target = |index: usize| {
            let (host, is_socket) = match hosts.get(index) {
                Some(Host::Tcp(name)) => (name.clone(), false),
                #[cfg(unix)]
                Some(Host::Unix(path)) => {
                    (path.to_string_lossy().into_owned(), addresses.get(index).is_none())
                }
                _ => (addresses.get(index).map(ToString::to_string).unwrap_or_default(), false),
            };
            let port = ports.get(index).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
            let address = if hosts.is_empty() { None } else { addresses.get(index).copied() };
            Target { host, is_socket, address, port, user: user.clone(), database: database.clone() }
        };
        (0..hosts.len().max(addresses.len()).max(1)).map(target).collect()
    }

    /// Its password in a password file.
    pub fn password(&self, file: &[u8]) -> Option<Vec<u8>> {
        let login = |host| Login { host, port: self.port, database: &self.database, user: &self.user };
        let found = passwords::find(file, &login(&self.host));
        found.or_else(|| self.is_socket.then(|| passwords::find(file, &login("localhost"))).flatten())
    }

    /// Host and port, as a URL has them.
    pub fn place(&self) -> String {
        let Target { host, port, .. } = self;
        if host.parse::<Ipv6Addr>().is_ok() {
            format!("[{host}]:{port}")
        } else {
            format!("{}:{port}", escaped(host))
        }
    }
}

/// The address of a memory on these servers, as a URL without the password.
pub fn url(targets: &[Target], memory: &str) -> String {
    let Some(Target { user, database, .. }) = targets.first() else { return String::new() };
    let places: Vec<String> = targets.iter().map(Target::place).collect();
    let addresses: Vec<String> =
        targets.iter().filter_map(|target| target.address).map(|address| address.to_string()).collect();
    let addresses =
        if addresses.is_empty() { String::new() } else { format!("&hostaddr={}", addresses.join(",")) };
    let (user, database) = (escaped(user), escaped(database));
    format!("postgres://{user}@{}/{database}?memory={memory}{addresses}", places.join(","))
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}
