package billing;

import java.util.ArrayList;
import java.util.List;

/** Remembers payments. */
public class Ledger {
    private final List<Integer> payments = new ArrayList<>();

    /** Books a payment; refuses negative ones. */
    public void book(int cents) {
        requirePositive(cents);
        payments.add(cents);
    }

    private static void requirePositive(int cents) {
        if (cents < 0) {
            throw new IllegalArgumentException("negative payment");
        }
    }
}
