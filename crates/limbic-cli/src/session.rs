//! An open memory with its encoder: what a tool call needs, in its steps.

use limbic_core::Result;
use limbic_protocol::{EncodingResult, Task};
use limbic_tools::{Answer, FileCall, Limbic, SessionId};

use crate::encoder_thread::EncoderThread;
use crate::files;
use crate::options::{ModelChoice, Settings};
use crate::source;

/// How many texts are read at once when nothing else is to be done.
const BATCH: usize = 8;
/// After so many batches that did not shorten the queue, it is left alone.
const VAIN_BATCHES_MAX: u32 = 3;

/// In an error, the code of [`limbic_core::Error::DatabaseMoved`].
const MOVED: &str = "\"code\":\"database_moved\"";

/// What came of a call at once.
pub enum Called {
    /// Its answer.
    Answered(Answer),
    /// It reads a file, step by step: no step is made yet.
    Reads(FileCall),
}

/// A memory, open or to be opened at the next call, and its encoder.
pub struct Session {
    settings: Settings,
    limbic: Option<Limbic>,
    encoder: Option<EncoderThread>,
    announced: bool,
}

impl Session {
    /// Starts the encoder, if there is to be one, and opens the database at the first call.
    pub fn new(settings: &Settings, on_encoder: impl FnOnce() + Send + 'static) -> Self {
        let wanted = settings.model != ModelChoice::None;
        let encoder = wanted.then(|| EncoderThread::start(&settings.model, on_encoder));
        Self { settings: settings.clone(), limbic: None, encoder, announced: false }
    }

    /// What a resource holds. Never fails: what goes wrong is an answer.
    pub fn read_resource(&mut self, uri: &str) -> Answer {
        let answer = match self.open() {
            Ok(limbic) => limbic.read_resource(uri),
            Err(error) => Answer { is_error: true, json: limbic_tools::error_json(&error) },
        };
        self.noticed(answer)
    }

    /// A prompt with what is remembered. Never fails: what goes wrong is an answer.
    pub fn prompt(&mut self, name: &str, arguments: &str) -> Answer {
        let answer = match self.open() {
            Ok(limbic) => limbic.prompt(name, arguments),
            Err(error) => Answer { is_error: true, json: limbic_tools::error_json(&error) },
        };
        self.noticed(answer)
    }

    /// What completes a part of a resource template or a prompt. Never fails: what goes wrong is an answer.
    pub fn complete(&mut self, template: &str, part: &str, begun: &str, known: &str) -> Answer {
        let answer = match self.open() {
            Ok(limbic) => limbic.complete(template, part, begun, known),
            Err(error) => Answer { is_error: true, json: limbic_tools::error_json(&error) },
        };
        self.noticed(answer)
    }

    /// The open database.
    pub fn open(&mut self) -> Result<&mut Limbic> {
        if self.limbic.is_none() {
            self.limbic = Some(files::open(&self.settings.db, &self.settings.tools)?);
            self.announced = false;
        }
        Ok(self.limbic.as_mut().expect("it was opened above"))
    }

    /// Runs a tool to the end. Never fails: what goes wrong is an answer.
    pub fn call(&mut self, tool: &str, arguments: &str) -> Answer {
        let mut called = self.start(tool, arguments);
        loop {
            match called {
                Called::Answered(answer) => return answer,
                Called::Reads(mut call) => {
                    called = match self.step(&mut call, &mut |_, _| ()) {
                        Some(answer) => Called::Answered(answer),
                        None => Called::Reads(call),
                    }
                }
            }
        }
    }

    /// Runs a tool, unless it reads a file. Never fails: what goes wrong is an answer.
    pub fn start(&mut self, tool: &str, arguments: &str) -> Called {
        let called = self.try_start(tool, arguments).unwrap_or_else(|error| {
            Called::Answered(Answer { is_error: true, json: limbic_tools::error_json(&error) })
        });
        match called {
            Called::Answered(answer) => Called::Answered(self.noticed(answer)),
            reads @ Called::Reads(_) => reads,
        }
    }

    /// Passes an answer on. If it says that the database was moved, the next call opens the file that is at its path.
    fn noticed(&mut self, answer: Answer) -> Answer {
        if answer.is_error && answer.json.contains(MOVED) {
            self.limbic = None;
        }
        answer
    }

    /// Goes one step on with a call that reads a file, and answers after the last. Never fails.
    pub fn step(&mut self, call: &mut FileCall, progress: &mut dyn FnMut(u64, u64)) -> Option<Answer> {
        let answer = match self.open() {
            Ok(limbic) => limbic.step(call, progress),
            Err(error) => Some(Answer { is_error: true, json: limbic_tools::error_json(&error) }),
        };
        answer.map(|answer| self.noticed(answer))
    }

    /// Makes no further step of such a call.
    pub fn call_off(&mut self, call: FileCall) -> Answer {
        match self.open() {
            Ok(limbic) => limbic.call_off(call),
            Err(error) => Answer { is_error: true, json: limbic_tools::error_json(&error) },
        }
    }

    fn try_start(&mut self, tool: &str, arguments: &str) -> Result<Called> {
        if self.settings.settle {
            self.settle()?;
        }
        self.announce()?;
        let tasks = self.open()?.texts(tool, arguments);
        let encodings = if tasks.is_empty() { Vec::new() } else { self.read(tasks) };
        let limbic = self.open()?;
        let Some(path) = limbic.file_argument(tool, arguments) else {
            return Ok(Called::Answered(limbic.call(tool, arguments, &encodings)));
        };
        Ok(match source::open(&path) {
            Ok(source) => Called::Reads(FileCall::new(SessionId::default(), tool, arguments, source)),
            Err(reason) => Called::Answered(limbic.file_error(&path, &reason)),
        })
    }

    /// What the encoder makes of a question; nothing while it is not ready.
    fn read(&mut self, tasks: Vec<Task>) -> Vec<EncodingResult> {
        match &mut self.encoder {
            Some(encoder) => match encoder.name() {
                Some(_) => encoder.encode(tasks),
                None => Vec::new(),
            },
            None => Vec::new(),
        }
    }

    /// Whether each call works the queue off first, so that nobody else needs to.
    pub fn settles(&self) -> bool {
        self.settings.settle
    }

    /// Waits for the encoder and works the whole queue off, as far as it can be.
    pub fn settle(&mut self) -> Result<()> {
        if let Some(encoder) = &mut self.encoder {
            encoder.wait();
        }
        let mut least = usize::MAX;
        let mut vain = 0;
        while vain < VAIN_BATCHES_MAX {
            let Some(tasks) = self.take(BATCH)? else { return Ok(()) };
            let Some(encoder) = &self.encoder else { return Ok(()) };
            let outstanding = self.store(&encoder.encode(tasks))?;
            vain = if outstanding < least { 0 } else { vain + 1 };
            least = least.min(outstanding);
        }
        Ok(())
    }

    /// Takes texts from the queue; `None` when there are none or nobody can read them.
    pub fn take(&mut self, limit: usize) -> Result<Option<Vec<Task>>> {
        let ready = self.encoder.as_mut().is_some_and(|encoder| encoder.name().is_some());
        if !ready || self.settings.tools.read_only {
            return Ok(None);
        }
        self.announce()?;
        let tasks = self.open()?.pending(limit)?;
        Ok(Some(tasks).filter(|tasks| !tasks.is_empty()))
    }

    /// Stores what came of [`Session::take`]; answers how many texts still wait.
    pub fn store(&mut self, encodings: &[EncodingResult]) -> Result<usize> {
        let name = self.encoder.as_mut().and_then(EncoderThread::name).unwrap_or_default().to_owned();
        self.open()?.store_vectors(encodings, &name)
    }

    /// Sends texts to the encoder and goes on.
    pub fn submit(&self, tasks: Vec<Task>, answer: impl FnOnce(Vec<EncodingResult>) + Send + 'static) {
        if let Some(encoder) = &self.encoder {
            encoder.submit(tasks, answer);
        }
    }

    /// Writes what the last call left for after its answer.
    pub fn finish(&mut self) {
        if let Some(Err(error)) = self.limbic.as_mut().map(Limbic::finish) {
            eprintln!("limbic: a search was answered but not recorded: {error}");
        }
    }

    /// A number that differs from the one before when another program has changed the database meanwhile; nothing when that
    /// cannot be told just now.
    pub fn data_version(&mut self) -> Option<u32> {
        self.limbic.as_mut()?.data_version().ok()
    }

    /// Closes the database in good order.
    pub fn close(self) -> Result<()> {
        self.limbic.map_or(Ok(()), Limbic::close)
    }

    /// Tells the database which encoder is in use, so that vectors of another are made again.
    fn announce(&mut self) -> Result<()> {
        let name = self.encoder.as_mut().and_then(EncoderThread::name).map(str::to_owned);
        if let Some(name) = name.filter(|_| !self.announced) {
            self.open()?.store_vectors(&[], &name)?;
            self.announced = true;
        }
        Ok(())
    }
}
