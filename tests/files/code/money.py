class Price:
    def __init__(self, cents: int) -> None:
        self.cents = cents

    def text(self) -> str:
        return str(self.cents)


def add(*prices: Price) -> Price:
    return Price(sum(price.cents for price in prices))
