//! A connection to PostgreSQL that sends a request before the answers to earlier ones have come.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    thread,
};

use tokio::{
    runtime::{Builder, Handle},
    task::JoinHandle,
};
use tokio_postgres::{Client, Error, Row, SimpleQueryMessage, Statement, ToStatement, types::ToSql};

use super::failure::{Failure, classify};
use crate::address::Address;

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

impl Connection {
    /// Connects.
    pub fn open(address: &Address) -> Result<Self, Failure> {
        let tls = address.tls.connector().map_err(Failure::Refused)?;
        let runtime =
            runtime().map_err(|error| Failure::Broken(format!("no connection can be made: {error}")))?;
        let connected = runtime.block_on(address.config.connect(tls));
        let (client, connection) = connected.map_err(|error| classify(&error, address))?;
        let task = Some(runtime.spawn(connection));
        Ok(Self { client: Arc::new(client), runtime, task, rollback: None })
    }

    /// Whether the connection is known to be broken.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Prepares two statements.
    pub fn prepare(&mut self, first: &str, second: &str) -> Result<[Statement; 2], Error> {
        let client = &self.client;
        let prepared = self.runtime.block_on(async {
            // Both are sent before an answer comes.
            let (first, second) = tokio::join!(biased; client.prepare(first), client.prepare(second));
            Ok([first?, second?])
        });
        self.with_cause(prepared)
    }

    /// Runs statements without parameters, separated by semicolons.
    pub fn simple_query(&mut self, sql: &str) -> Result<Vec<SimpleQueryMessage>, Error> {
        let answered = self.runtime.block_on(self.client.simple_query(sql));
        self.with_cause(answered)
    }

    /// As [`Connection::simple_query`], without their rows.
    pub fn batch_execute(&mut self, sql: &str) -> Result<(), Error> {
        let answered = self.runtime.block_on(self.client.batch_execute(sql));
        self.with_cause(answered)
    }

    /// The rows of a statement.
    pub fn query<T: ?Sized + ToStatement>(
        &mut self,
        statement: &T,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, Error> {
        let answered = self.runtime.block_on(self.client.query(statement, parameters));
        self.with_cause(answered)
    }

    /// Runs a statement, and returns how many rows it changed.
    pub fn execute<T: ?Sized + ToStatement>(
        &mut self,
        statement: &T,
        parameters: Parameters<'_>,
    ) -> Result<u64, Error> {
        let answered = self.runtime.block_on(self.client.execute(statement, parameters));
        self.with_cause(answered)
    }

    /// Runs a statement and then `sql`, in one round trip. In a transaction, `sql` has no effect if the statement
    /// fails at the server.
    pub fn execute_and(
        &mut self,
        statement: &Statement,
        parameters: Parameters<'_>,
        sql: &str,
    ) -> (Result<(), Error>, Result<(), Error>) {
        let client = &self.client;
        let (first, then) = self.runtime.block_on(async {
            tokio::join!(biased; client.execute(statement, parameters), client.batch_execute(sql))
        });
        let first = first.map(drop);
        (self.with_cause(first), self.with_cause(then))
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

    /// If the connection has ended, the reason instead of that.
    fn with_cause<T>(&mut self, answer: Result<T, Error>) -> Result<T, Error> {
        answer.map_err(|error| match self.task.take_if(|_| error.is_closed()) {
            Some(task) => match self.runtime.block_on(task) {
                Ok(Err(cause)) => cause,
                _ => error,
            },
            None => error,
        })
    }
}

fn at_once<T>(answer: Pin<&mut (dyn Future<Output = T> + Send)>) -> Poll<T> {
    answer.poll(&mut Context::from_waker(Waker::noop()))
}
