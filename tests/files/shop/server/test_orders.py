from server.orders import OrderService, check_amount
from server.store import Store


def test_an_order_is_stored():
    assert OrderService(Store()).place("Ada", 5) == 1


def test_the_amount_is_checked():
    check_amount(1)
