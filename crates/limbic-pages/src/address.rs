//! Addresses of memories: URLs as in libpq, completed from the environment.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use percent_encoding::percent_decode_str;
use tokio_postgres::config::{Config, Host, TargetSessionAttrs};

use crate::{
    cache_size::CacheSize,
    outage::Outage,
    passwords::{self, Login},
    services,
    tls::Tls,
};

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
const DEFAULT_MEMORY: &str = "memory";
const DEFAULT_PORT: u16 = 5432;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time after which a server that does not answer counts as unreachable.
const SILENT: Duration = Duration::from_secs(30);
/// The parameter that sets this time for the answers to statements, in seconds.
const ANSWER_TIMEOUT: &str = "answer_timeout";
/// The parameter that sets how much of the pages a server keeps.
const CACHE: &str = "cache";
/// The shortest time for TLS and login: `connect_timeout=1` is for the network.
const MIN_LOGIN: Duration = Duration::from_secs(2);

/// Parameters that the URL may have and that the client library does not know.
const OWN: [&str; 10] = [
    "memory",
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "passfile",
    "service",
    "application_name",
    ANSWER_TIMEOUT,
    CACHE,
];

/// Environment variables of libpq, with the parameters that they set.
const VARIABLES: [(&str, &str); 15] = [
    ("PGHOST", "host"),
    ("PGHOSTADDR", "hostaddr"),
    ("PGPORT", "port"),
    ("PGUSER", "user"),
    ("PGDATABASE", "dbname"),
    ("PGPASSWORD", "password"),
    ("PGPASSFILE", "passfile"),
    ("PGOPTIONS", "options"),
    ("PGAPPNAME", "application_name"),
    ("PGCONNECT_TIMEOUT", "connect_timeout"),
    ("PGSSLMODE", "sslmode"),
    ("PGSSLROOTCERT", "sslrootcert"),
    ("PGSSLCERT", "sslcert"),
    ("PGSSLKEY", "sslkey"),
    ("PGTARGETSESSIONATTRS", "target_session_attrs"),
];

/// An address that cannot be used; the text describes the error and contains no password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AddressError(String);

/// The address of a memory in PostgreSQL.
#[derive(Clone)]
pub struct Address {
    /// Without the passwords of [`Address::passwords`].
    pub(crate) config: Config,
    /// The password of each server in the password file, in the order of the servers; empty if the address has one.
    passwords: Vec<Option<String>>,
    /// The password file, if it is ignored because others may read it.
    ignored_passwords: Option<PathBuf>,
    pub(crate) tls: Tls,
    pub(crate) memory: String,
    answer_limit: Duration,
    cache_size: CacheSize,
    /// Shared by all connections to the address that come from one parsing.
    pub(crate) outage: Outage,
    shown: String,
}

impl Address {
    /// Whether a text is an address rather than a path.
    #[must_use]
    pub fn is_address(text: &str) -> bool {
        SCHEMES.iter().any(|scheme| text.trim_start().starts_with(scheme))
    }

    /// Parses `postgres://user@host:port/database?memory=name`. What the URL omits comes from the service (`service`,
    /// `PGSERVICE`), then from libpq's variables, which `variable` reads; the password also from `~/.pgpass`.
    ///
    /// # Errors
    /// [`AddressError`]: not a URL, an unknown parameter, an unknown service, a name of a memory that is none, a time
    /// or a size that is none.
    pub fn parse(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Address, AddressError> {
        let (url, mut settings) = split(text.trim())?;
        let mut config = Config::from_str(&url).map_err(|error| AddressError(unusable(&error)))?;
        let home = variable("HOME").or_else(|| variable("APPDATA")).map(PathBuf::from).unwrap_or_default();
        if let Some(service) = settings.remove("service").or_else(|| variable("PGSERVICE")) {
            fill(&mut settings, service_settings(&service, &home, variable)?);
        }
        let environment =
            VARIABLES.iter().filter_map(|(name, key)| Some(((*key).to_owned(), variable(name)?)));
        fill(&mut settings, environment.filter(|(_, value)| !value.is_empty()).collect());
        apply(&mut config, &settings)?;
        let tls = Tls::from_settings(&settings, &home).map_err(AddressError)?;
        let answer_limit = match settings.get(ANSWER_TIMEOUT).map(|text| number(text, ANSWER_TIMEOUT)) {
            None => SILENT,
            Some(Ok(0)) => return Err(AddressError(format!("{ANSWER_TIMEOUT} must be 1 second or more"))),
            Some(seconds) => Duration::from_secs(u64::from(seconds?)),
        };
        let cache_size = match settings.get(CACHE) {
            None => CacheSize::default(),
            Some(text) => CacheSize::parse(text).ok_or_else(|| {
                AddressError(format!("{CACHE} must be {}, but got {text:?}", CacheSize::EXPECTED))
            })?,
        };
        let memory = settings.remove("memory").unwrap_or_else(|| DEFAULT_MEMORY.to_owned());
        require_name(&memory)?;
        let targets = ConnectionTarget::all(&config, variable);
        if targets.iter().any(|target| target.host.contains('@')) {
            return Err(AddressError("a password with @ must be written with %40 in its place".to_owned()));
        }
        let (mut passwords, mut ignored_passwords) = (Vec::new(), None);
        if config.get_password().is_none() {
            match password_file(&settings, &home) {
                PasswordFile::Missing => {}
                PasswordFile::Text(file) => {
                    passwords = targets.iter().map(|target| target.password(&file)).collect();
                }
                PasswordFile::Ignored(path) => ignored_passwords = Some(path),
            }
        }
        let shown = targets.first().map_or_else(String::new, |first| {
            let ConnectionTarget { host, port, user, database, .. } = first;
            format!("postgres://{user}@{host}:{port}/{database}?memory={memory}")
        });
        let outage = Outage::default();
        Ok(Address {
            config,
            passwords,
            ignored_passwords,
            tls,
            memory,
            answer_limit,
            cache_size,
            outage,
            shown,
        })
    }

    /// What to do about a password that is missing, as the end of a message.
    pub(crate) fn password_advice(&self) -> String {
        match &self.ignored_passwords {
            Some(file) => {
                format!("{} is ignored, because others may read it: run chmod 600 on it", file.display())
            }
            None => "set PGPASSWORD, or add a line to ~/.pgpass".to_owned(),
        }
    }

    /// The password for one of the servers, by its index, if there is one.
    pub(crate) fn password(&self, server: usize) -> Option<&[u8]> {
        let found = || self.passwords.get(server)?.as_deref().map(str::as_bytes);
        self.config.get_password().or_else(found)
    }

    /// The name of the memory.
    #[must_use]
    pub fn memory(&self) -> &str {
        &self.memory
    }

    /// Why the server cannot be reached, since an attempt of this process to connect has failed and none has succeeded.
    #[must_use]
    pub fn outage(&self) -> Option<String> {
        self.outage.why()
    }

    /// Time of an outage for which calls wait: `connect_timeout`, by default ten seconds.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT)
    }

    /// Time for which a server may be silent while it connects: `connect_timeout`, and two seconds at least.
    #[must_use]
    pub(crate) fn login_limit(&self) -> Duration {
        self.patience().max(MIN_LOGIN)
    }

    /// Time for the answer to a statement, without that for moving its pages: `answer_timeout`, by default 30 seconds.
    #[must_use]
    pub(crate) fn answer_limit(&self) -> Duration {
        self.answer_limit
    }

    /// How much of the pages a server keeps: `cache`, by default 256 MB.
    #[must_use]
    pub fn cache_size(&self) -> CacheSize {
        self.cache_size
    }

    /// Accepts a standby that only reads; without this, a server that writes is looked for among the hosts.
    #[must_use]
    pub fn for_reading(mut self) -> Address {
        self.config.target_session_attrs(TargetSessionAttrs::Any);
        self
    }
}

/// Formats the address without the password.
impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

type Settings = BTreeMap<String, String>;

/// Separates the parameters that the client library supports, which stay in the URL, from the others.
fn split(text: &str) -> Result<(String, Settings), AddressError> {
    if !Address::is_address(text) {
        return Err(AddressError("an address begins with postgres://".to_owned()));
    }
    let (base, query) = text.split_once('?').unwrap_or((text, ""));
    // The client library takes what precedes any @ for a user and a password, and errors would show the rest of that.
    let is_kept = |pair: &&str| !OWN.contains(&pair.split('=').next().unwrap_or_default());
    let (_, database) = base.split_once("://").and_then(|(_, rest)| rest.split_once('/')).unwrap_or_default();
    if database.contains('@') || query.split('&').filter(is_kept).any(|pair| pair.contains('@')) {
        let text = "in the address, / and ? of a password must be written as %2F and %3F, and @ as %40";
        return Err(AddressError(text.to_owned()));
    }
    let mut settings = Settings::new();
    let mut kept = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if OWN.contains(&key) {
            let value = percent_decode_str(value)
                .decode_utf8()
                .map_err(|_| AddressError(format!("the parameter {key} of the address is not UTF-8")))?;
            settings.insert(key.to_owned(), value.into_owned());
        } else {
            kept.push(pair);
        }
    }
    let url = if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) };
    Ok((url, settings))
}

/// Adds what is missing.
fn fill(settings: &mut Settings, more: Settings) {
    for (key, value) in more {
        settings.entry(key).or_insert(value);
    }
}

fn unusable(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!(
        "the address cannot be used: {error}{}",
        if error.to_string().contains(&cause) { "" } else { &cause }
    )
}

fn service_settings(
    service: &str,
    home: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Settings, AddressError> {
    let own = variable("PGSERVICEFILE").map_or_else(|| home.join(".pg_service.conf"), PathBuf::from);
    let shared = variable("PGSYSCONFDIR").map(|folder| Path::new(&folder).join("pg_service.conf"));
    let files = std::iter::once(own).chain(shared);
    let mut texts = files.filter_map(|file| fs::read_to_string(file).ok());
    texts
        .find_map(|text| services::find(&text, service))
        .ok_or_else(|| AddressError(format!("no service file defines the service {service:?}")))
}

/// Sets the parameters that the URL omits.
fn apply(config: &mut Config, settings: &Settings) -> Result<(), AddressError> {
    let get = |key: &str| settings.get(key).map(String::as_str);
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        for address in get("hostaddr").into_iter().flat_map(|addresses| addresses.split(',')) {
            let address = address.trim().parse();
            config.hostaddr(
                address.map_err(|_| {
                    AddressError("hostaddr must be an IP address, such as 192.0.2.7".to_owned())
                })?,
            );
        }
        let default = config.get_hostaddrs().is_empty().then(default_host);
        for host in get("host").or(default).into_iter().flat_map(|hosts| hosts.split(',')) {
            config.host(host);
        }
    }
    if config.get_ports().is_empty()
        && let Some(ports) = get("port")
    {
        for port in ports.split(',') {
            config.port(number(port, "port")?);
        }
    }
    if config.get_user().is_none()
        && let Some(user) = get("user")
    {
        config.user(user);
    }
    if config.get_dbname().is_none()
        && let Some(name) = get("dbname")
    {
        config.dbname(name);
    }
    if config.get_password().is_none()
        && let Some(password) = get("password")
    {
        config.password(password);
    }
    if config.get_options().is_none()
        && let Some(options) = get("options")
    {
        config.options(options);
    }
    if config.get_connect_timeout().is_none() {
        let seconds = get("connect_timeout").map(|text| number(text, "connect_timeout")).transpose()?;
        config.connect_timeout(
            seconds
                .filter(|seconds| *seconds > 0)
                .map_or(CONNECT_TIMEOUT, |seconds| Duration::from_secs(u64::from(seconds))),
        );
    }
    if config.get_target_session_attrs() == TargetSessionAttrs::Any {
        config.target_session_attrs(match get("target_session_attrs") {
            Some("any") => TargetSessionAttrs::Any,
            Some("read-only" | "standby") => TargetSessionAttrs::ReadOnly,
            _ => TargetSessionAttrs::ReadWrite,
        });
    }
    config.application_name(get("application_name").unwrap_or("limbic"));
    config.keepalives_idle(SILENT).tcp_user_timeout(SILENT);
    Ok(())
}

fn number(text: &str, key: &str) -> Result<u16, AddressError> {
    text.trim().parse().map_err(|_| AddressError(format!("{key} must be a number, but got {text:?}")))
}

/// libpq's default: the socket of this machine's server, where there is one.
fn default_host() -> &'static str {
    let sockets = "/var/run/postgresql";
    if cfg!(unix) && Path::new(sockets).is_dir() { sockets } else { "localhost" }
}

fn require_name(memory: &str) -> Result<(), AddressError> {
    let is_name = (1..=63).contains(&memory.len())
        && memory.starts_with(|first: char| first.is_ascii_alphanumeric())
        && memory.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
    if is_name {
        return Ok(());
    }
    Err(AddressError(format!(
        "memory must be 1 to 63 letters, digits and . _ -, and begin with a letter or digit, but got {memory:?}"
    )))
}

/// Where a connection leads.
struct ConnectionTarget {
    host: String,
    is_socket: bool,
    port: u16,
    user: String,
    database: String,
}

impl ConnectionTarget {
    /// The servers of an address, in their order: one at least.
    fn all(config: &Config, variable: &dyn Fn(&str) -> Option<String>) -> Vec<ConnectionTarget> {
        let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let user = config.get_user().map(str::to_owned);
        let user = user.or_else(|| variable("USER")).or_else(|| variable("USERNAME")).unwrap_or_default();
        let database = config.get_dbname().unwrap_or(&user).to_owned();
        let target = |index: usize| {
            let (host, is_socket) = match hosts.get(index) {
                Some(Host::Tcp(name)) => (name.clone(), false),
                #[cfg(unix)]
                Some(Host::Unix(path)) => (path.to_string_lossy().into_owned(), true),
                _ => (addresses.get(index).map(ToString::to_string).unwrap_or_default(), false),
            };
            let port = ports.get(index).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
            ConnectionTarget { host, is_socket, port, user: user.clone(), database: database.clone() }
        };
        (0..hosts.len().max(addresses.len()).max(1)).map(target).collect()
    }

    /// Its password in the text of a password file.
    fn password(&self, file: &str) -> Option<String> {
        let login = |host| Login { host, port: self.port, database: &self.database, user: &self.user };
        let found = passwords::find(file, &login(&self.host));
        found.or_else(|| self.is_socket.then(|| passwords::find(file, &login("localhost"))).flatten())
    }
}

/// A password file.
enum PasswordFile {
    /// There is none.
    Missing,
    /// Others may read it.
    Ignored(PathBuf),
    /// Its text.
    Text(String),
}

/// Reads the password file. One that others may read is ignored, as libpq does.
fn password_file(settings: &Settings, home: &Path) -> PasswordFile {
    let file = match settings.get("passfile") {
        Some(path) => PathBuf::from(path),
        None if cfg!(windows) => home.join("postgresql").join("pgpass.conf"),
        None => home.join(".pgpass"),
    };
    match fs::read_to_string(&file) {
        Err(_) => PasswordFile::Missing,
        Ok(_) if is_open_to_others(&file) => PasswordFile::Ignored(file),
        Ok(text) => PasswordFile::Text(text),
    }
}

#[cfg(unix)]
fn is_open_to_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_file: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_password_file_that_others_may_read_is_ignored_and_named_when_the_password_is_missing() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("passwords");
        fs::write(&file, "host:5432:*:limbic:secret").expect("the folder was just made");
        let parsed = |mode: u32| {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("the file is ours");
            Address::parse(&format!("postgres://limbic@host/team?passfile={}", file.display()), &|_| None)
                .expect("the address is valid")
        };
        let private = parsed(0o600);
        assert_eq!(private.password(0), Some(&b"secret"[..]));
        assert!(private.password_advice().contains("PGPASSWORD"));
        let open = parsed(0o644);
        assert_eq!(open.password(0), None);
        assert!(open.password_advice().contains(&*file.to_string_lossy()), "{}", open.password_advice());
    }

    #[test]
    fn errors_show_no_part_of_a_password_that_is_not_escaped() {
        for (url, says) in [
            ("postgres://limbic:1s3cret@2@host/team", "%40"),
            ("postgres://limbic:12/s3cret@host/team", "%2F"),
            ("postgres://limbic:12?s3cret@host/team", "%3F"),
            ("postgres://limbic:12?s3cret@host/team?memory=shop", "%3F"),
            ("postgres://limbic:x/s3cret@host/team", "%2F"),
            ("postgres://limbic:x?s3cret@host/team?memory=shop", "%3F"),
            ("postgres://host/team?options=s3cret@host", "%40"),
        ] {
            let error = Address::parse(url, &|_| None).unwrap_err().to_string();
            assert!(error.contains(says) && !error.contains("s3cret"), "{url}: {error}");
        }
        let address = Address::parse("postgres://limbic:p%40%2F%3F%25@host/team", &|_| None)
            .expect("a password may have escaped characters");
        assert_eq!(address.config.get_password(), Some(b"p@/?%".as_slice()));
        assert_eq!(address.to_string(), "postgres://limbic@host:5432/team?memory=memory");
        let file = "postgres://ada@host/team?passfile=/keys/ada@work/passwords&user=ada%40work";
        let address = Address::parse(file, &|_| None).expect("an @ after the ? is not that of a password");
        assert_eq!(address.config.get_user(), Some("ada@work"));
    }

    #[test]
    fn the_cache_has_the_size_of_the_address() {
        let parsed = |query: &str| Address::parse(&format!("postgres://limbic@host/team{query}"), &|_| None);
        let size = |query| parsed(query).expect("the address is valid").cache_size();
        assert_eq!(size(""), CacheSize::default());
        assert_eq!(Some(size("?memory=shop&cache=1GB")), CacheSize::parse("1GB"));
        let error = parsed("?cache=1024").unwrap_err().to_string();
        assert!(error.contains("16MB to 64GB") && error.contains("\"1024\""), "{error}");
    }

    #[test]
    fn an_address_of_ip_needs_no_name_and_no_lookup() {
        let parse = |name: &'static str, value: &'static str| {
            Address::parse("postgres:///team", &move |asked| (asked == name).then(|| value.to_owned()))
        };
        let address = parse("PGHOSTADDR", "192.0.2.7").expect("an IP address is one of a host");
        assert_eq!(address.config.get_hostaddrs(), [std::net::IpAddr::from([192, 0, 2, 7])]);
        assert!(address.config.get_hosts().is_empty());
        assert!(parse("PGHOSTADDR", "db.example").unwrap_err().to_string().contains("IP address"));
        let named = parse("PGHOST", "db.example").expect("a name is one of a host");
        assert!(named.config.get_hostaddrs().is_empty());
    }
}
