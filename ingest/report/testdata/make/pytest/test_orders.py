import pytest

tries = 0


@pytest.fixture
def user():
    raise RuntimeError("cannot sign in: the user is locked")


def test_orders(user):
    pass


@pytest.fixture
def order():
    yield 1
    raise RuntimeError("the order could not be removed")


def test_order(order):
    assert order == 1


@pytest.mark.flaky(reruns=3)
def test_second_try():
    global tries
    tries += 1
    assert tries > 1, "the list was empty"


@pytest.mark.flaky(reruns=1)
def test_never():
    print("\x1b[31mred\x1b[0m & <b>")
    assert False, "列表始终为空 \x07"
