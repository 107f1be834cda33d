"""Orders of the shop."""

from server.store import Store


class OrderService:
    """Accepts orders and keeps them."""

    def __init__(self, store: Store):
        self.store = store

    def place(self, customer: str, amount: int) -> int:
        """Stores an order after its amount was checked; returns its number."""
        check_amount(amount)
        return self.store.insert({"customer": customer, "amount": amount})


def check_amount(amount: int) -> None:
    """Rejects amounts that are zero or negative."""
    if amount <= 0:
        raise ValueError("the amount must be positive")
