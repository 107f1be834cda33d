"""A small shop."""
from __future__ import annotations

import os.path as paths
from dataclasses import dataclass
from typing import Iterator

from .money import Price, add as plus

MAX_ITEMS = 10
_cache: dict[str, "Item"] = {}


@dataclass
class Item:
    """Something that is sold."""

    name: str
    price: Price

    @property
    def label(self) -> str:
        return f"{self.name}: {self.price.text()}"


class Cart:
    size = 0

    def __init__(self, owner: str | None = None) -> None:
        self.items: list[Item] = []
        self.owner = owner

    def add(self, item: Item, *more: Item) -> Cart:
        """Adds an item.

        And more of them."""
        self.items.append(item)
        for other in more:
            self.add(other)
        return self

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @classmethod
    def empty(cls) -> "Cart":
        return cls()

    @staticmethod
    def limit():
        return MAX_ITEMS


class BigCart(Cart):
    def add(self, item, *more):
        return super().add(item, *more)


def total(cart: Cart) -> Price:
    def price_of(item: Item) -> Price:
        return item.price

    labels = [item.label for item in cart]
    print(labels, paths.join("a", "b"))
    return plus(*map(price_of, cart.items))


async def load(name):
    if (found := _cache.get(name)) is not None:
        return found
    with open(name) as file:
        return Item(file.read(), Price(0))


def load(name: str) -> Item:
    return Item(name, Price(1))
