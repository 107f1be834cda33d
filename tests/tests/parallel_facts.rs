//! Facts that are alike but of different things or times: none takes the place of the one that a question asks for.

use anyhow::{Context, Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask};
use serde_json::{Value, json};

/// Stores a memory whose sentence vector is the same as that of all others.
fn store(memory: &mut Native, fields: &Value) -> Result<()> {
    ask(memory, "memory_store", fields)?;
    memory.drain_changed(|vector| {
        vector.fill(0.0);
        vector[0] = 1.0;
    })
}

/// Recalls the memories of a subject.
fn recall(memory: &mut Native, subject: &str, question: &str) -> Result<Value> {
    let asked = json!({ "query": question, "subject": subject, "touch": false });
    ask(memory, "memory_recall", &asked)
}

fn first(answer: &Value) -> Result<&str> {
    answer["memories"][0]["content"].as_str().with_context(|| format!("{answer}"))
}

fn is_marked(answer: &Value) -> bool {
    answer.to_string().contains("possible_contradiction")
}

#[test]
fn the_one_of_two_facts_that_is_asked_for_stays_first() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (older, newer, question, may_contradict) in [
        ("Alice likes tea", "Bob likes tea", "What does Alice like?", true),
        ("The staging server runs Ubuntu 22", "The production server runs Ubuntu 22", "staging server", true),
        ("Room 204 has a projector", "Room 305 has a projector", "What is in room 204?", true),
        // Thing and value differ: the words show that these are of two things.
        (
            "The left motor turns at 300 rpm",
            "The right motor turns at 450 rpm",
            "How fast is the left motor?",
            false,
        ),
    ] {
        for content in [older, newer] {
            store(&mut memory, &json!({ "content": content, "subject": older }))?;
        }
        let found = recall(&mut memory, older, question)?;
        ensure!(first(&found)? == older && is_marked(&found) == may_contradict, "{question}: {found}");
    }
    Ok(())
}

#[test]
fn of_two_values_of_one_thing_the_newer_one_is_first() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (older, newer, question) in [
        (
            "The service listens on port 8080",
            "The service listens on port 9090",
            "Which port does it listen on?",
        ),
        (
            "The service listens on port 80",
            "The service listens on port 90",
            "Does the service listen on port 80?",
        ),
        ("Lena wears blue runners", "Lena wears green runners", "Which runners does Lena wear?"),
    ] {
        for content in [older, newer] {
            store(&mut memory, &json!({ "content": content, "subject": older }))?;
        }
        let found = recall(&mut memory, older, question)?;
        ensure!(first(&found)? == newer && is_marked(&found), "{question}: {found}");
    }
    Ok(())
}

#[test]
fn events_at_other_times_do_not_contradict_each_other() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (content, at) in [
        ("Ada ran a marathon in Rome", "2023-03-12T10:00:00Z"),
        ("Ada ran a marathon in Lima", "2026-04-20T10:00:00Z"),
    ] {
        store(&mut memory, &json!({ "content": content, "subject": "events", "event_time": at }))?;
    }
    let found = recall(&mut memory, "events", "Where did Ada run a marathon in March 2023?")?;
    ensure!(first(&found)? == "Ada ran a marathon in Rome" && !is_marked(&found), "{found}");
    // What holds now is corrected, whenever it was noticed.
    for (content, at) in
        [("Ada lives in Rome", "2023-03-12T10:00:00Z"), ("Ada lives in Lima", "2026-04-20T10:00:00Z")]
    {
        store(&mut memory, &json!({ "content": content, "subject": "state", "event_time": at }))?;
    }
    let found = recall(&mut memory, "state", "Where does Ada live?")?;
    ensure!(first(&found)? == "Ada lives in Lima" && is_marked(&found), "{found}");
    Ok(())
}

#[test]
fn texts_that_the_encoder_cannot_read_are_not_near_by_their_vectors() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (subject, texts) in [
        ("th", ["แอนนาแพ้ถั่วลิสง", "สายยางรดน้ำอยู่ในห้องใต้ดิน"]),
        ("km", ["ខ្ញុំចូលចិត្តកាហ្វេ", "ម៉ាស៊ីនមេនៅភ្នំពេញ"]),
        ("my", ["ကျွန်တော် ကော်ဖီ ကြိုက်တယ်", "ဆာဗာက ရန်ကုန်မှာ ရှိတယ်"]),
        ("ka", ["ყავა მიყვარს", "სერვერი თბილისშია"]),
        ("emoji", ["🚀🚀🚀", "🍎🍌"]),
    ] {
        for content in texts {
            store(&mut memory, &json!({ "content": content, "subject": subject }))?;
        }
        let found = recall(&mut memory, subject, texts[0])?;
        ensure!(!is_marked(&found), "{subject}: {found}");
    }
    Ok(())
}
