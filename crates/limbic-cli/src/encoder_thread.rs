//! The encoder in its own thread, so that loading and encoding block nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use limbic_encoder::{Configuration, Encoder};
use limbic_protocol::{EncodingResult, Task};

use crate::options::ModelChoice;

type Answer = Box<dyn FnOnce(Vec<EncodingResult>) + Send>;

/// Handle of the encoder's thread.
pub struct EncoderThread {
    jobs: Sender<(Vec<Task>, Answer)>,
    loaded: Receiver<Option<String>>,
    state: State,
}

enum State {
    Loading,
    /// Ready, with the encoder's name.
    Ready(String),
    Absent,
}

impl EncoderThread {
    /// Starts loading. `on_loaded` is called after success or failure.
    pub fn start(choice: &ModelChoice, on_loaded: impl FnOnce() + Send + 'static) -> Self {
        let (jobs, work) = channel::<(Vec<Task>, Answer)>();
        let (sender, loaded) = channel();
        let choice = choice.clone();
        thread::spawn(move || {
            let encoder = load(&choice).inspect_err(|reason| eprintln!("limbic: {reason}")).ok();
            // The server may have ended already; then no work arrives either.
            let _ = sender.send(encoder.as_ref().map(|encoder| encoder.name().to_owned()));
            on_loaded();
            let Some(encoder) = encoder else { return };
            for (tasks, answer) in work {
                answer(encoder.encode(&tasks));
            }
        });
        Self { jobs, loaded, state: State::Loading }
    }

    /// Returns the encoder's name, once it is ready.
    pub fn name(&mut self) -> Option<&str> {
        if matches!(self.state, State::Loading)
            && let Ok(name) = self.loaded.try_recv()
        {
            self.finish_loading(name);
        }
        self.ready()
    }

    /// Waits for the encoder, and returns its name; `None` without an encoder.
    pub fn wait(&mut self) -> Option<&str> {
        if matches!(self.state, State::Loading) {
            let name = self.loaded.recv().unwrap_or_default();
            self.finish_loading(name);
        }
        self.ready()
    }

    /// Encodes tasks, and passes the results to `answer` on the encoder's thread.
    pub fn submit(&self, tasks: Vec<Task>, answer: impl FnOnce(Vec<EncodingResult>) + Send + 'static) {
        // Fails only if the encoder is absent; then no answer is expected.
        let _ = self.jobs.send((tasks, Box::new(answer)));
    }

    /// Encodes tasks, and waits for the results; empty without an encoder.
    pub fn encode(&self, tasks: Vec<Task>) -> Vec<EncodingResult> {
        let (sender, receiver) = channel();
        self.submit(tasks, move |encodings| drop(sender.send(encodings)));
        receiver.recv().unwrap_or_default()
    }

    fn finish_loading(&mut self, name: Option<String>) {
        self.state = name.map_or(State::Absent, State::Ready);
    }

    fn ready(&self) -> Option<&str> {
        match &self.state {
            State::Ready(name) => Some(name),
            State::Loading | State::Absent => None,
        }
    }
}

/// Loads the chosen encoder; the error is a sentence.
pub fn load(choice: &ModelChoice) -> Result<Encoder, String> {
    match choice {
        ModelChoice::None => Err("no model is used, as requested: search uses words only".to_owned()),
        ModelChoice::Test => Ok(Encoder::test()),
        ModelChoice::Folder(folder, dimensions) => {
            load_from(folder, *dimensions).map_err(|reason| format!("search is by words only: {reason}"))
        }
        ModelChoice::Missing(places) => {
            let places: Vec<String> = places.iter().map(|folder| folder.display().to_string()).collect();
            Err(format!(
                "search is by words only: no model was found. Run `cargo xtask setup`, or name a folder with \
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
        fs::read(&path)
            .map_err(|error| format!("the model's file cannot be read ({error}): {}", path.display()))
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
