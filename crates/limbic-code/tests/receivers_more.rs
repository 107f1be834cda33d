//! Calls whose receiver is an element, a cast or narrowed value, or a closure's parameter, in further languages.
#![cfg(feature = "more")]

mod support;

use support::calls;

/// Every line with ` yes` has a resolved call of `Mail.next`, and no other line.
fn check(path: &str, text: &str) {
    let found = calls(path, text);
    let resolved = found.iter().filter(|call| call.ends_with(" resolved Mail.next"));
    let mut lines: Vec<usize> = resolved.filter_map(|call| call.split_once(' ')?.0.parse().ok()).collect();
    lines.dedup();
    let marked = text.lines().enumerate().filter(|(_, line)| line.contains(" yes"));
    assert_eq!(lines, marked.map(|(index, _)| index + 1).collect::<Vec<_>>(), "{path}");
}

#[test]
fn documented_types_and_narrowing_of_php() {
    check(
        "a.php",
        "<?php
class Mail { public function next(): self { return $this; } public static function create(): static { return new static(); } }
class Other { public function next(): self { return $this; } }
class User {
  /** @var Mail[] */ private array $mails;
  /** @var Collection<int, Mail> */
  private Collection $more;
  /** @var Other */
  private Mail $held;
  private $old;
  private $lost;
  /**
   * @param list<Mail> $given
   * @return array<string, Mail>
   */
  function send(object $o, object $p, array $given) {
    $o->next();
    if ($o instanceof Mail) { $o->next(); } // yes
    if ($o instanceof Mail && $o->next()) { } // yes
    if ($o instanceof Mail || $p) { $o->next(); }
    if (!$o instanceof Mail) { $o->next(); }
    if (!$p instanceof Mail) { return []; }
    $p->next(); // yes
    foreach ($this->mails as $m) { $m->next(); } // yes
    foreach ($this->more as $key => $m) { $m->next(); } // yes
    foreach ($given as $m) { $m->next(); } // yes
    foreach ($this->lost as $l) { $l->next(); }
    $this->mails[0]->next(); // yes
    $this->held->next(); // yes
    $made = Mail::create();
    $made->next()->next(); // yes
    /** @var Mail $y */
    $y = make();
    $y->next(); // yes
    /** @var Other $y */
    $z = make();
    $z->next();
    foreach ($this->send($o, $p, $given) as $m) { $m->next(); } // yes
    $this->build()->next(); // yes
    $this->old->next(); // yes
    $this->kept->next();
    foreach (['a' => new Mail()] as $m) { $m->next(); } // yes
    return $given;
  }
  private Other $kept;
  function keep(Mail $old) { $this->old = $old; $this->kept = $old; }
  function build() { $later = function () { return new Other(); }; return new Mail(); }
}
",
    );
}

#[test]
fn instance_variables_and_blocks_of_ruby() {
    check(
        "a.rb",
        "class Mail
  def next() = self
  def self.create() = new
  def again
    return self if later?
    self
  end
end
class Other
  def next; end
end
class User
  attr_reader :mail, :other
  def initialize(given)
    @mail = Mail.new
    @mails = [Mail.new]
    @other = Other.new
    @given = given
  end

  def cached
    @cached ||= Mail.new
  end

  def send_it(other)
    Mail.create().next() # yes
    @mail.next() # yes
    mail.next() # yes
    self.mail.next() # yes
    Mail.new.again.next() # yes
    cached.next() # yes
    @mails.each { |x| x.next() } # yes
    @mails.each_with_index do |x, i|
      x.next() # yes
      i.next()
    end
    @mails.first.next() # yes
    @mails.strange { |x| x.next() }
    @other.next()
    @given.next()
    @given.each { |x, y = 1, *z| z.next() }
    other.next()
  end
  def find(name) = Catalog.new.find { |m| m.name == name }
end
",
    );
}

#[test]
fn elements_closures_and_casts_of_scala() {
    check(
        "a.scala",
        "class Mail { def next(): Mail = this }
class Other { def next(): Other = this }
class User(mails: List[Mail], byName: Map[String, Mail], maybe: Option[Mail], f: Mail => Other, lost: Lost[Mail]) {
  def build() = new Mail()
  def send(other: Any): Unit = {
    other.asInstanceOf[Mail].next() // yes
    mails.foreach(_.next()) // yes
    mails.foreach(m => m.next()) // yes
    mails.foreach { m => m.next() } // yes
    mails.filter(_.next() != null).map(m => m) // yes
    for (m <- mails) m.next() // yes
    for ((name, m) <- byName) m.next() // yes
    mails.head.next() // yes
    mails(0).next() // yes
    byName(\"a\").next() // yes
    byName.map { case (name, m) => m.next() } // yes
    byName.map { case (name, m) => name.next() }
    byName.get(\"a\").next()
    maybe.foreach(_.next()) // yes
    maybe.get.next() // yes
    other match { case m: Mail => m.next() } // yes
    other match { case m: Other => m.next() }
    build().next() // yes
    mails.foldLeft(0)((sum, m) => sum.next())
    mails.strange(_.next())
    lost.foreach(_.next())
    lost(0).next()
    f.next()
    mails.next()
    maybe.next()
  }
}
",
    );
}

#[test]
fn closures_optionals_and_records_of_java() {
    check(
        "A.java",
        "import java.util.*;
class Mail { Mail next() { return this; } boolean isNew() { return true; } }
class Other { Other next() { return this; } Other get() { return this; } }
class User {
  List<Mail> mails; Map<String, Mail> byName; Optional<Mail> maybe; Optional<Other> others; Lost<Mail> lost;
  void send(List<Map.Entry<String, Mail>> entries) {
    mails.forEach(m -> m.next()); // yes
    maybe.get().next(); // yes
    maybe.ifPresent(m -> m.next()); // yes
    others.get().next();
    mails.stream().map(m -> m.next()).toList(); // yes
    mails.stream().filter(m -> m.isNew()).findFirst().get().next(); // yes
    mails.stream().findFirst().next();
    for (var m : byName.values()) m.next(); // yes
    for (var e : byName.entrySet()) e.getValue().next(); // yes
    for (var e : entries) e.getKey().next();
    byName.forEach((k, m) -> m.next()); // yes
    byName.forEach((k, m) -> k.next());
    lost.forEach(m -> m.next());
    lost.get(0).next();
    mails.strange(m -> m.next());
    mails.next();
    maybe.next();
  }
}
record Rec(Mail mail) { void go() { mail().next(); } } // yes
class Use { void go(Rec rec) {
  rec.mail().next(); // yes
} }
",
    );
}

#[test]
fn variables_of_php_live_in_the_whole_function() {
    check(
        "a.php",
        "<?php
class Mail { public function next() { } }
class Other { public function next() { } }
class User {
  function send($a, $b, object $o) {
    if ($a && $b) { $first = new Mail(); }
    $first->next(); // yes
    if ($a && $second = new Mail()) { $second->next(); } // yes
    if ($o instanceof Other) { $third = new Mail(); }
    $third->next(); // yes
    $o->next();
  }
  /** @return Generator<int, Mail, mixed, Other> */
  function all() { yield 1 => new Mail(); }
  function each() {
    foreach ($this->all() as $mail) { $mail->next(); } // yes
  }
}
",
    );
}

#[test]
fn apply_of_a_kotlin_list_is_no_element() {
    check(
        "a.kt",
        "class Mail {
    fun next() {}
    fun sort() {}
}
class User(val mails: MutableList<Mail>) {
    fun send() {
        mails.first().next() // yes
        mails.apply { sort() }.next()
    }
}
",
    );
}
