"""Rooms: who may do what, what is counted, and a file that is locked, full, damaged or gone."""

from contextlib import suppress
from types import SimpleNamespace

import pytest

from geometry.hub.operator_limits import ClassLimits
from pages.common.classroom import rooms as module
from pages.common.classroom.rooms import Gate, Question, RoomError, Rooms

WHICH = Question("which", "Which is closer?", ("A", "B", "C"))
LIMITS = ClassLimits(rooms=2, members=3, answers_a_minute=4)


@pytest.fixture
def clock() -> SimpleNamespace:
    return SimpleNamespace(now=1_000_000.0)


@pytest.fixture
def rooms(tmp_path, clock) -> Rooms:
    found = Rooms(tmp_path / "rooms.sqlite", LIMITS)
    found._clock = lambda: clock.now
    return found


def refused(call) -> str:
    with pytest.raises(RoomError) as error:
        call()
    return error.value.reason


def test_first_and_last_answers_are_counted_by_two_servers_on_one_file(rooms, tmp_path):
    other = Rooms(tmp_path / "rooms.sqlite", LIMITS)
    other._clock = rooms._clock
    code = rooms.open("teacher")
    rooms.ask(code, "teacher", WHICH)
    for each in "xyz":
        other.join(code, each)
    rooms.answer(code, "x", WHICH, 0)
    other.answer(code, "y", WHICH, 0)
    other.answer(code, "x", WHICH, 2)
    before = rooms.ask(code, "teacher", WHICH)
    assert (before.n, before.counts, before.truth) == (2, (), None)
    rooms.answer(code, "teacher", WHICH, 1)  # a teacher's guess is not counted
    rooms.reveal(code, "teacher", WHICH, 2)
    after = other.ask(code, "x", WHICH)
    assert (after.n, after.own, after.truth) == (2, 2, 2)
    assert (after.firsts, after.counts) == ((2, 0, 0), (1, 0, 1))
    assert refused(lambda: other.answer(code, "z", WHICH, 1)) == "revealed"
    [summary] = other.summary(code, "teacher")
    assert summary.question == WHICH


def test_a_stranger_with_the_code_can_answer_and_nothing_else(rooms):
    code = rooms.open("teacher")
    assert refused(lambda: rooms.look(code, "stranger")) == "unknown"
    assert refused(lambda: rooms.answer(code, "stranger", WHICH, 0)) == "unknown"
    rooms.join(code, "stranger")
    other = Question("other", "A stranger's words", ("A", "B"))
    assert rooms.ask(code, "stranger", other) is None
    assert refused(lambda: rooms.answer(code, "stranger", other, 0)) == "unknown"
    rooms.ask(code, "teacher", WHICH)
    rooms.answer(code, "stranger", WHICH, 0)
    assert refused(lambda: rooms.answer(code, "stranger", WHICH, 3)) == "unknown"
    assert [each.question for each in rooms.summary(code, "teacher")] == [WHICH]
    for call in (
        lambda: rooms.lead(code, "stranger", "layers", None),
        lambda: rooms.reveal(code, "stranger", WHICH, 0),
        lambda: rooms.give_lesson(code, "stranger", ""),
        lambda: rooms.invite(code, "stranger"),
        lambda: rooms.summary(code, "stranger"),
    ):
        assert refused(call) == "leader"
    assert rooms.ask(code, "stranger", WHICH).counts == ()
    assert not rooms.accept(code, "stranger", "AAAAAAAA")
    rooms.leave(code, "stranger")
    assert rooms.look(code, "teacher").n_members == 0


def test_no_name_of_a_browser_is_in_the_file(rooms, tmp_path):
    code = rooms.open("the-browsers-name")
    rooms.join(code, "the-students-name")
    rooms.ask(code, "the-browsers-name", WHICH)
    rooms.answer(code, "the-students-name", WHICH, 0)
    content = (tmp_path / "rooms.sqlite").read_bytes()
    assert WHICH.text.encode() in content
    assert b"s-name" not in content


def test_each_limit_refuses(rooms, clock):
    code = rooms.open("teacher")
    for each in "xyz":
        rooms.join(code, each)
    rooms.join(code, "x")
    assert refused(lambda: rooms.join(code, "w")) == "members"
    rooms.open("another")
    assert refused(lambda: rooms.open("a third")) == "rooms"
    rooms.ask(code, "teacher", WHICH)
    for _ in range(4):
        rooms.answer(code, "x", WHICH, 0)
    assert refused(lambda: rooms.answer(code, "x", WHICH, 1)) == "answers"
    clock.now += 60
    rooms.answer(code, "x", WHICH, 1)
    long = Question("long", "x" * 9000, ("A", "B"))
    assert refused(lambda: rooms.ask(code, "teacher", long)) == "long"
    assert refused(lambda: rooms.lead(code, "teacher", "x" * 5000, None)) == "long"
    assert refused(lambda: rooms.give_lesson(code, "teacher", "x" * 200_001)) == "long"


def test_no_room_can_be_opened_by_default(tmp_path):
    closed = Rooms(tmp_path / "rooms.sqlite", ClassLimits())
    assert refused(lambda: closed.open("teacher")) == "closed"
    assert refused(lambda: closed.join("AAAAAA", "x")) == "closed"
    assert not (tmp_path / "rooms.sqlite").exists()


def test_a_room_ends_four_hours_after_its_last_use(rooms, clock):
    code = rooms.open("teacher")
    rooms.join(code, "x")
    clock.now += 3 * 3600
    rooms.ask(code, "teacher", WHICH)
    rooms.answer(code, "x", WHICH, 0)
    clock.now += 3 * 3600
    assert rooms.look(code, "x").n_members == 1
    clock.now += 4 * 3600 + 1
    assert refused(lambda: rooms.look(code, "x")) == "unknown"
    rooms.open("other")
    rooms.open("another")  # the place is free


def test_a_new_room_ends_the_visitor_s_others_or_a_deserted_one(rooms, clock):
    first = rooms.open("teacher")
    second = rooms.open("teacher")
    assert refused(lambda: rooms.look(first, "teacher")) == "unknown"
    rooms.open("another")
    clock.now += module.ABSENT_SECONDS + 1
    rooms.look(second, "teacher")
    rooms.open("a third")
    assert rooms.look(second, "teacher").leads


def test_a_question_with_another_number_of_options_begins_anew(rooms):
    code = rooms.open("teacher")
    rooms.join(code, "x")
    rooms.ask(code, "teacher", WHICH)
    rooms.answer(code, "x", WHICH, 2)
    fewer = Question(WHICH.id, WHICH.text, ("A", "B"))
    assert rooms.ask(code, "teacher", fewer).n == 0
    rooms.answer(code, "x", fewer, 1)
    translated = Question(WHICH.id, "哪一對？", ("甲", "乙"))
    assert rooms.ask(code, "teacher", translated).n == 1


def test_who_sleeps_for_a_minute_is_absent_and_then_there_again(rooms, clock):
    code = rooms.open("teacher")
    rooms.join(code, "x")
    clock.now += 60
    assert rooms.look(code, "teacher").n_members == 0
    rooms.look(code, "x")
    rooms.follow(code, "x", is_wanted=False)
    found = rooms.look(code, "teacher")
    assert (found.n_members, found.n_following) == (1, 0)


def test_a_second_device_leads_by_a_word_that_is_used_once(rooms, clock):
    code = rooms.open("teacher")
    word = rooms.invite(code, "teacher")
    for each in "xy":
        rooms.join(code, each)
    rooms.ask(code, "teacher", WHICH)
    rooms.answer(code, "x", WHICH, 0)
    assert rooms.accept(code, "x", word)
    assert not rooms.accept(code, "y", word)
    assert rooms.look(code, "x").leads
    assert rooms.ask(code, "teacher", WHICH).n == 0  # it was no student's answer
    late = rooms.invite(code, "x")
    clock.now += module.INVITATION_SECONDS + 1
    assert not rooms.accept(code, "y", late)


def test_leading_changes_the_version_only_where_something_changed(rooms):
    code = rooms.open("teacher")
    rooms.join(code, "x")
    rooms.lead(code, "teacher", "layers?layer=4", None)
    version = rooms.versions(code)[0]
    rooms.lead(code, "teacher", "layers?layer=4", None)
    assert rooms.versions(code)[0] == version
    rooms.lead(code, "teacher", "layers?layer=4", ("cloud", [3, 5]))
    found = rooms.look(code, "x")
    assert (found.version, found.marked) == (version + 1, ("cloud", (3, 5)))


def test_a_full_file_is_said_and_the_server_goes_on(tmp_path, monkeypatch):
    """A locked one: test_class_pages.py."""
    monkeypatch.setattr(module, "REST_SECONDS", 0)
    file = tmp_path / "rooms.sqlite"
    rooms = Rooms(file, ClassLimits(rooms=99, megabytes=1))
    codes = []

    def fill_up() -> None:
        for _ in range(50):
            codes.append(rooms.open(f"{len(codes)}"))
            rooms.give_lesson(codes[-1], f"{len(codes) - 1}", "x" * module.LONGEST_LESSON)

    assert refused(fill_up) == "file"
    assert file.stat().st_size <= 1_100_000
    for who, each in enumerate(codes[1:], 1):
        rooms.leave(each, f"{who}")
    assert rooms.look(codes[0], "0").leads


@pytest.mark.parametrize("fault", ["damaged", "a folder"])
def test_a_file_that_fails_is_said_and_the_server_goes_on(fault, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "REST_SECONDS", 0)
    file = tmp_path / "rooms.sqlite"
    rooms = Rooms(file, ClassLimits(rooms=2))
    code = rooms.open("teacher")
    if fault == "damaged":
        file.write_bytes(b"no database" * 1000)
    else:
        file.unlink()
        file.mkdir()
    assert refused(lambda: rooms.look(code, "teacher")) == "file"
    if fault == "damaged":
        assert (tmp_path / "rooms.sqlite.damaged").exists()
    else:
        file.rmdir()
    assert refused(lambda: rooms.look(code, "teacher")) == "unknown"
    assert rooms.look(rooms.open("teacher"), "teacher").leads


def test_a_file_deleted_while_it_is_open_is_made_again(rooms, tmp_path):
    code = rooms.open("teacher")
    (tmp_path / "rooms.sqlite").unlink()
    assert refused(lambda: rooms.look(code, "teacher")) == "unknown"
    assert rooms.look(rooms.open("teacher"), "teacher").leads
    assert (tmp_path / "rooms.sqlite").stat().st_mode & 0o077 == 0


def test_ten_thousand_wrong_codes_in_a_minute_are_slowed():
    """30 are free; then 5 a second, and whoever would wait longer than ten seconds is refused."""
    now, slept = 0.0, []
    gate = Gate(30)
    gate._clock, gate._sleep = lambda: now, slept.append
    n_tried = 0
    for _ in range(10_000):
        now += 60 / 10_000
        with suppress(RoomError), gate.turn():
            n_tried += 1
            raise RoomError("unknown")
    assert 300 < n_tried <= 30 + (60 + 10) / 0.2
    assert max(slept) <= 10
    now += 61
    slept.clear()
    with gate.turn():
        assert slept == []
