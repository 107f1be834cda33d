//! Calls whose receiver is an element, a cast or narrowed value, or a closure's parameter.
#![cfg(feature = "more")]

mod support;

use support::calls;

/// The lines with a resolved call of `Mail.next`, each once.
fn lines(path: &str, text: &str) -> Vec<usize> {
    let found = calls(path, text);
    let mut lines: Vec<usize> = found
        .iter()
        .filter_map(|call| call.split_once(" resolved Mail.")?.0.parse().ok().filter(|_| is_next(call)))
        .collect();
    lines.dedup();
    lines
}

fn is_next(call: &str) -> bool {
    call.ends_with(".next") || call.ends_with(".Next")
}

/// The lines of a text that contain the mark.
fn marked(text: &str, mark: &str) -> Vec<usize> {
    text.lines().enumerate().filter(|(_, line)| line.contains(mark)).map(|(index, _)| index + 1).collect()
}

/// Every line with `// yes` (`# yes`) has a resolved call of `Mail.next`, and no other line.
fn check(path: &str, text: &str) {
    assert_eq!(lines(path, text), marked(text, " yes"), "{path}");
}

#[test]
fn elements_and_closures_of_csharp() {
    check(
        "a.cs",
        "using System.Collections.Generic;
class Mail { public Mail Next() { return this; } }
class Other { public Other Next() { return this; } }
class User {
  List<Mail> mails; Mail[] array; Dictionary<string, Mail> byName; Lazy<Mail> lazy; Lost<Mail> lost;
  public Mail Mail { get; set; }
  void Send(IEnumerable<Mail> all, Mail maybe, Mail other) {
    foreach (var m in mails) m.Next(); // yes
    foreach (Mail m in array) m.Next(); // yes
    foreach (var (key, m) in byName) m.Next(); // yes
    foreach (var pair in byName) pair.Value.Next(); // yes
    mails[0].Next(); // yes
    array[0].Next(); // yes
    byName[\"a\"].Next(); // yes
    foreach (var m in all) m.Next(); // yes
    if (byName.TryGetValue(\"a\", out var found)) found.Next(); // yes
    mails.ForEach(m => m.Next()); // yes
    mails.Where(m => m != null).Select((m, i) => m.Next()); // yes
    mails.FirstOrDefault()?.Next(); // yes
    (maybe ?? other).Next(); // yes
    var list = new List<Mail>(); list[0].Next(); // yes
    lazy.Value.Next(); // yes
    Mail.Next(); // yes
    lost[0].Next();
    lost.ForEach(m => m.Next());
    foreach (var m in lost) m.Next();
    mails.Next();
    mails.Convert(m => m.Next());
    all.Aggregate(0, (sum, m) => sum.Next());
  }
  async Task<Mail> Load() { return new Mail(); }
  async void Wait() {
    var m = await Load();
    m.Next(); // yes
    (await Load()).Next(); // yes
    Load().Next();
  }
}
record Rec(Mail Mail) { void Go() { Mail.Next(); } } // yes
",
    );
}

#[test]
fn elements_closures_and_smart_casts_of_kotlin() {
    check(
        "a.kt",
        "class Mail {
    fun next(): Mail = this
}
class Other { fun next(): Other = this }
class Tool { fun run(work: () -> Unit) { } fun next() { } }
class User(val mails: List<Mail>, val byName: Map<String, Mail>, val handler: (Mail) -> Other, val lost: Lost<Mail>) {
    val made by lazy { Mail() }
    fun build() = Mail()
    fun send(other: Any, another: Any, maybe: Mail?) {
        other.next()
        if (other is Mail) other.next() // yes
        if (other is Mail && other.next() != null) { } // yes
        if (other is Mail || another is Mail) other.next()
        if (other !is Mail) other.next()
        for (m in mails) m.next() // yes
        for ((name, m) in byName) m.next() // yes
        mails.forEach { it.next() } // yes
        mails.filter { m -> m.next() != null }.map { m -> m } // yes
        byName.forEach { (name, m) -> m.next() } // yes
        byName.values.first().next() // yes
        mails[0].next() // yes
        byName[\"a\"]?.next() // yes
        maybe?.let { it.next() } // yes
        maybe?.also { m -> m }?.next() // yes
        when (other) { is Mail -> other.next() } // yes
        when (other) { is Other -> other.next() }
        when (other) { !is Mail -> other.next() }
        val x = maybe ?: return
        x.next() // yes
        val y = if (x == maybe) Mail() else build()
        y.next() // yes
        build().next() // yes
        made.next() // yes
        mails.forEachIndexed { index, m -> m.next() } // yes
        mails.forEachIndexed { index, m -> index.next() }
        with(maybe) { next() } // yes
        mails[0].apply { next() } // yes
        mails[0].apply { this.next() } // yes
        mails[0].run { other.apply { next() } } // yes
        mails[0].apply {
            object : Base() {
                fun next() { }
                fun go() {
                    next()
                }
            }
        }
        Tool().run { next() }
        Tool().apply { next() }
        lost.apply { next() }
        lost.forEach { it.next() }
        lost[0].next()
        mails.next()
        handler.next()
        mails.strange { it.next() }
        mails.forEach { val f: (Other) -> Other = { it.next() } }
        if (another !is Mail) return
        another.next() // yes
    }
}
",
    );
}

#[test]
fn elements_closures_and_bound_optionals_of_swift() {
    check(
        "a.swift",
        "class Mail {
  func next() -> Mail { return self }
}
class Other { func next() -> Other { return self } }
class User {
  var mails: [Mail] = []
  var byName: [String: Mail] = [:]
  var lost: Lost<Mail>
  func send(other: Any, third: Any, maybe: Mail?, done: (Mail) -> Other) {
    if let mail = other as? Mail { mail.next() } // yes
    if let other = other as? Mail { } else { other.next() }
    guard let mail2 = other as? Mail else { return }
    mail2.next() // yes
    for m in mails { m.next() } // yes
    for (key, m) in byName { m.next() } // yes
    for (key, m) in byName { key.next() }
    for (i, m) in mails.enumerated() { m.next() } // yes
    mails.forEach { $0.next() } // yes
    mails.forEach { m in m.next() } // yes
    mails.sorted { $0.next() < $1.next() } // yes
    mails[0].next() // yes
    byName[\"a\"]?.next() // yes
    byName.forEach { key, m in m.next() } // yes
    byName.forEach { $0.value.next() } // yes
    if let m3 = maybe { m3.next() } // yes
    if let m3 = maybe, let m4 = third as? Other { m4.next() }
    (maybe ?? Mail()).next() // yes
    mails.first?.next() // yes
    mails.first(where: { $0.next() != nil })?.next() // yes
    switch other { case let m4 as Mail: m4.next(); default: break } // yes
    switch other { case let m4 as Other: m4.next(); default: break }
    let (a, b) = (Mail(), 1)
    a.next() // yes
    b.next()
    lost.forEach { $0.next() }
    lost[0].next()
    done.next()
  }
}
",
    );
}

#[test]
fn elements_and_pointers_of_cpp() {
    check(
        "a.cpp",
        "struct Mail { Mail* next() { return this; } };
struct Other { Other* next() { return this; } Other* get() { return this; } };
struct Handle { Other* operator->() { return nullptr; } Mail* next() { return nullptr; } };
struct Own { Mail* operator->() { return nullptr; } };
struct User {
  Handle handle; Own own; std::vector<Mail>* list;
  std::vector<Mail> mails; std::map<int, Mail> byName; std::unique_ptr<Mail> held; std::shared_ptr<Mail> shared;
  Mail* pointer; Lost<Mail> lost; std::optional<Mail> maybe; std::vector<std::unique_ptr<Mail>> owned;
  void send() {
    if (auto* m = dynamic_cast<Mail*>(pointer)) m->next(); // yes
    for (auto& m : mails) m.next(); // yes
    for (const Mail& m : mails) m.next(); // yes
    for (const auto& m : owned) m->next(); // yes
    mails[0].next(); // yes
    mails.back().next(); // yes
    byName[1].next(); // yes
    held->next(); // yes
    shared->next(); // yes
    (*held).next(); // yes
    held.get()->next(); // yes
    maybe.value().next(); // yes
    for (auto it = mails.begin(); it != mails.end(); ++it) it->next(); // yes
    auto found = byName.find(1); found->second.next(); // yes
    for (auto& [k, v] : byName) v.next(); // yes
    for (auto& [k, v] : byName) k.next();
    held.next();
    list->back().next(); // yes
    handle->next();
    own->next(); // yes
    lost[0].next();
    lost->next();
    mails.next();
  }
};
",
    );
}
