//! A connection to PostgreSQL that sends a request before the answers to earlier ones have come, and waits for none of
//! them without a limit.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use tokio::{
    runtime::{Builder, Handle},
    task::JoinHandle,
    time,
};
use tokio_postgres::{Client, Error, Row, SimpleQueryMessage, Statement, ToStatement, types::ToSql};

use super::{
    announcement::announced_process,
    failure::{Failure, RequestError, classify_all, note},
    interrupt, servers,
};
use crate::{address::Address, troubles::Step};

/// Bytes that a connection moves per second at least: a request may take longer by the time of what it moves.
const MIN_BYTES_A_SECOND: u64 = 64 * 1024;
/// Time for the end of a connection that is known to have failed.
const END_TIME: Duration = Duration::from_secs(1);

/// Parameters of a statement.
type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// The answer to a request that was sent.
type Answer = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// A connection. Requests are answered in the order in which they were sent.
pub struct Connection {
    client: Arc<Client>,
    runtime: Handle,
    /// Moves the bytes; ends with the connection.
    task: Option<JoinHandle<Result<(), Error>>>,
    /// The answer to a `ROLLBACK` that was not waited for.
    rollback: Option<Answer>,
    /// Time for an answer.
    limit: Duration,
    /// Time that the next request may take beyond it.
    more: Duration,
    /// Whether an answer did not come in time. One that comes later would be taken for that of another request.
    gave_up: bool,
}

/// The runtime of all connections of this process; one thread drives it.
static RUNTIME: Mutex<Option<Handle>> = Mutex::new(None);

fn runtime() -> std::io::Result<Handle> {
    let mut known = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*known {
        return Ok(handle.clone());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    thread::Builder::new()
        .name("postgres".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    *known = Some(handle.clone());
    Ok(handle)
}

/// Returns the maximum time for the transfer of this number of bytes.
pub fn time_to_move(bytes: u64) -> Duration {
    Duration::from_secs(bytes / MIN_BYTES_A_SECOND)
}

impl Connection {
    /// Connects. `limit` is the time that each server of the address has for TLS and login, and the time for each
    /// answer.
    pub fn open(address: &Address, limit: Duration) -> Result<Self, Failure> {
        let opened = Self::log_in(address, limit);
        note(address, Step::Login, opened.as_ref());
        opened
    }

    fn log_in(address: &Address, limit: Duration) -> Result<Self, Failure> {
        let tls = address.tls.connector().map_err(Failure::Refused)?;
        let runtime =
            runtime().map_err(|error| Failure::Broken(format!("no connection can be made: {error}")))?;
        let connected = runtime.block_on(async {
            tokio::select! {
                biased;
                connected = servers::connect(address, &tls, limit) => connected,
                () = interrupt::requested() => {
                    let places = address.places.iter().cloned();
                    Err(places.map(|place| (place, RequestError::Interrupted)).collect())
                }
            }
        });
        let (client, connection) = connected.map_err(|refusals| classify_all(&refusals, address))?;
        let task = Some(runtime.spawn(connection));
        let more = Duration::ZERO;
        Ok(Self { client: Arc::new(client), runtime, task, rollback: None, limit, more, gave_up: false })
    }

    /// Sets the time for an answer.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Lets the next request take this much longer.
    pub fn allowing(&mut self, more: Duration) -> &mut Self {
        self.more = more;
        self
    }

    /// Whether the connection is known to be broken.
    pub fn is_closed(&self) -> bool {
        self.gave_up || self.client.is_closed()
    }

    /// The number of the process that serves the connection, as it was announced when the connection was made. A pooler
    /// announces one of its own.
    pub fn announced_process(&self) -> Option<String> {
        announced_process(&self.client)
    }

    /// Prepares two statements.
    pub fn prepare(&mut self, first: &str, second: &str) -> Result<[Statement; 2], RequestError> {
        let client = self.client.clone();
        self.request(async move {
            // Both are sent before an answer comes.
            let (first, second) = tokio::join!(biased; client.prepare(first), client.prepare(second));
            Ok([first?, second?])
        })
    }

    /// Runs statements without parameters, separated by semicolons.
    pub fn simple_query(&mut self, sql: &str) -> Result<Vec<SimpleQueryMessage>, RequestError> {
        let client = self.client.clone();
        self.request(async move { client.simple_query(sql).await })
    }

    /// As [`Connection::simple_query`], without their rows.
    pub fn batch_execute(&mut self, sql: &str) -> Result<(), RequestError> {
        let client = self.client.clone();
        self.request(async move { client.batch_execute(sql).await })
    }

    /// The rows of a statement.
    pub fn query<T: ?Sized + ToStatement>(
        &mut self,
        statement: &T,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, RequestError> {
        let client = self.client.clone();
        self.request(async move { client.query(statement, parameters).await })
    }

    /// Runs a statement, and returns how many rows it changed.
    pub fn execute<T: ?Sized + ToStatement>(
        &mut self,
        statement: &T,
        parameters: Parameters<'_>,
    ) -> Result<u64, RequestError> {
        let client = self.client.clone();
        self.request(async move { client.execute(statement, parameters).await })
    }

    /// Runs a statement and then `sql`, in one round trip. In a transaction, `sql` has no effect if the statement
    /// fails at the server. Returns the result of `sql`.
    ///
    /// # Errors
    /// That of the statement.
    pub fn execute_and(
        &mut self,
        statement: &Statement,
        parameters: Parameters<'_>,
        sql: &str,
    ) -> Result<Result<(), RequestError>, RequestError> {
        let client = self.client.clone();
        let done = self.request(async move {
            let (first, then) =
                tokio::join!(biased; client.execute(statement, parameters), client.batch_execute(sql));
            first?;
            Ok(then)
        })?;
        Ok(done.map_err(|error| self.with_cause(error).into()))
    }

    /// Ends a transaction, and does not wait for the answer.
    pub fn roll_back(&mut self) {
        let client = self.client.clone();
        let mut answer = Box::pin(async move { client.batch_execute("ROLLBACK").await });
        // This sends it. On a connection that is broken, no transaction is left.
        if at_once(answer.as_mut()).is_pending() {
            self.rollback = Some(answer);
        }
    }

    /// Whether the last [`Connection::roll_back`] did what it should: to be asked when a later request was answered.
    pub fn has_rolled_back(&mut self) -> bool {
        let answer = self.rollback.take();
        answer.is_none_or(|mut answer| matches!(at_once(answer.as_mut()), Poll::Ready(Ok(()))))
    }

    /// Waits for the answer to a request, until the limit.
    fn request<T>(&mut self, request: impl Future<Output = Result<T, Error>>) -> Result<T, RequestError> {
        let limit = self.limit + std::mem::take(&mut self.more);
        let answered = self.runtime.block_on(async {
            tokio::select! {
                biased;
                answered = time::timeout(limit, request) => answered.map_err(|_| RequestError::Silent(limit)),
                () = interrupt::requested() => Err(RequestError::Interrupted),
            }
        });
        match answered {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.with_cause(error).into()),
            Err(silence) => {
                self.gave_up = true;
                // Otherwise it would wait for the answer as long as the server is silent.
                if let Some(task) = &self.task {
                    task.abort();
                }
                Err(silence)
            }
        }
    }

    /// If the connection has ended, the reason instead of that.
    fn with_cause(&mut self, error: Error) -> Error {
        let Some(task) = self.task.take_if(|_| error.is_closed()) else { return error };
        match self.runtime.block_on(async { time::timeout(END_TIME, task).await }) {
            Ok(Ok(Err(cause))) => cause,
            _ => error,
        }
    }
}

fn at_once<T>(answer: Pin<&mut (dyn Future<Output = T> + Send)>) -> Poll<T> {
    answer.poll(&mut Context::from_waker(Waker::noop()))
}
