"""The configuration of channels on disk: what is believed, what is refused and why, and what a writer leaves."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from questions.gates.config import CHANNELS_FILE, CREDENTIALS_FILE, LOCAL
from questions.gates.config_errors import InvalidChannels
from questions.gates.config_files import add_profile, channels_in, load_configuration
from tests.questions.gates.bot_api import TOKEN
from tests.questions.gates.configurations import HOOK, PROFILE, URL, changed, configured, hooked, loaded, secret_in
from tests.questions.gates.webhook.receiver import SECRET


def faults_of(folder):
    with pytest.raises(InvalidChannels) as raised:
        channels_in(loaded(folder))
    assert TOKEN not in str(raised.value)
    assert SECRET not in str(raised.value)
    return list(raised.value.faults)


def test_without_files_there_are_local_channels_only(tmp_path):
    assert load_configuration(tmp_path / "channels") is None  # case 76


def test_an_audience_that_is_not_configured_has_the_local_channels(tmp_path):
    found = loaded(configured(tmp_path))
    assert found.channels_of("operator") == (*LOCAL, "telegram:approval")
    assert found.channels_of("somebody") == LOCAL  # case 76


def test_a_profile_becomes_a_channel_with_its_token_trimmed(tmp_path):
    [channel] = channels_in(loaded(configured(tmp_path, baseUrl="http://127.0.0.1:1")))
    assert (channel.id, channel.profile, channel.token) == ("telegram:approval", "approval", TOKEN)
    assert (channel.allowed_user_ids, channel.allowed_chat_ids) == (("100",), ("-200",))
    assert channel.options == {"base_url": "http://127.0.0.1:1"}


def test_a_webhook_becomes_a_channel_too(tmp_path):
    [channel] = channels_in(loaded(hooked(tmp_path)))
    assert (channel.id, channel.token, channel.allowed_chat_ids) == ("webhook:ops", SECRET, ("ana", "bo"))
    assert channel.options == {"url": URL, "page": HOOK["page"]}


def test_an_address_that_holds_a_secret_may_be_in_a_file_of_its_own(tmp_path):
    files = {"secretFile": secret_in(tmp_path, "secret", SECRET), "urlFile": secret_in(tmp_path, "url", URL)}
    add_profile(tmp_path / "channels", "webhook", "ops", HOOK, files, ["operator"])
    [channel] = channels_in(loaded(tmp_path / "channels"))
    assert channel.options["url"] == URL


@pytest.mark.parametrize("file", [CHANNELS_FILE, CREDENTIALS_FILE])
def test_a_file_that_others_can_read_is_refused_until_they_cannot(tmp_path, file):
    folder = configured(tmp_path)
    (folder / file).chmod(0o644)
    [fault] = faults_of(folder)  # case 77
    assert fault.startswith(f"{file}: has mode 0644")
    (folder / file).chmod(0o600)
    assert load_configuration(folder) is not None


def test_a_folder_that_others_can_use_is_refused(tmp_path):
    folder = configured(tmp_path)
    folder.chmod(0o750)
    [fault] = faults_of(folder)
    assert "has mode 0750" in fault
    assert "chmod 700" in fault


@pytest.mark.parametrize("file", [CHANNELS_FILE, CREDENTIALS_FILE])
def test_a_link_is_not_followed(tmp_path, file):
    folder = configured(tmp_path)
    (folder / file).rename(tmp_path / "elsewhere")
    (folder / file).symlink_to(tmp_path / "elsewhere")
    assert faults_of(folder) == [f"{file}: is a link, which is not followed"]


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(configured(tmp_path))
    assert faults_of(tmp_path / "link") == [f"{tmp_path / 'link'}: is no folder, or a link"]


def test_a_link_to_nowhere_is_no_configuration_that_is_not_there(tmp_path):
    folder = configured(tmp_path)
    (folder / CHANNELS_FILE).unlink()
    (folder / CHANNELS_FILE).symlink_to("nowhere")
    assert faults_of(folder) == [f"{CHANNELS_FILE}: is a link, which is not followed"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("file", [CHANNELS_FILE, CREDENTIALS_FILE])
def test_a_file_of_another_user_is_refused(tmp_path, file):
    folder = configured(tmp_path)
    os.chown(folder / file, 4_321, -1)
    assert faults_of(folder) == [f"{file}: belongs to another user"]


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    folder = configured(tmp_path)
    os.truncate(folder / CHANNELS_FILE, 2**20 + 1)
    assert faults_of(folder) == [f"{CHANNELS_FILE}: has 1048577 bytes, more than 1048576"]


def test_a_missing_credentials_file_is_a_missing_credential(tmp_path):
    folder = configured(tmp_path)
    (folder / CREDENTIALS_FILE).unlink()
    [fault] = faults_of(folder)
    assert "$.telegramProfiles.approval.credential: there is none" in fault


def token_file(tmp_path, path):
    folder = configured(tmp_path)
    changed(folder, lambda record: record["telegram"]["approval"].update(tokenFile=str(path)), CREDENTIALS_FILE)
    return folder


BAD_FILES = {
    "relative": (lambda _: "token", "token: must be an absolute path"),
    "folder": (lambda path: path, "is not a regular file"),
    "empty": (lambda path: secret_in(path, text=" \n"), "is empty"),
    "mode": (lambda path: secret_in(path, mode=0o644), "has mode 0644"),
    "missing": (lambda path: path / "no", "cannot be opened: No such file"),
    "large": (lambda path: secret_in(path, text="1" * 20_000), "has 20000 bytes, more than 16384"),
    "no token": (lambda path: secret_in(path, text="two words"), "$.token: must be the token of a bot"),
}


@pytest.mark.parametrize("bad", BAD_FILES)
def test_each_fault_of_a_token_file_has_its_own_reason(tmp_path, bad):
    make, reason = BAD_FILES[bad]
    [fault] = faults_of(token_file(tmp_path, make(tmp_path)))  # case 80
    assert fault.startswith("telegram:approval: ")
    assert reason in fault


def test_a_token_file_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(secret_in(tmp_path))
    assert "is a link, which is not followed" in faults_of(token_file(tmp_path, tmp_path / "link"))[0]


def test_a_token_file_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff")
    (tmp_path / "bytes").chmod(0o600)
    assert "is not text in UTF-8" in faults_of(token_file(tmp_path, tmp_path / "bytes"))[0]


def test_the_faults_of_all_channels_are_told_at_once(tmp_path):
    configured(tmp_path, name="b", token="1:b")
    folder = configured(tmp_path)
    for name in ("approval", "b"):
        (tmp_path / f"token-of-{name}").unlink()
    assert [fault.partition(": ")[0] for fault in faults_of(folder)] == ["telegram:b", "telegram:approval"]


def test_only_secrets_that_profiles_name_are_read(tmp_path):
    folder = configured(tmp_path)
    changed(folder, lambda record: record["telegram"].update(other={"tokenFile": "relative"}), CREDENTIALS_FILE)
    assert len(channels_in(loaded(folder))) == 1


def test_profiles_that_are_added_are_private_and_in_order_and_hold_no_token(tmp_path):
    configured(tmp_path, audiences=["operator"])  # case 83
    folder = configured(tmp_path, audiences=["maintainer"])
    assert list(loaded(folder).audiences) == ["operator", "maintainer"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in (CHANNELS_FILE, CREDENTIALS_FILE):
        assert stat.S_IMODE((folder / file).stat().st_mode) == 0o600
        assert TOKEN not in (folder / file).read_text()


def test_what_is_added_takes_nothing_away(tmp_path):
    configured(tmp_path)
    hooked(tmp_path)
    folder = configured(tmp_path, allowedUserIds=["101"])
    found = loaded(folder)
    assert found.channels_of("operator") == (*LOCAL, "telegram:approval", "webhook:ops")
    assert found.profiles["telegram"]["approval"]["allowedUserIds"] == ["100", "101"]
    assert list(found.profiles["webhook"]) == ["ops"]


def test_a_secret_that_is_elsewhere_now_is_another_credential(tmp_path):
    folder = configured(tmp_path)
    other = {"tokenFile": secret_in(tmp_path, "other")}
    add_profile(folder, "telegram", "approval", PROFILE, other, [])
    found = add_profile(folder, "telegram", "approval", PROFILE, other, [])
    assert list(found.credentials["telegram"]) == ["approval", "approval-2"]
    assert found.profiles["telegram"]["approval"]["credential"] == "approval-2"


def test_two_profiles_do_not_share_a_bot(tmp_path):
    folder = configured(tmp_path, name="b")
    with pytest.raises(InvalidChannels, match="telegram:c: has the bot of telegram:b"):
        configured(tmp_path, name="c")
    assert list(loaded(folder).profiles["telegram"]) == ["b"]


def test_writers_at_the_same_time_lose_nothing(tmp_path):
    names = [f"p{number}" for number in range(8)]
    with ThreadPoolExecutor(len(names)) as threads:
        list(threads.map(lambda name: configured(tmp_path, name=name, token=f"1:{name}"), names))
    found = loaded(tmp_path / "channels")
    assert sorted(found.profiles["telegram"]) == names
    assert sorted(found.channels_of("operator")) == sorted([*LOCAL, *(f"telegram:{name}" for name in names)])


def test_nothing_is_added_to_what_is_at_fault(tmp_path):
    folder = configured(tmp_path)
    changed(folder, lambda record: record.update(schema="wrong"))
    before = (folder / CHANNELS_FILE).read_bytes()
    with pytest.raises(InvalidChannels, match="schema"):
        configured(tmp_path, name="other")
    assert (folder / CHANNELS_FILE).read_bytes() == before


def test_what_cannot_be_is_not_added(tmp_path):
    with pytest.raises(InvalidChannels, match="allowedUserIds"):
        configured(tmp_path, allowedUserIds=["ana"])
    with pytest.raises(InvalidChannels, match=r"audiences\.a\.b"):
        configured(tmp_path, audiences=["a.b"])
    assert load_configuration(tmp_path / "channels") is None
