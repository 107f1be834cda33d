//! The encoder in its own thread, so that loading and encoding block nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use limbic_encoder::{Configuration, Encoder};
use limbic_protocol::{EncodingResult, Task};

use crate::settings::ModelChoice;

/// The receiver of a batch's encodings. If it is dropped because the thread has ended, it receives none: its owner
/// waits.
struct Answer(Option<Box<dyn FnOnce(Vec<EncodingResult>) + Send>>);

impl Answer {
    fn send(mut self, encodings: Vec<EncodingResult>) {
        if let Some(receive) = self.0.take() {
            receive(encodings);
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(receive) = self.0.take() {
            receive(Vec::new());
        }
    }
}

/// The start of a sentence that says why there is no encoder, although one was wanted.
pub const KEYWORD_SEARCH: &str = "keyword search only: ";

/// Handle of the encoder's thread.
pub struct EncoderThread {
    jobs: Sender<(Vec<Task>, Answer)>,
    loaded: Receiver<Loaded>,
    state: State,
    thread: JoinHandle<()>,
}

/// The encoder's name, or the sentence that says why there is no encoder.
type Loaded = Result<String, String>;

enum State {
    Loading,
    Loaded(Loaded),
}

impl EncoderThread {
    /// Starts loading. `on_loaded` is called after success, or with the sentence that says why there is no encoder.
    pub fn start(choice: &ModelChoice, on_loaded: impl FnOnce(Option<&str>) + Send + 'static) -> Self {
        let (jobs, work) = channel::<(Vec<Task>, Answer)>();
        let (sender, loaded) = channel();
        let choice = choice.clone();
        let thread = thread::spawn(move || {
            let loaded = load(&choice);
            // Its owner may have ended already; then no work arrives either.
            let _ =
                sender.send(loaded.as_ref().map(|encoder| encoder.name().to_owned()).map_err(String::clone));
            on_loaded(loaded.as_ref().err().map(String::as_str));
            let Ok(encoder) = loaded else { return };
            for (tasks, answer) in work {
                answer.send(encoder.encode(&tasks));
            }
        });
        Self { jobs, loaded, state: State::Loading, thread }
    }

    /// Returns the encoder's name, once it is ready.
    pub fn name(&mut self) -> Option<&str> {
        if matches!(self.state, State::Loading)
            && let Ok(loaded) = self.loaded.try_recv()
        {
            self.state = State::Loaded(loaded);
        }
        self.notice_end();
        match &self.state {
            State::Loaded(Ok(name)) => Some(name),
            State::Loading | State::Loaded(Err(_)) => None,
        }
    }

    /// Waits until the encoder is ready.
    ///
    /// # Errors
    /// The sentence that says why there is no encoder.
    pub fn wait(&mut self) -> Result<(), &str> {
        if matches!(self.state, State::Loading) {
            let ended = |_| Err(format!("{KEYWORD_SEARCH}loading the model has failed"));
            self.state = State::Loaded(self.loaded.recv().unwrap_or_else(ended));
        }
        self.notice_end();
        match &self.state {
            State::Loaded(Err(problem)) => Err(problem),
            State::Loading | State::Loaded(Ok(_)) => Ok(()),
        }
    }

    /// Notices that the thread has panicked: it ends by itself only without an encoder.
    fn notice_end(&mut self) {
        if matches!(self.state, State::Loaded(Ok(_))) && self.thread.is_finished() {
            let problem = "the encoder has ended because of an internal error: open the memory again";
            self.state = State::Loaded(Err(format!("{KEYWORD_SEARCH}{problem}")));
        }
    }

    /// Encodes tasks, and passes the results to `answer` on the encoder's thread; none if that has ended.
    pub fn submit(&self, tasks: Vec<Task>, answer: impl FnOnce(Vec<EncodingResult>) + Send + 'static) {
        // What cannot be sent is dropped, and so answered.
        let _ = self.jobs.send((tasks, Answer(Some(Box::new(answer)))));
    }

    /// Encodes tasks, and waits for the results; empty without an encoder.
    pub fn encode(&self, tasks: Vec<Task>) -> Vec<EncodingResult> {
        let (sender, receiver) = channel();
        self.submit(tasks, move |encodings| drop(sender.send(encodings)));
        receiver.recv().unwrap_or_default()
    }
}

/// Loads the chosen encoder; the error is a sentence.
pub fn load(choice: &ModelChoice) -> Result<Encoder, String> {
    match choice {
        ModelChoice::None => Err("no model is used, as requested: keyword search only".to_owned()),
        ModelChoice::Test => Ok(Encoder::test()),
        ModelChoice::Folder(folder, dimensions) => {
            load_from(folder, *dimensions).map_err(|reason| format!("{KEYWORD_SEARCH}{reason}"))
        }
        ModelChoice::Missing(places) => {
            let places: Vec<String> = places.iter().map(|folder| folder.display().to_string()).collect();
            Err(format!(
                "{KEYWORD_SEARCH}no model was found. Run `cargo xtask setup`, or name a folder with \
                 --model. Looked in {}",
                places.join(", ")
            ))
        }
    }
}

/// Loads the model in a folder, its vectors cut to a width; the error is a sentence.
pub fn load_from(folder: &Path, dimensions: Option<usize>) -> Result<Encoder, String> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(|error| {
            format!("the model's file cannot be read ({}): {}", reason(&error), path.display())
        })
    };
    let mut files = BTreeMap::new();
    for name in Configuration::FILES {
        if folder.join(name).is_file() {
            let text = String::from_utf8(read(name)?).map_err(|_| format!("{name} is not UTF-8 text"))?;
            files.insert(name.to_owned(), text);
        }
    }
    let [model, second] = Configuration::MODEL_FILES;
    let model = if folder.join(model).is_file() || !folder.join(second).is_file() { model } else { second };
    let configuration = Configuration::new(files).cut_to(dimensions);
    Encoder::configured(&read(model)?, &read("tokenizer.json")?, &configuration)
        .map_err(|error| error.to_string())
}

/// Returns why a file cannot be read, in the words of both programs.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_for_a_thread_that_has_ended_is_answered_with_nothing() {
        let mut encoder = EncoderThread::start(&ModelChoice::Missing(Vec::new()), |_| ());
        encoder.wait().expect_err("there is no model");
        let (sender, receiver) = channel();
        encoder.submit(Vec::new(), move |encodings| sender.send(encodings.len()).expect("it is awaited"));
        assert_eq!(receiver.recv(), Ok(0));
    }

    #[test]
    fn an_encoder_whose_thread_has_panicked_is_none() {
        let mut encoder = EncoderThread::start(&ModelChoice::Test, |_| ());
        encoder.wait().expect("the encoder for tests is always there");
        assert!(encoder.name().is_some());
        let (sender, receiver) = channel::<()>();
        encoder.submit(Vec::new(), |_| panic!("as a text that the model cannot read does"));
        encoder.submit(Vec::new(), move |_| drop(sender));
        // The second batch is dropped with the thread.
        receiver.recv().expect_err("nothing is sent");
        while !encoder.thread.is_finished() {
            thread::yield_now();
        }
        assert_eq!(encoder.name(), None);
        assert!(encoder.wait().is_err_and(|problem| problem.contains("open the memory again")));
    }
}
