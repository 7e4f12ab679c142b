#!/bin/sh
# Makes a small repository with a history to ask about: sh examples/shop.sh DIRECTORY
set -eu
[ $# -eq 1 ] || { echo "usage: sh examples/shop.sh DIRECTORY" >&2; exit 2; }
mkdir "$1"
cd "$1"
git init -q -b main
git config user.name "A U Thor"
git config user.email author@example.com
mkdir shop tests docs config

day=1
tick() { # fixed dates: everyone who runs this gets the same commits
    GIT_AUTHOR_DATE="2024-03-$(printf %02d "$day")T12:00:00+0000"
    GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
    export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
    day=$((day + 1))
}
commit() {
    tick
    git add -A
    git commit -q -m "$1"
}

cat > shop/prices.py << 'END'
"""Prices, and how they are summed."""


class Price(int):
    """Whole cents."""


def total(prices: list[Price]) -> int:
    """The sum of all prices."""
    return sum(prices)
END
cat > shop/basket.py << 'END'
"""What a customer is about to buy."""

from .prices import Price, total


class Cart:
    """Items with prices."""

    def __init__(self) -> None:
        self.items: list[Price] = []

    def add(self, price: Price) -> None:
        """Put one item in."""
        self.items.append(price)

    def amount(self) -> int:
        """What it all costs."""
        return total(self.items)
END
touch shop/__init__.py
printf '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.cli:main"\n' > pyproject.toml
commit "A basket and its prices"

git mv shop/basket.py shop/cart.py
echo 'from .cart import Cart as Cart' > shop/__init__.py
commit "Call the basket a cart"

cat > tests/test_cart.py << 'END'
from shop.cart import Cart


def test_an_empty_cart_costs_nothing() -> None:
    assert Cart().amount() == 0
END
cat > tests/test_prices.py << 'END'
from shop.prices import total


def test_nothing_costs_nothing() -> None:
    assert total([]) == 0
END
commit "Test carts and prices"

git checkout -q -b docs
cat > docs/guide.md << 'END'
# Guide

## Discounts

A discount is given above a threshold, see [prices](../shop/prices.py).

## Carts

`shop/cart.py` holds what a customer is about to buy.
END
printf '# Shop\n\nSee the [guide](docs/guide.md).\n' > README.md
commit "Explain discounts and carts"
git checkout -q main

cat > shop/prices.py << 'END'
"""Prices, and how they are summed."""

DISCOUNT_THRESHOLD = 100_00


class Price(int):
    """Whole cents."""


def total(prices: list[Price]) -> int:
    """The sum of all prices, less the discount."""
    amount = sum(prices)
    return amount - amount // 10 if amount >= DISCOUNT_THRESHOLD else amount
END
cat >> tests/test_prices.py << 'END'


def test_a_discount_from_the_threshold_on() -> None:
    assert total([100_00]) == 90_00
END
commit "Give a discount above a threshold"
tick
git merge -q --no-ff -m "Merge the guide" docs 2> /dev/null
git branch -q -D docs

cat > shop/store.py << 'END'
"""Where carts are kept."""

from .cart import Cart
from .events import notify


def save(cart: Cart) -> None:
    """Write a cart down and tell everyone."""
    notify(f"saved a cart of {cart.amount()}")
END
cat > shop/events.py << 'END'
"""Who is told of what."""


def notify(what: str) -> None:
    """Tell everyone who listens."""
    print(what)
END
cat > shop/cli.py << 'END'
"""The command line."""

from . import Cart
from .store import save


def main() -> None:
    """Save an empty cart."""
    save(Cart())
END
printf '# Where prices come from.\nprices: shop/prices.py\ncurrency: EUR\n' > config/settings.yaml
commit "Keep carts, and a command line"

sed -i.old 's/100_00/200_00/' shop/prices.py tests/test_prices.py
sed -i.old 's/90_00/180_00/' tests/test_prices.py
rm shop/*.old tests/*.old
commit "Raise the discount threshold"

echo 'MAX_ITEMS = 50' >> shop/cart.py
sed -i.old 's/Whole cents/Whole cents, never below zero/' shop/prices.py
rm shop/*.old
commit "Limits for carts and prices"
