//! Addresses of memories: URLs as in libpq, completed from the environment.

use std::{
    fmt,
    path::Path,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio_postgres::config::{Config, LoadBalanceHosts, SslNegotiation};

use crate::{
    cache_size::CacheSize,
    logins::Logins,
    outage::Outage,
    purpose::Purpose,
    settings::{self, AddressError, Settings, Variable},
    targets::{self, Target},
    tls::Tls,
    troubles::Troubles,
};

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
const DEFAULT_MEMORY: &str = "memory";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time after which a server that does not answer counts as unreachable.
const SILENT: Duration = Duration::from_secs(30);
/// The parameter that sets this time for the answers to statements, in seconds.
const ANSWER_TIMEOUT: &str = "answer_timeout";
/// The parameter that sets how much of the pages a server keeps.
const CACHE: &str = "cache";
/// The longest time that counts, which a point in time can be beyond now; libpq takes no larger number either.
const MAX_SECONDS: u64 = i32::MAX.unsigned_abs() as u64;
/// The shortest time for TLS and login: `connect_timeout=1` is for the network.
const MIN_LOGIN: Duration = Duration::from_secs(2);

/// The address of a memory in PostgreSQL.
#[derive(Clone)]
pub struct Address {
    /// Without the passwords of a password file.
    pub(crate) config: Config,
    pub(crate) logins: Logins,
    pub(crate) tls: Tls,
    /// Which servers are accepted.
    pub(crate) purpose: Purpose,
    /// Whether the address says so.
    is_purpose_given: bool,
    pub(crate) memory: String,
    answer_limit: Duration,
    cache_size: CacheSize,
    /// Shared by all connections to the address that come from one parsing.
    pub(crate) outage: Outage,
    /// Shared in the same way.
    pub(crate) troubles: Troubles,
    /// Whether a connection has found or created the memory; shared in the same way.
    was_found: Arc<AtomicBool>,
    /// Each server as it is shown.
    pub(crate) places: Vec<String>,
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
    pub fn parse(text: &str, variable: Variable<'_>) -> Result<Address, AddressError> {
        if !Self::is_address(text.trim()) {
            return Err(AddressError::new("an address begins with postgres://"));
        }
        let (url, mut settings) = Settings::split(text.trim())?;
        let mut config = Config::from_str(&url).map_err(|error| AddressError(unusable(&error)))?;
        let home = settings::home(variable);
        let home = home.as_deref();
        let is_password_given = config.get_password().is_some();
        settings.complete(home, variable)?;
        apply(&mut config, &settings)?;
        let answer_limit = match settings.number(ANSWER_TIMEOUT)?.map(u64::try_from) {
            None => SILENT,
            Some(Ok(seconds @ 1..)) => Duration::from_secs(seconds.min(MAX_SECONDS)),
            Some(_) => return Err(AddressError(format!("{ANSWER_TIMEOUT} must be 1 second or more"))),
        };
        let cache_size = match settings.get(CACHE) {
            None => CacheSize::default(),
            Some(text) => CacheSize::parse(text).ok_or_else(|| {
                AddressError(format!("{CACHE} must be {}, but got {text:?}", CacheSize::EXPECTED))
            })?,
        };
        let memory = settings.remove("memory").unwrap_or_else(|| DEFAULT_MEMORY.to_owned());
        require_name(&memory)?;
        let targets = Target::all(&config);
        if targets.iter().any(|target| target.user.is_empty()) {
            return Err(AddressError::new(
                "it names no user, and the system has no name for the one that runs limbic: write \
                 postgres://USER@..., or set PGUSER",
            ));
        }
        if targets.iter().any(|target| target.host.contains('@')) {
            return Err(AddressError::new("a password with @ must be written with %40 in its place"));
        }
        require_pairs(&config)?;
        let is_local = targets.iter().all(|target| target.is_socket);
        let tls = Tls::from_settings(&settings, home, is_local).map_err(AddressError)?;
        let logins = Logins::find(&config, is_password_given, &settings, home, &targets);
        Ok(Address {
            config,
            logins,
            tls,
            purpose: Purpose::of(settings.get("target_session_attrs")),
            is_purpose_given: settings.get("target_session_attrs").is_some(),
            shown: targets::url(&targets, &memory),
            places: targets.iter().map(Target::place).collect(),
            memory,
            answer_limit,
            cache_size,
            outage: Outage::default(),
            troubles: Troubles::default(),
            was_found: Arc::default(),
        })
    }

    /// Whether the text of the address has a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.logins.is_in_address()
    }

    /// The password for one of the servers, by its index, if there is one.
    pub(crate) fn password(&self, server: usize) -> Option<Vec<u8>> {
        self.config.get_password().map(<[u8]>::to_vec).or_else(|| self.logins.of_server(server))
    }

    /// The name of the memory.
    #[must_use]
    pub fn memory(&self) -> &str {
        &self.memory
    }

    /// The address of another memory in the same store.
    ///
    /// # Errors
    /// [`AddressError`] for a name that is none.
    pub fn with_memory(&self, memory: &str) -> Result<Address, AddressError> {
        require_name(memory)?;
        let mut other = self.clone();
        // What precedes it has no question mark.
        let (before, after) = (format!("?memory={}", self.memory), format!("?memory={memory}"));
        other.shown = self.shown.replacen(&before, &after, 1);
        memory.clone_into(&mut other.memory);
        other.was_found = Arc::default();
        Ok(other)
    }

    /// Why the server cannot be reached, since an attempt of this process to connect has failed and none has succeeded.
    #[must_use]
    pub fn outage(&self) -> Option<String> {
        self.outage.why()
    }

    /// Why the store refuses what this process needs of it, such as its login: the errors of what has not succeeded
    /// since.
    #[must_use]
    pub fn troubles(&self) -> Vec<String> {
        self.troubles.all()
    }

    /// Notes that the memory exists. If it is missing later, it was removed.
    pub(crate) fn note_found(&self) {
        self.was_found.store(true, Ordering::Relaxed);
    }

    /// Whether a connection of this process has found or created the memory.
    pub(crate) fn was_found(&self) -> bool {
        self.was_found.load(Ordering::Relaxed)
    }

    /// Whether another server of the address may be the one that writes now.
    pub(crate) fn may_have_moved(&self) -> bool {
        self.purpose == Purpose::ReadWrite && self.places.len() > 1
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

    /// Accepts any server, also a standby, unless the address has `target_session_attrs`. The default is a server that
    /// allows writes.
    #[must_use]
    pub fn for_reading(mut self) -> Address {
        if !self.is_purpose_given {
            self.purpose = Purpose::Any;
        }
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

fn unusable(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!(
        "the address cannot be used: {error}{}",
        if error.to_string().contains(&cause) { "" } else { &cause }
    )
}

/// Sets the parameters that the URL omits.
fn apply(config: &mut Config, settings: &Settings) -> Result<(), AddressError> {
    let get = |key: &str| settings.get(key);
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
            let found = port.trim().parse();
            config.port(found.map_err(|_| {
                AddressError(format!("port {} must be a number, but got {port:?}", settings.origin("port")))
            })?);
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
    let seconds = |key| -> Result<Option<Duration>, AddressError> {
        let given = settings.number(key)?.and_then(|seconds| u64::try_from(seconds).ok());
        Ok(given.filter(|seconds| *seconds > 0).map(|seconds| Duration::from_secs(seconds.min(MAX_SECONDS))))
    };
    config.connect_timeout(seconds("connect_timeout")?.unwrap_or(CONNECT_TIMEOUT));
    let name = get("application_name").or(get("fallback_application_name"));
    config.application_name(name.unwrap_or("limbic"));
    config.keepalives(settings.number("keepalives")? != Some(0));
    config.keepalives_idle(seconds("keepalives_idle")?.unwrap_or(SILENT));
    if let Some(time) = seconds("keepalives_interval")? {
        config.keepalives_interval(time);
    }
    let count = settings.number("keepalives_count")?.or(settings.number("keepalives_retries")?);
    if let Some(count) = count.and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0) {
        config.keepalives_retries(count);
    }
    let millis = settings.number("tcp_user_timeout")?.and_then(|millis| u64::try_from(millis).ok());
    config.tcp_user_timeout(millis.filter(|millis| *millis > 0).map_or(SILENT, Duration::from_millis));
    if get("load_balance_hosts") == Some("random") {
        config.load_balance_hosts(LoadBalanceHosts::Random);
    }
    if get("sslnegotiation") == Some("direct") {
        config.ssl_negotiation(SslNegotiation::Direct);
    }
    Ok(())
}

/// As in libpq: each host has its IP address if any has one, and its port unless all have the same one.
fn require_pairs(config: &Config) -> Result<(), AddressError> {
    let (hosts, ips, ports) =
        (config.get_hosts().len(), config.get_hostaddrs().len(), config.get_ports().len());
    if hosts > 0 && ips > 0 && hosts != ips {
        return Err(AddressError(format!(
            "{hosts} hosts and {ips} IP addresses (hostaddr) do not belong together"
        )));
    }
    let servers = hosts.max(ips);
    if ports > 1 && ports != servers {
        return Err(AddressError(format!("{servers} hosts and {ports} ports do not belong together")));
    }
    Ok(())
}

/// libpq's default: the socket of this machine's server, where there is one.
fn default_host() -> &'static str {
    let sockets = "/var/run/postgresql";
    if cfg!(unix) && Path::new(sockets).is_dir() { sockets } else { "localhost" }
}

/// The longest name of a memory.
const MAX_NAME: usize = 63;

fn require_name(memory: &str) -> Result<(), AddressError> {
    let has_letters = memory.starts_with(|first: char| first.is_ascii_alphanumeric())
        && memory.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
    if has_letters && memory.len() > MAX_NAME {
        let length = memory.len();
        return Err(AddressError(format!(
            "memory must be at most {MAX_NAME} characters long, but got {length}"
        )));
    }
    if has_letters {
        return Ok(());
    }
    // It may be the rest of an address, with a password.
    let got =
        if memory.contains(['@', ':', '=', ' ']) { String::new() } else { format!(", but got {memory:?}") };
    Err(AddressError(format!(
        "memory must be 1 to 63 letters, digits and . _ -, and begin with a letter or digit{got}"
    )))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

    use std::fs;

    use super::*;

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
            ("postgres://ada@host/team?password=ab&s3cret", "%26"),
            ("postgres://ada@host/team?password=ab&s3cret=", "%26"),
            ("postgres://ada@host/team?s3cret", "unknown parameter"),
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
    fn a_limit_beyond_all_times_is_the_longest_one() {
        let url = "postgres://limbic@host/team?connect_timeout=9223372036854775807&answer_timeout=9223372036854775807";
        let address = Address::parse(url, &|_| None).expect("the address is valid");
        let now = std::time::Instant::now();
        assert!(
            now.checked_add(address.patience()).is_some()
                && now.checked_add(address.answer_limit()).is_some()
        );
    }

    #[test]
    fn an_address_of_ip_needs_no_name_and_no_lookup() {
        let parse = |name: &'static str, value: &'static str| {
            Address::parse("postgres:///team", &move |asked| (asked == name).then(|| value.into()))
        };
        let address = parse("PGHOSTADDR", "192.0.2.7").expect("an IP address is one of a host");
        assert_eq!(address.config.get_hostaddrs(), [std::net::IpAddr::from([192, 0, 2, 7])]);
        assert!(address.config.get_hosts().is_empty());
        assert!(parse("PGHOSTADDR", "db.example").unwrap_err().to_string().contains("IP address"));
        let named = parse("PGHOST", "db.example").expect("a name is one of a host");
        assert!(named.config.get_hostaddrs().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_sockets_with_an_ip_address_is_no_socket() {
        let parsed = |address: Option<&'static str>| {
            let variable = move |name: &str| match name {
                "PGHOST" => Some("/var/run/postgresql".into()),
                "PGHOSTADDR" => address.map(Into::into),
                "PGSSLMODE" => Some("verify-full".into()),
                _ => None,
            };
            Address::parse("postgres:///team", &variable).expect("the variables are valid")
        };
        assert_eq!(parsed(Some("192.0.2.7")).tls.mode, crate::tls::Mode::VerifyFull);
        assert_eq!(parsed(None).tls.mode, crate::tls::Mode::Disable);
    }

    #[test]
    fn an_address_is_shown_as_one_that_leads_to_the_same_servers() {
        for (url, shown) in [
            ("postgres://ada:s@[::1]:5433/team", "postgres://ada@[::1]:5433/team?memory=memory"),
            ("postgres://ada:s@%2Ftmp%2Fpg/team", "postgres://ada@%2Ftmp%2Fpg:5432/team?memory=memory"),
            (
                "postgres:///team?host=/tmp/pg&user=ada&port=7",
                "postgres://ada@%2Ftmp%2Fpg:7/team?memory=memory",
            ),
            ("postgres://ada@a,[fe80::1]:7/team", "postgres://ada@a:5432,[fe80::1]:7/team?memory=memory"),
            ("postgres://a%40b%3A:s@db/a%2Fb%3F", "postgres://a%40b%3A@db:5432/a%2Fb%3F?memory=memory"),
            ("postgres://ada@/team?hostaddr=192.0.2.7", "postgres://ada@192.0.2.7:5432/team?memory=memory"),
            (
                "postgres://ada@a,b:7/team?hostaddr=192.0.2.7,fe80::1",
                "postgres://ada@a:5432,b:7/team?memory=memory&hostaddr=192.0.2.7,fe80::1",
            ),
        ] {
            let address = Address::parse(url, &|_| None).expect(url);
            assert_eq!(address.to_string(), shown);
            let again = Address::parse(shown, &|_| None).expect("what is shown is valid");
            assert_eq!(again.to_string(), shown);
            if !address.config.get_hosts().is_empty() {
                assert_eq!(again.config.get_hosts(), address.config.get_hosts(), "{url}");
                assert_eq!(again.config.get_hostaddrs(), address.config.get_hostaddrs(), "{url}");
            }
            assert_eq!(
                (again.config.get_user(), again.config.get_dbname()),
                (address.config.get_user(), address.config.get_dbname())
            );
        }
    }

    #[test]
    fn hosts_addresses_and_ports_belong_together() {
        for (query, says) in [
            ("host=a,b&hostaddr=192.0.2.7", "2 hosts and 1 IP addresses"),
            ("host=a,b,c&port=1,2", "3 hosts and 2 ports"),
        ] {
            let error =
                Address::parse(&format!("postgres:///team?{query}"), &|_| None).unwrap_err().to_string();
            assert!(error.contains(says), "{query}: {error}");
        }
        assert!(
            Address::parse("postgres:///team?host=a,b&port=1", &|_| None).is_ok(),
            "one port is that of all hosts"
        );
    }

    #[test]
    fn the_url_counts_before_the_service_and_the_service_before_the_variables() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("services");
        fs::write(&file, "[team]\nsslmode=require\nsslmode=disable\ndbname=shop\ntarget_session_attrs=any\n")
            .expect("the folder was just made");
        let variable = |name: &str| match name {
            "PGSERVICEFILE" => Some(file.clone().into_os_string()),
            "PGSERVICE" => Some("team".into()),
            "PGDATABASE" => Some("other".into()),
            "PGSSLMODE" => Some("bogus".into()),
            "PGAPPNAME" => Some("mine".into()),
            _ => None,
        };
        let address =
            Address::parse("postgres://ada@db?target_session_attrs=primary", &variable).expect("it is valid");
        assert_eq!(address.tls.mode, crate::tls::Mode::Require, "the first line counts");
        assert_eq!(address.config.get_dbname(), Some("shop"));
        assert_eq!(address.config.get_application_name(), Some("mine"));
        assert_eq!(address.purpose, Purpose::Primary);
    }

    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_not_utf_8_does_not_count_as_unset() {
        use std::os::unix::ffi::OsStringExt;
        for name in ["PGPASSWORD", "PGSERVICE", "PGHOST", "PGSSLMODE", "PGPASSFILE", "PGREQUIRESSL"] {
            let variable =
                |asked: &str| (asked == name).then(|| std::ffi::OsString::from_vec(b"secret-\xff".to_vec()));
            let error = Address::parse("postgres:///team", &variable).unwrap_err().to_string();
            assert!(error.contains(&format!("the variable {name} is not UTF-8")), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = folder.path().join(std::ffi::OsString::from_vec(b"caf\xe9".to_vec()));
        fs::create_dir(&home).expect("the folder was just made");
        fs::write(home.join(".pg_service.conf"), "[team]\ndbname=shop\n").expect("the folder was just made");
        let variable = |name: &str| match name {
            "HOME" => Some(home.clone().into_os_string()),
            "PGSERVICE" => Some("team".into()),
            _ => None,
        };
        let address = Address::parse("postgres://ada@db", &variable).expect("a folder may have any name");
        assert_eq!(address.config.get_dbname(), Some("shop"));
    }

    #[test]
    fn reading_accepts_any_server_unless_one_kind_is_asked_for() {
        for (wish, purpose) in [
            ("", Purpose::Any),
            ("?target_session_attrs=read-write", Purpose::ReadWrite),
            ("?target_session_attrs=primary", Purpose::Primary),
            ("?target_session_attrs=standby", Purpose::Standby),
        ] {
            let address =
                Address::parse(&format!("postgres://db/team{wish}"), &|_| None).expect("it is valid");
            assert_eq!(address.for_reading().purpose, purpose, "{wish}");
        }
    }
}
