//! Connecting to the servers of an address, one after the other, each within a limit. The client library limits the
//! connection of TCP alone, so that a server which is stopped would keep it from trying the next one.

use std::{cell::Cell, net::IpAddr, time::Duration};

use tokio::{net, time};
use tokio_postgres::{
    Client, Config, Connection, SimpleQueryMessage, Socket,
    config::{Host, LoadBalanceHosts},
    error::SqlState,
};

use super::failure::{Refusals, RequestError};
use crate::{
    address::Address,
    purpose::Purpose,
    tls::{Connector, Mode, Stream},
};

const DEFAULT_PORT: u16 = 5432;

/// A connection, and the task that moves its bytes.
type Connected = (Client, Connection<Socket, Stream<Socket>>);

/// Connects to the first server that accepts the connection. `limit` is the time for each, with TLS and login.
///
/// # Errors
/// Those of all servers.
pub async fn connect(address: &Address, tls: &Connector, limit: Duration) -> Result<Connected, Refusals> {
    let (first, second) = address.purpose.attempts();
    match connect_for(first, address, tls, limit).await {
        Err(refusals) => match second {
            Some(second) => connect_for(second, address, tls, limit).await,
            None => Err(refusals),
        },
        connected => connected,
    }
}

async fn connect_for(
    purpose: Purpose,
    address: &Address,
    tls: &Connector,
    limit: Duration,
) -> Result<Connected, Refusals> {
    let mut refusals = Refusals::new();
    for server in Server::all(address) {
        let ips = match server.addresses(limit).await {
            Ok(ips) => ips,
            Err(error) => {
                refusals.push((server.place, error));
                continue;
            }
        };
        for ip in ips {
            let one = server.config(&address.config, ip);
            // As in libpq, a socket of this machine has no TLS.
            let mode = if server.is_socket() { Mode::Disable } else { address.tls.mode };
            match log_in(one, mode, tls, purpose, limit).await {
                Ok(connected) => return Ok(connected),
                Err(error) => refusals.push((server.place.clone(), error)),
            }
        }
    }
    Err(refusals)
}

/// Connects with or without TLS as the mode says, and the other way if that is allowed and the server refuses the role
/// this way.
async fn log_in(
    mut one: Config,
    mode: Mode,
    tls: &Connector,
    purpose: Purpose,
    limit: Duration,
) -> Result<Connected, RequestError> {
    let (first, second) = mode.attempts();
    let refused = match attempt(one.ssl_mode(first), tls, purpose, limit).await {
        Err(error) if error.code() == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => error,
        other => return other,
    };
    let Some(second) = second else { return Err(refused) };
    match attempt(one.ssl_mode(second), tls, purpose, limit).await {
        // The server has no TLS.
        Err(RequestError::Postgres(error)) if error.code().is_none() => Err(refused),
        other => other,
    }
}

async fn attempt(
    one: &Config,
    tls: &Connector,
    purpose: Purpose,
    limit: Duration,
) -> Result<Connected, RequestError> {
    let is_logged_in = Cell::new(false);
    let connected = async {
        let (client, mut connection) = one.connect(tls.clone()).await?;
        is_logged_in.set(true);
        let Some((question, accepted)) = purpose.question() else { return Ok((client, connection)) };
        let mut asked = Box::pin(client.simple_query(question));
        let first = tokio::select! {
            biased;
            answer = &mut asked => Ok(answer),
            ended = &mut connection => Err(ended),
        };
        let answer = match first {
            Ok(answer) => answer?,
            Err(ended) => {
                // What the server said before it closed the connection has been received.
                drop(connection);
                return match (asked.await, ended) {
                    (Err(error), _) if !error.is_closed() => Err(error.into()),
                    (_, Err(error)) => Err(error.into()),
                    (_, Ok(())) => Err(RequestError::Closed),
                };
            }
        };
        drop(asked);
        let is_accepted = answer
            .iter()
            .any(|message| matches!(message, SimpleQueryMessage::Row(row) if row.get(0) == Some(accepted)));
        if is_accepted { Ok((client, connection)) } else { Err(RequestError::Unsuited(purpose)) }
    };
    let connected = time::timeout(limit, connected).await;
    connected.unwrap_or_else(|_| {
        Err(if is_logged_in.get() { RequestError::Unserved(limit) } else { RequestError::Silent(limit) })
    })
}

/// One of the servers of an address.
struct Server {
    place: String,
    password: Option<Vec<u8>>,
    host: Option<Host>,
    address: Option<IpAddr>,
    port: u16,
}

impl Server {
    /// The servers in the order in which they are tried.
    fn all(address: &Address) -> Vec<Server> {
        let config = &address.config;
        let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let server = |index: usize| Server {
            place: address.places.get(index).cloned().unwrap_or_default(),
            password: address.password(index),
            host: hosts.get(index).cloned(),
            address: addresses.get(index).copied(),
            port: ports.get(index).or(ports.first()).copied().unwrap_or(DEFAULT_PORT),
        };
        let mut servers: Vec<Server> = (0..hosts.len().max(addresses.len())).map(server).collect();
        if config.get_load_balance_hosts() == LoadBalanceHosts::Random {
            servers.sort_by_cached_key(|_| getrandom::u64().unwrap_or_default());
        }
        servers
    }

    fn is_socket(&self) -> bool {
        match &self.host {
            #[cfg(unix)]
            Some(Host::Unix(_)) => self.address.is_none(),
            _ => false,
        }
    }

    /// Its IP addresses; `None` for a socket of this machine.
    async fn addresses(&self, limit: Duration) -> Result<Vec<Option<IpAddr>>, RequestError> {
        let name = match (&self.host, self.address) {
            (Some(Host::Tcp(name)), None) => name,
            (_, address) => return Ok(vec![address]),
        };
        let found = time::timeout(limit, net::lookup_host((name.as_str(), self.port))).await;
        let found = found.map_err(|_| RequestError::Silent(limit))?;
        let found = found.map_err(|error| RequestError::Unresolved(error.to_string()))?;
        Ok(found.map(|found| Some(found.ip())).collect())
    }

    /// The settings for this server alone.
    fn config(&self, all: &Config, address: Option<IpAddr>) -> Config {
        let mut one = Config::new();
        if let Some(user) = all.get_user() {
            one.user(user);
        }
        if let Some(password) = &self.password {
            one.password(password);
        }
        if let Some(name) = all.get_dbname() {
            one.dbname(name);
        }
        if let Some(options) = all.get_options() {
            one.options(options);
        }
        if let Some(name) = all.get_application_name() {
            one.application_name(name);
        }
        match (&self.host, address) {
            (Some(Host::Tcp(name)), _) => _ = one.host(name),
            // TLS needs a name.
            (_, Some(address)) => _ = one.host(address.to_string()),
            #[cfg(unix)]
            (Some(Host::Unix(path)), None) => _ = one.host_path(path),
            (None, None) => {}
        }
        if let Some(address) = address {
            one.hostaddr(address);
        }
        if let Some(time) = all.get_connect_timeout() {
            one.connect_timeout(*time);
        }
        if let Some(time) = all.get_tcp_user_timeout() {
            one.tcp_user_timeout(*time);
        }
        if let Some(time) = all.get_keepalives_interval() {
            one.keepalives_interval(time);
        }
        if let Some(count) = all.get_keepalives_retries() {
            one.keepalives_retries(count);
        }
        one.port(self.port)
            .ssl_negotiation(all.get_ssl_negotiation())
            .keepalives(all.get_keepalives())
            .keepalives_idle(all.get_keepalives_idle())
            .channel_binding(all.get_channel_binding());
        one
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

    use std::{
        io::{self, Read, Write},
        net::{Ipv4Addr, TcpListener, TcpStream},
        thread,
    };

    use super::*;

    #[test]
    fn each_server_has_all_settings_but_the_hosts_of_others() {
        let url = "postgres://ada:secret@first:1,second:2/team";
        let settings = "?options=-cx&keepalives=0&keepalives_interval=7&tcp_user_timeout=9000&sslnegotiation=direct\
                        &sslmode=require&connect_timeout=3";
        let address = Address::parse(&format!("{url}{settings}"), &|_| None).expect("the URL is valid");
        let servers = Server::all(&address);
        let ports: Vec<u16> = servers.iter().map(|server| server.port).collect();
        assert_eq!(ports, [1, 2]);
        let ip = "192.0.2.7".parse().expect("the address is valid");
        let one = servers[1].config(&address.config, Some(ip));
        let mut expected: Config =
            url.replace("first:1,second:2", "second:2").parse().expect("the URL is valid");
        expected.options("-cx").application_name("limbic").hostaddr(ip).keepalives(false);
        expected.connect_timeout(Duration::from_secs(3)).tcp_user_timeout(Duration::from_secs(9));
        expected.keepalives_idle(Duration::from_secs(30)).keepalives_interval(Duration::from_secs(7));
        expected.ssl_negotiation(tokio_postgres::config::SslNegotiation::Direct);
        assert_eq!(one, expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_server_with_an_ip_address_is_no_socket_and_tls_has_a_name_for_it() {
        for (query, is_socket, names) in [
            ("host=/var/run/postgresql", true, vec![Host::Unix("/var/run/postgresql".into())]),
            ("host=/var/run/postgresql&hostaddr=192.0.2.7", false, vec![Host::Tcp("192.0.2.7".to_owned())]),
            ("hostaddr=192.0.2.7", false, vec![Host::Tcp("192.0.2.7".to_owned())]),
            ("host=db&hostaddr=192.0.2.7", false, vec![Host::Tcp("db".to_owned())]),
        ] {
            let address =
                Address::parse(&format!("postgres:///team?{query}"), &|_| None).expect("it is valid");
            let servers = Server::all(&address);
            let one = servers[0].config(&address.config, servers[0].address);
            assert_eq!((servers[0].is_socket(), one.get_hosts()), (is_socket, &names[..]), "{query}");
        }
    }

    /// A message of PostgreSQL.
    fn message(kind: u8, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len() + 4).expect("the message is short").to_be_bytes();
        [&[kind][..], &length, content].concat()
    }

    /// Reads what the client sends first, or a statement after `kind`.
    fn read(stream: &mut TcpStream, has_kind: bool) -> io::Result<()> {
        let mut head = [0; 5];
        let head = &mut head[usize::from(!has_kind)..];
        stream.read_exact(head)?;
        let length = head.last_chunk().map_or(0, |length| u32::from_be_bytes(*length));
        io::copy(&mut stream.take(u64::from(length) - 4), &mut io::sink()).map(drop)
    }

    /// A server that has no TLS and refuses the role of the first login; the second one finds a server that only reads.
    fn serve(listener: &TcpListener, has_tls_first: bool) -> io::Result<()> {
        let (mut first, _) = listener.accept()?;
        if has_tls_first {
            read(&mut first, false)?;
            first.write_all(b"N")?;
        }
        read(&mut first, false)?;
        first.write_all(&message(b'E', b"SFATAL\0C28000\0Mnot this way\0\0"))?;
        let (mut second, _) = listener.accept()?;
        read(&mut second, false)?;
        if !has_tls_first {
            return second.write_all(b"N");
        }
        let ready = message(b'Z', b"I");
        second.write_all(&[message(b'R', &[0; 4]), ready.clone()].concat())?;
        read(&mut second, true)?;
        let columns = message(b'T', &[&b"\0\x01x\0"[..], &[0; 18]].concat());
        let row = message(b'D', b"\0\x01\0\0\0\x02on");
        second.write_all(&[columns, row, message(b'C', b"SHOW\0"), ready].concat())?;
        // Until the client leaves.
        io::copy(&mut second, &mut io::sink()).map(drop)
    }

    #[test]
    fn a_second_way_to_log_in_tells_why_it_failed_unless_the_server_does_not_have_it() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the machine has threads");
        let address = Address::parse("postgres://ada:x@h/team", &|_| None).expect("the URL is valid");
        let tls = address.tls.connector().expect("it needs no files");
        for (mode, has_tls_first, says) in
            [(Mode::Prefer, true, "Unsuited(ReadWrite)"), (Mode::Allow, false, "not this way")]
        {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
            let port = listener.local_addr().expect("it is bound").port();
            let server = thread::spawn(move || serve(&listener, has_tls_first));
            let mut one = Config::new();
            one.user("ada").password("x").host("127.0.0.1").port(port);
            let limit = Duration::from_secs(60);
            let refused = runtime.block_on(log_in(one, mode, &tls, Purpose::ReadWrite, limit)).err();
            let refused = refused.expect("it is refused");
            assert!(format!("{refused:?}").contains(says), "{mode:?}: {refused:?}");
            server.join().expect("it does not panic").expect("the client talks to it");
        }
    }
}
