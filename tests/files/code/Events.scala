package shop.events

import scala.collection.mutable
import shop.model.{Customer, Order => Purchase}
import shop.util._

/** Something that happened. */
sealed trait Event {
  def at: Long
  def describe(): String = s"at $at"
}

case class Bought(at: Long, order: Purchase) extends Event with Logged

object Bus {
  private val handlers = mutable.ListBuffer[Event => Unit]()
  type Handler = Event => Unit

  /** Adds a handler. */
  def subscribe(handler: Handler): Unit = handlers += handler

  def publish(event: Event): Unit = {
    handlers.foreach(handler => handler(event))
    audit(event.describe())
  }

  private def audit(text: String): Unit = println(text)
}

class Counter(start: Int) extends Base(start) {
  var count = start
  def add(n: Int): Int = {
    def checked(n: Int) = math.max(n, 0)
    count += checked(n)
    count
  }
}

enum Color {
  case Red, Green
}

object Main extends App {
  val counter = new Counter(1)
  Bus.subscribe(e => counter.add(1))
  Bus.publish(Bought(1L, Purchase("tea")))
}
