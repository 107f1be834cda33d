package shop.inventory

import shop.pricing.Price
import shop.util.*
import shop.model.Item as Product

/** Where things are kept. */
interface Store {
    fun find(name: String): Product?
}

data class Entry(val product: Product, var count: Int)

enum class Level { LOW, HIGH }

object Registry {
    val stores = mutableListOf<Store>()
    fun register(store: Store) { stores.add(store) }
}

typealias Names = List<String>

/** Keeps entries in memory. */
class MemoryStore(private val clock: Clock) : BaseStore(clock), Store {
    private val entries = HashMap<String, Entry>()

    init {
        Registry.register(this)
    }

    override fun find(name: String): Product? = entries[name]?.product

    fun level(name: String): Level {
        val entry = entries[name] ?: throw missing(name)
        return if (entry.count < LIMIT) Level.LOW else Level.HIGH
    }

    companion object {
        const val LIMIT = 5
        fun empty() = MemoryStore(Clock())
    }
}

fun String.slug(): String = lowercase().replace(' ', '-')

fun <T> List<T>.second(): T = this[1]

fun main() {
    val store = MemoryStore.empty()
    store.find("tea".slug())?.let { println(it) }
}
