package bank;

import java.util.List;
import java.util.function.*;

/** An account. */
public abstract class Account<T extends Comparable<T>> implements Comparable<Account<T>> {
    public static final int LIMIT = 100;
    private final List<Entry> entries;
    protected T owner;

    protected Account(List<Entry> entries) {
        this.entries = entries;
    }

    /** The sum of the entries. */
    public long balance() {
        long sum = 0;
        for (Entry entry : entries) {
            sum += entry.amount();
        }
        return sum;
    }

    public Entry first() {
        return entries.get(0);
    }

    @Override
    public int compareTo(Account<T> other) {
        return Long.compare(balance(), other.balance());
    }

    public record Entry(String text, long amount) {
        Entry negated() {
            return new Entry(text, -amount());
        }
    }

    enum Kind {
        SAVING,
        GIRO;

        Kind other() {
            return this == SAVING ? GIRO : SAVING;
        }
    }

    interface Listener {
        void changed(Account<?> account);
    }

    static class Giro extends Account<String> {
        Giro(List<Entry> entries) {
            super(entries);
        }

        long negatedFirst() {
            var entry = first().negated();
            Supplier<Long> amount = entry::amount;
            return amount.get() + super.balance();
        }
    }
}
