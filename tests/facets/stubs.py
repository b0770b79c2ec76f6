"""What these tests build hosts of: a resource and a facet that write down what happens to them."""

import attrs

from facets import Actor, Environment, Forbidden, Principal, Resource, Waiting, facet, serve

ALICE, BOB, EVE = Principal.user("alice"), Principal.user("bob"), Principal.guest("eve")


@attrs.frozen
class Desk:
    """What the facet serves: one for each input and principal."""

    input: object
    principal: Principal


def make_desk(environment, input, principal):
    if input == "forbidden":
        raise Forbidden("nobody may have this one")
    return Desk(input, principal)


def desk_facet(name="desks", **options):
    return facet(name, serves=[serve(Desk, make_desk, **options)])


class Ledger:
    """Writes down what happens to resources, and makes resources that it watches."""

    def __init__(self):
        self.events = []
        self.open = set()
        self._count = 0

    def new(self, name):
        self._count += 1
        value = f"{name}#{self._count}"
        self.open.add(value)
        self.events.append(f"open {value}")
        return value

    def resource(self, name, version=1, hand_over=False, error=None):
        """A resource of this name; with `error`, closing it raises that once it is closed."""

        async def open_it(_):
            return self.new(name)

        async def replace(old, _):
            self.open.remove(old)  # a KeyError: it was handed over or closed before
            self.events.append(f"replace {old}")
            return self.new(name)

        async def close(value):
            self.open.remove(value)
            self.events.append(f"close {value}")
            if error is not None:
                raise error

        return Resource(name, open_it, version, replace if hand_over else None, close)


class Till(Actor):
    """An actor with things that wait, which can be fenced and closed."""

    def __init__(self, environment):
        super().__init__("till")
        self.environment = environment
        self.fenced = set()

    def wait_for(self, id, scope):
        self.environment.waiting.put(id, _Wait(id, scope, self.environment))

    def done(self, id):
        self.environment.waiting.drop(id, "done")

    def fence(self, scope):
        self.fenced.add(scope)

    def unfence(self, scope):
        self.fenced.discard(scope)

    def close_scope(self, scope):
        for id, waiting in self.environment.waiting.value.items():
            if waiting.scope == scope:
                self.done(id)

    def describe(self):
        return {"fenced": sorted(self.fenced)}


@attrs.frozen
class _Wait:
    id: str
    scope: str
    environment: Environment

    def waiting(self):
        who = self.environment.who
        return Waiting(self.id, "a coin", self.scope, who(EVE), (who(ALICE),), (who(BOB),), 5.0)


class Tills:
    """Keeps what its facet has opened, for the test to look at."""

    def __init__(self):
        self.opened = []

    async def open(self, environment):
        self.opened.append(Till(environment))
        return self.opened[-1]

    @property
    def till(self):
        return self.opened[-1]


def till_facet(tills):
    return facet("tills", resources=[Resource("till", tills.open)])
