//! The settings of an address: what its URL omits comes from a service, then from libpq's variables. Each keeps where
//! it came from, so that an error can say that.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use percent_encoding::percent_decode_str;

use crate::{keywords, services};

/// Parameters of the URL that stay in it, because the client library reads them.
const OF_CLIENT: [&str; 7] = ["dbname", "host", "hostaddr", "options", "password", "port", "user"];
/// Parameters whose values may have an @ that is not escaped.
const WITH_ANY_TEXT: [&str; 8] =
    ["application_name", "memory", "passfile", "service", "servicefile", "sslcert", "sslkey", "sslrootcert"];

/// The folder of the service file of all users where `PGSYSCONFDIR` names none: that of libpq in Debian.
const SHARED_FOLDER: Option<&str> = if cfg!(unix) { Some("/etc/postgresql-common") } else { None };

/// An address that cannot be used; the text describes the error and contains no password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AddressError(pub(crate) String);

impl AddressError {
    pub(crate) fn new(text: &str) -> AddressError {
        AddressError(text.to_owned())
    }
}

/// Reads a variable of the environment.
pub type Variable<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The path in a variable.
pub fn path(variable: Variable<'_>, name: &str) -> Option<PathBuf> {
    variable(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folder below which libpq looks for the files of the user, if the variables name one. Files in the working
/// directory are never used: a repository may contain them.
pub fn home(variable: Variable<'_>) -> Option<PathBuf> {
    path(variable, if cfg!(windows) { "APPDATA" } else { "HOME" })
}

/// A file of the user, whose name on Windows is another one.
pub fn own_file(home: &Path, name: &str, name_on_windows: &str) -> PathBuf {
    home.join(if cfg!(windows) { name_on_windows } else { name })
}

/// The text of a variable; one that is not UTF-8 does not count as unset.
fn text(variable: Variable<'_>, name: &str) -> Result<Option<String>, AddressError> {
    let value = variable(name).filter(|value| !value.is_empty());
    value.map(OsString::into_string).transpose().map_err(|_| {
        let other = if name == "PGPASSWORD" { ", or put the password into ~/.pgpass" } else { "" };
        AddressError(format!("the variable {name} is not UTF-8: set it again in UTF-8, or unset it{other}"))
    })
}

/// The settings of an address.
#[derive(Debug, Default)]
pub struct Settings(BTreeMap<String, Setting>);

#[derive(Debug)]
struct Setting {
    value: String,
    /// Where it was written, in parentheses, for messages.
    origin: String,
}

impl Settings {
    /// Separates the parameters of a URL from those that the client library reads, which stay in it.
    ///
    /// # Errors
    /// [`AddressError`]: an unknown parameter, a password that is not escaped.
    pub fn split(text: &str) -> Result<(String, Settings), AddressError> {
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        // The client library takes what precedes any @ for a user and a password, and errors would show the rest of it.
        let is_strict = |pair: &&str| !WITH_ANY_TEXT.contains(&pair.split('=').next().unwrap_or_default());
        let (_, database) =
            base.split_once("://").and_then(|(_, rest)| rest.split_once('/')).unwrap_or_default();
        if database.contains('@') || query.split('&').filter(is_strict).any(|pair| pair.contains('@')) {
            let text = "in the address, / and ? of a password must be written as %2F and %3F, and @ as %40";
            return Err(AddressError::new(text));
        }
        if text.contains("%00") {
            return Err(AddressError::new(
                "the address has a %00, a character that PostgreSQL allows in no name and no password",
            ));
        }
        let (mut settings, mut kept) = (Settings::default(), Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if key == "host" {
                // The client library takes a list for one name.
                kept.extend(value.split(',').map(|host| format!("host={host}")));
                continue;
            }
            if OF_CLIENT.contains(&key) {
                kept.push(pair.to_owned());
                continue;
            }
            if !keywords::is_known(key) && !["service", "servicefile"].contains(&key) {
                // It may be the rest of a password.
                let text = if query.split('&').any(|pair| pair.starts_with("password=")) {
                    "the address has an unknown parameter: & of a password must be written as %26".to_owned()
                } else if pair.contains('=') {
                    format!("the address has the unknown parameter {key:?}")
                } else {
                    "the address has an unknown parameter, which has no =".to_owned()
                };
                return Err(AddressError(text));
            }
            let value = percent_decode_str(value)
                .decode_utf8()
                .map_err(|_| AddressError(format!("the parameter {key} of the address is not UTF-8")))?;
            if key == "memory" && settings.get(key).is_some() {
                return Err(AddressError::new("the address has memory more than once: name one"));
            }
            // The last one counts, as in libpq.
            settings.0.remove(key);
            settings.add(key, &value, "(from the address)");
        }
        let url = if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) };
        Ok((url, settings))
    }

    /// Adds what is missing from the service, then from the variables.
    ///
    /// # Errors
    /// [`AddressError`]: an unknown service, a parameter of it that is unknown, a value that cannot be met.
    pub fn complete(&mut self, home: Option<&Path>, variable: Variable<'_>) -> Result<(), AddressError> {
        let file = self.remove("servicefile").map(PathBuf::from).or_else(|| path(variable, "PGSERVICEFILE"));
        let service = match self.remove("service") {
            Some(service) => Some(service),
            None => text(variable, "PGSERVICE")?,
        };
        if let Some(service) = service {
            let shared = path(variable, "PGSYSCONFDIR").or_else(|| SHARED_FOLDER.map(PathBuf::from));
            let shared = shared.map(|folder| folder.join("pg_service.conf"));
            self.add_service(&service, file, home, shared)?;
        }
        for (name, key) in keywords::VARIABLES {
            if self.get(key).is_some() {
                continue;
            }
            if let Some(value) = text(variable, name)? {
                self.add(key, &value, &format!("(from the variable {name})"));
            }
        }
        if text(variable, "PGREQUIRESSL")?.is_some_and(|value| value.starts_with('1')) {
            self.add("sslmode", "require", "(from the variable PGREQUIRESSL)");
        }
        let refused = self.0.iter().find_map(|(key, Setting { value, origin })| {
            if value.contains('\0') {
                return Some(format!("{key} {origin} has a NUL character"));
            }
            keywords::refusal(key, value, origin)
        });
        refused.map_or(Ok(()), |refused| Err(AddressError(refused)))
    }

    fn add_service(
        &mut self,
        service: &str,
        named: Option<PathBuf>,
        home: Option<&Path>,
        shared: Option<PathBuf>,
    ) -> Result<(), AddressError> {
        let is_named = named.is_some();
        let own = named.or_else(|| Some(own_file(home?, ".pg_service.conf", "postgresql/.pg_service.conf")));
        let files: Vec<PathBuf> = own.into_iter().chain(shared).collect();
        for (index, file) in files.iter().enumerate() {
            let bytes = match fs::read(file) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound && !(is_named && index == 0) => {
                    continue;
                }
                Err(error) => {
                    let text = format!("the service file {} cannot be read: {error}", file.display());
                    return Err(AddressError(text));
                }
            };
            let lines = services::find(&bytes, service)
                .map_err(|error| AddressError(format!("{error} in the service file {}", file.display())))?;
            let Some(lines) = lines else { continue };
            for services::Line { number, key, value } in lines {
                let origin = format!("(from line {number} of {})", file.display());
                if !keywords::is_known(&key) {
                    return Err(AddressError(format!("{key:?} {origin} is no parameter of a connection")));
                }
                self.add(&key, &value, &origin);
            }
            return Ok(());
        }
        let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        Err(AddressError(format!(
            "no service file defines the service {service:?}; it was looked for in {}",
            files.join(" and ")
        )))
    }

    /// Adds a setting if it is missing.
    pub fn add(&mut self, key: &str, value: &str, origin: &str) {
        let setting = || Setting { value: value.to_owned(), origin: origin.to_owned() };
        self.0.entry(key.to_owned()).or_insert_with(setting);
    }

    /// Takes a setting out.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        self.0.remove(key).map(|setting| setting.value)
    }

    /// A setting.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|setting| setting.value.as_str())
    }

    /// A setting that is a whole number.
    ///
    /// # Errors
    /// [`AddressError`] if it is none.
    pub fn number(&self, key: &str) -> Result<Option<i64>, AddressError> {
        self.0
            .get(key)
            .map(|Setting { value, origin }| {
                let number = value.trim().parse();
                number
                    .map_err(|_| AddressError(format!("{key} {origin} must be a number, but got {value:?}")))
            })
            .transpose()
    }

    /// Where a setting was written, in parentheses, for messages.
    pub fn origin(&self, key: &str) -> &str {
        self.0.get(key).map_or("", |setting| setting.origin.as_str())
    }
}
