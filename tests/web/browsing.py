"""Real browsers: one process a person, each visit in a profile of its own."""

import shutil
from contextlib import ExitStack, contextmanager

from playwright.sync_api import expect, sync_playwright

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PATIENCE = 15_000  # milliseconds
expect.set_options(timeout=PATIENCE)
# What a browser says itself when a server is away for a moment, was cut off, or takes nobody for now.
AWAY = (
    "net::ERR_CONNECTION_REFUSED",
    "net::ERR_CONNECTION_RESET",
    "net::ERR_EMPTY_RESPONSE",
    "Connection closed before receiving a handshake response",
    "Unexpected response code: 503",
)

WATCH_POLICY = """
  addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective));
"""


class Browsers:
    """Two of them, the second one when it is first needed."""

    def __enter__(self):
        self._stack = ExitStack()
        self._playwright = self._stack.enter_context(sync_playwright())
        self._running, self._profiles, self._free = {}, {}, {}
        return self

    def __exit__(self, *_):
        for browser in self._running.values():
            browser.close()
        self._stack.close()

    def of(self, person):
        which = 0 if person == "ana" else 1
        if which not in self._running:
            path = next(filter(None, map(shutil.which, CHROMIUM)))
            self._running[which] = self._playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        return self._running[which]

    def profile(self, person, **options):
        """One for each way to visit; tabs of it share nothing but what `localStorage` keeps."""
        wanted = person, repr(sorted(options.items()))
        if wanted not in self._profiles:
            profile = self._profiles[wanted] = self.of(person).new_context(**options)
            profile.set_default_timeout(PATIENCE)
            profile.add_init_script(WATCH_POLICY)
        return self._profiles[wanted]

    def tab(self, person, **options):
        """A page that is nowhere: one that a test before has done with, if there is one, since new ones cost time."""
        profile = self.profile(person, **{"viewport": {"width": 900, "height": 1000}} | options)
        free = self._free.setdefault(profile, [])
        return free.pop() if free else profile.new_page()

    def give_back(self, page, *listeners):
        for event, listener in listeners:
            page.remove_listener(event, listener)
        page.goto("about:blank")
        self._free[page.context].append(page)

    @contextmanager
    def visitors(self, served):
        visitors = Visitors(self, served)
        yield visitors
        visitors.leave()


class Visitors:
    """People who open the page."""

    def __init__(self, browsers, served):
        self._browsers, self._served = browsers, served
        self._pages, self._complaints = [], []

    def __call__(self, person="ana", session="s1", **options):
        """A person at the page, connected."""
        page = self.blank(person, **options)
        page.goto(f"{self._served.url}#token=user:{person}&session={session}")
        page.get_by_text("Connected as").wait_for()
        return page

    def blank(self, person="ana", **options):
        """A person at no page yet."""
        page = self._browsers.tab(person, **options)
        self._pages.append(page)
        for event, listener in self._listeners():
            page.on(event, listener)
        return page

    def _listeners(self):
        return ("console", self._heard), ("pageerror", self._failed)

    def _heard(self, message):
        if message.type in ("error", "warning") and not any(words in message.text for words in AWAY):
            self._complaints.append(message.text)

    def _failed(self, error):
        self._complaints.append(str(error))

    def forgive(self):
        """Forget what pages have complained about, where that is what was wanted."""
        self._pages[-1].evaluate("null")
        self._complaints.clear()

    def leave(self):
        complaints = list(self._complaints)
        for page in self._pages:
            self._browsers.give_back(page, *self._listeners())
        assert complaints == []


def card(page, words):
    """The card, or the note, of the question with these words."""
    return page.locator(".card").filter(has_text=words)


def button(card, name):
    """One of its buttons, once a press counts."""
    found = card.get_by_role("button", name=name, exact=True)
    card.locator("button[aria-disabled=false]").first.wait_for()
    return found
