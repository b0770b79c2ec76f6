"""Adds a profile to a configuration, and stops for good before a step of the file system: lives until it is killed.

Its last line of output is `stopped`, or `done` if there are not so many steps.
"""

import json
import sys
import time
from pathlib import Path

from questions.gates.config_files import add_profile

STEPS = ("open", "os.rename", "os.mkdir", "os.remove", "os.chmod")


def say(word):
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main(folder, last, profile, credential):
    steps = 0

    def watch(event, arguments):
        nonlocal steps
        if event in STEPS and str(folder) in str(arguments[0]):
            steps += 1
            if steps == last:
                say("stopped")
                time.sleep(600)

    sys.addaudithook(watch)
    add_profile(folder, "telegram", "approval", profile, credential, ["operator", "night"])
    say("done")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]), json.loads(sys.argv[4]))
