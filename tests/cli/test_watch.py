"""The live page: what it serves, to whom, and what a browser shows of it."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import time
from pathlib import Path

import numpy as np
import pytest
from test_signals import wait_until
from watching import SENSORS, Fifo, as_csv, broken, sensor_rows


def test_a_fault_raises_an_alarm_that_names_its_sensor(watch):
    watched = watch("-", "-k", 3, "--port", 0, "--confidence", "0.9999", "--alarm", "3/5", "--hold", 10)
    watched.feed(as_csv(sensor_rows(2000), header=True))
    calm = watched.wait_for(2000)
    assert not calm["alarm"] and calm["alarms"] == []
    assert calm["t2Limit"] > 0 and calm["speLimit"] > 0
    watched.feed(as_csv(broken(7)))
    state = watched.wait_for(2040)
    assert state["alarm"]
    (alarm,) = state["alarms"]
    assert alarm["first"] == 2003 and alarm["open"]
    assert alarm["features"][0] == "sensor_7"
    assert state["learned"] == 2000  # neither the rows in alarm nor the two with which it began
    watched.feed(as_csv(sensor_rows(200, seed=6)))
    state = watched.wait_for(2240)
    assert not state["alarm"] and not state["alarms"][0]["open"]
    status, text = watched.get("/alarms.csv")
    assert status == 200
    assert text.splitlines()[0] == "alarm,begin,first_row,last_row,is_open,statistic,times_limit,features"
    assert "sensor_7" in text.splitlines()[1]


def test_rows_are_shown_as_they_come_and_counted_to_the_last(watch):
    watched = watch("-", "-k", 3, "--port", 0)
    watched.feed(as_csv(sensor_rows(1), header=True))
    assert watched.wait_for(1)["rows"] == 1
    watched.feed(as_csv(sensor_rows(20000)))
    state = watched.wait_for(20001)
    assert state["rows"] == 20001
    assert sum(bucket["last"] - bucket["first"] + 1 for bucket in state["buckets"]) <= 20001
    assert len(state["points"]) <= 400


def test_bad_rows_are_skipped_and_counted(watch):
    watched = watch("-", "-k", 3, "--port", 0)
    watched.feed(as_csv(sensor_rows(500), header=True) + b"1,2,x\n" + as_csv(sensor_rows(500)))
    assert watched.wait_for(1000)["rows"] == 1000
    time.sleep(0.3)
    assert watched.state()["skipped"] == 1


def test_a_named_pipe_may_lose_its_writer_and_find_another(watch, tmp_path):
    fifo = Fifo(tmp_path / "pipe")
    fifo.write(as_csv(sensor_rows(300), header=True))
    watched = watch("pipe", "-k", 3, "--port", 0)
    watched.wait_for(300)
    os.close(fifo.descriptor)
    time.sleep(0.3)
    with (tmp_path / "pipe").open("wb") as another:
        another.write(as_csv(sensor_rows(300), header=True))  # its names are a bad row
    state = watched.wait_for(600)
    assert state["rows"] == 600 and state["status"] == "live"


def test_a_growing_file_is_followed(watch, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(as_csv(sensor_rows(300), header=True))
    watched = watch(path, "-k", 3, "--port", 0)
    watched.wait_for(300)
    with path.open("ab") as file:
        file.write(as_csv(sensor_rows(50)))
    assert watched.wait_for(350)["rows"] == 350


def test_of_several_files_the_last_one_is_followed(watch, tmp_path):
    for name, seed in (("a.csv", 0), ("b.csv", 1)):
        (tmp_path / name).write_bytes(as_csv(sensor_rows(300, seed=seed), header=True))
    watched = watch("a.csv", "b.csv", "-k", 3, "--port", 0)
    assert watched.wait_for(600)["title"] == "b.csv after 1 other file"
    with (tmp_path / "b.csv").open("ab") as file:
        file.write(as_csv(sensor_rows(50)))
    assert watched.wait_for(650)["rows"] == 650


@pytest.mark.parametrize("change", ["replaced", "shorter"])
def test_a_followed_file_that_is_no_longer_the_same_is_an_error(watch, tmp_path, change):
    path = tmp_path / "log.csv"
    path.write_bytes(as_csv(sensor_rows(300), header=True))
    watched = watch("log.csv", "-k", 3, "--port", 0)
    watched.wait_for(300)
    if change == "replaced":  # as by logrotate
        path.rename(tmp_path / "log.csv.1")
        time.sleep(0.2)
        assert watched.process.poll() is None
        path.write_bytes(as_csv(sensor_rows(300), header=True))
    else:
        path.write_bytes(as_csv(sensor_rows(5), header=True))
    assert watched.process.wait(20) == 1
    assert b"log.csv: was replaced or became shorter while it was followed" in watched.process.stderr.read()


def test_a_run_that_was_killed_resumes_from_its_checkpoint(watch, roipca, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(as_csv(sensor_rows(3000), header=True))
    watched = watch(path, "-k", 3, "--port", 0, "--checkpoint", "kept", "--every", 500, "--learn", "all")
    watched.wait_for(3000)
    for _ in range(100):
        if (tmp_path / "kept").exists():
            break
        time.sleep(0.05)
    watched.process.kill()
    watched.process.wait(20)
    again = watch(path, "-k", 3, "--port", 0, "--resume", "kept", "--learn", "all", "-o", "model")
    state = again.wait_for(3000)
    assert state["rows"] == 3000
    assert state["learned"] < 3000  # the others were in the checkpoint
    again.stop()
    info = json.loads(roipca("info", "model", "--json"))
    assert info["rows"] == 3000


def with_times(rows: np.ndarray, first: int) -> bytes:
    lines = as_csv(rows).decode().splitlines()
    return "".join(f"2024-05-01 {first + i},{line}\n" for i, line in enumerate(lines)).encode()


def test_rows_keep_their_ids_in_the_log_and_on_the_page(watch):
    watched = watch("-", "-k", 3, "--port", 0, "--confidence", "0.9999", "--alarm", "3/5", "--id", "time")
    header = ("time," + as_csv(sensor_rows(0), header=True).decode()).encode()
    watched.feed(header + with_times(sensor_rows(2000), 0) + b"bad,1,2\n" + with_times(broken(7), 5000))
    watched.feed(with_times(sensor_rows(200, seed=6), 6000))
    state = watched.wait_for(2240)
    assert state["idName"] == "time"
    (alarm,) = state["alarms"]
    assert alarm["ids"] == ["2024-05-01 5002", "2024-05-01 6001"]  # not by the number of the row: one was skipped
    assert all(bucket["id"].startswith("2024-05-01 ") for bucket in state["buckets"])
    assert state["points"][-1][4].startswith("2024-05-01 ")
    head, line = watched.get("/alarms.csv")[1].splitlines()
    assert head.startswith("alarm,begin,first_row,last_row,first_id,last_id,is_open,")
    assert ",2003,2042,2024-05-01 5002,2024-05-01 6001,0,spe," in line


def test_a_page_that_is_open_before_the_first_row_shows_ids(watch):
    watched = watch("-", "-k", 3, "--port", 0, "--id", "time")
    with socket.create_connection(("127.0.0.1", watched.port), timeout=20) as client:
        client.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        events = client.makefile("rb")
        shown = json.loads(next(line for line in events if line.startswith(b"data: "))[6:])
        assert shown["rows"] == 0
        watched.feed(b"time," + as_csv(sensor_rows(0), header=True) + with_times(sensor_rows(300), 0))
        while not shown["buckets"]:
            shown |= json.loads(next(line for line in events if line.startswith(b"data: "))[6:])
    assert shown["idName"] == "time"
    assert shown["buckets"][0]["id"].startswith("2024-05-01 ")


def test_rows_without_names_get_those_of_the_model_they_are_compared_with(roipca, tmp_path):
    (tmp_path / "a.csv").write_bytes(as_csv(sensor_rows(2000), header=True))
    roipca("fit", "a.csv", "-k", 3, "-o", "m")
    data = as_csv(broken(7))
    options = ("--start", "m", "--port", 0, "--no-follow", "--confidence", "0.9999", "--alarms", "-")
    done = roipca.run("watch", "-", *options, data=data)
    assert done.returncode == 0 and ",sensor_7;" in done.stdout.decode()
    other = as_csv(broken(7), header=True).replace(b"sensor_7", b"other")
    refused = roipca.run("watch", "-", *options, data=other)
    assert refused.returncode == 1
    assert b'standard input: its column names are not those of the model; it has no feature "other"' in refused.stderr


CALM = ("-k", 3, "--port", 0, "--no-follow", "--confidence", "0.9999", "--alarm", "3/5", "--hold", 10)


def log_lines(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_batch_job_ends_with_the_input_and_leaves_a_log_of_alarms_and_a_model(roipca, tmp_path):
    rows = np.vstack([sensor_rows(2000), broken(7), sensor_rows(200, seed=6)])
    (tmp_path / "day.csv").write_bytes(as_csv(rows, header=True))
    done = roipca.run("watch", "day.csv", *CALM, "--alarms", "alarms.csv", "-o", "m")
    assert done.returncode == 0
    assert b"the input ended after 2240 rows and 1 alarm\n" in done.stderr
    begin, end = log_lines(tmp_path / "alarms.csv")
    assert begin["alarm"] == end["alarm"] == "1" and [begin["is_open"], end["is_open"]] == ["1", "0"]
    assert begin["first_row"] == end["first_row"] == begin["last_row"] == "2003"
    assert end["last_row"] == "2049" and end["statistic"] == "spe" and end["features"].startswith("sensor_7")
    assert json.loads(roipca("info", "m", "--json"))["features"] == 12


def test_alarms_are_logged_as_they_come(watch, tmp_path):
    watched = watch("-", "-k", 3, "--port", 0, "--confidence", "0.9999", "--alarm", "3/5", "--alarms", "log.csv")
    watched.feed(as_csv(sensor_rows(2000), header=True))
    watched.wait_for(2000)
    assert log_lines(tmp_path / "log.csv") == []
    watched.feed(as_csv(broken(7, 5)))
    watched.wait_for(2005)
    (line,) = log_lines(tmp_path / "log.csv")
    assert line["is_open"] == "1" and line["features"].startswith("sensor_7")


def test_a_log_of_alarms_is_continued_with_the_next_number_and_other_files_are_left_alone(roipca, tmp_path):
    (tmp_path / "day.csv").write_bytes(as_csv(np.vstack([sensor_rows(2000), broken(7)]), header=True))
    for _ in range(2):
        assert roipca.run("watch", "day.csv", *CALM, "--alarms", "log.csv").returncode == 0
    lines = log_lines(tmp_path / "log.csv")
    assert [line["alarm"] for line in lines] == ["1", "1", "2", "2"]
    assert [line["is_open"] for line in lines] == ["1"] * 4  # the input ended in an alarm
    assert [line["last_row"] for line in lines] == ["2003", "2040"] * 2
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    refused = roipca.run("watch", "day.csv", *CALM, "--alarms", "other.csv")
    assert refused.returncode == 1 and b"other.csv: is no log of alarms" in refused.stderr
    assert (tmp_path / "other.csv").read_text() == "a,b\n1,2\n"
    assert "is an input" in roipca.refuse("watch", "day.csv", *CALM, "--alarms", "day.csv", code=2)


def test_alarms_go_to_standard_output_when_asked(roipca):
    data = as_csv(np.vstack([sensor_rows(2000), broken(7)]), header=True)
    done = roipca.run("watch", "-", *CALM, "--alarms", "-", data=data)
    assert done.returncode == 0
    assert [line.split(",")[0] for line in done.stdout.decode().splitlines()] == ["alarm", "1", "1"]


def test_long_ids_are_cut(watch):
    watched = watch("-", "-k", 3, "--port", 0, "--id", "1")
    watched.feed(b"".join(b"x" * 1000 + b"," + line + b"\n" for line in as_csv(sensor_rows(300)).splitlines()))
    watched.wait_for(300)
    wait_until(lambda: watched.state()["buckets"])
    assert len(watched.state()["buckets"][-1]["id"]) == 64


def test_models_of_the_rows_so_far_are_written_on_request_and_every_so_many_rows(watch, roipca, tmp_path):
    watched = watch("-", "-k", 3, "--port", 0, "--learn", "all", "-o", "m", "--model-every", 500)

    def rows_in_model() -> int:
        return json.loads(roipca("info", "m", "--json"))["rows"]

    watched.feed(as_csv(sensor_rows(300), header=True))
    watched.wait_for(300)
    assert not (tmp_path / "m").exists()
    watched.process.send_signal(signal.SIGUSR1)
    wait_until((tmp_path / "m").exists)
    assert rows_in_model() == 300
    watched.feed(as_csv(sensor_rows(300)))
    wait_until(lambda: rows_in_model() == 600)
    watched.feed(as_csv(sensor_rows(50)))
    watched.wait_for(650)
    watched.process.send_signal(signal.SIGINT)
    assert watched.process.wait(20) == -signal.SIGINT
    assert rows_in_model() == 650
    assert json.loads(roipca("info", "m", "--json"))["features"] == 12


def test_a_request_without_an_output_is_answered(watch):
    watched = watch("-", "-k", 3, "--port", 0)
    watched.feed(as_csv(sensor_rows(300), header=True))
    watched.wait_for(300)
    watched.process.send_signal(signal.SIGUSR1)
    assert watched.process.stderr.readline() == b"roipca: SIGUSR1 writes a model only to a file: use -o\n"


@pytest.mark.parametrize("components", ["0.9", "auto"])
def test_a_number_that_depends_on_the_rows_is_chosen_when_the_warm_up_ends(watch, roipca, components):
    watched = watch("-", "-k", components, "--port", 0, "--warm-up", 500, "-o", "m", "--confidence", "0.9999")
    watched.feed(as_csv(sensor_rows(2000), header=True))
    said = iter(watched.process.stderr.readline, b"")  # auto also says why to doubt it
    assert next(line for line in said if b"watching with" in line) == b"roipca: watching with 3 components\n"
    watched.wait_for(2000)
    watched.feed(as_csv(broken(7)))
    state = watched.wait_for(2040)
    assert state["alarm"] and state["alarms"][-1]["features"][0] == "sensor_7"
    watched.stop()
    assert json.loads(roipca("info", "m", "--json"))["components"] == 3


def test_the_components_of_a_model_or_a_checkpoint_need_no_number(watch, roipca, tmp_path):
    (tmp_path / "a.csv").write_bytes(as_csv(sensor_rows(1000), header=True))
    roipca("fit", "a.csv", "-k", 3, "-o", "m")
    watched = watch("-", "--start", "m", "--port", 0)
    watched.feed(as_csv(sensor_rows(1), header=True))
    assert watched.wait_for(1)["speLimit"] > 0
    assert "-k is required" in roipca.refuse("watch", "-", code=2, data=b"1,2,3\n")


def test_a_stream_starts_with_the_model_of_a_checkpoint(watch, roipca, tmp_path):
    (tmp_path / "a.csv").write_bytes(as_csv(sensor_rows(1000), header=True))
    roipca("fit", "a.csv", "-k", 3, "--checkpoint", "of_fit", "--every", 100, "-o", "m")
    watched = watch("a.csv", "--start", "of_fit", "--checkpoint", "of_watch", "--port", 0)
    assert watched.wait_for(1000)["speLimit"] > 0
    watched.stop()
    again = watch("a.csv", "--start", "of_watch", "-o", "m", "--learn", "all", "--port", 0)
    again.wait_for(1000)
    again.stop()
    assert json.loads(roipca("info", "m", "--json"))["rows"] > 2000
    roipca("fit", "a.csv", "-k", 3, "--float32", "--checkpoint", "of_floats", "--every", 100, "-o", "m")
    refused = roipca.refuse("watch", "a.csv", "--start", "of_floats")
    assert "of_floats: a checkpoint in single precision" in refused


def test_options_that_a_model_or_a_checkpoint_has_already_cannot_be_changed(watch, roipca, tmp_path):
    (tmp_path / "a.csv").write_bytes(as_csv(sensor_rows(1000), header=True))
    roipca("fit", "a.csv", "-k", 3, "--missing", "impute", "-o", "gaps")
    roipca("fit", "a.csv", "-k", 3, "-o", "m")
    refused = roipca.refuse("watch", "-", "--start", "m", "--missing", "impute", code=2, data=b"")
    assert "--missing impute: m was made with --missing error, which cannot be changed" in refused
    refused = roipca.refuse("watch", "-", "--start", "m", "--no-center", code=2, data=b"")
    assert "--no-center: m was made without it, which cannot be changed" in refused
    refused = roipca.refuse("watch", "-", "--start", "gaps", "--missing", "error", code=2, data=b"")
    assert "--missing error: gaps was made with --missing impute" in refused
    watched = watch("-", "--start", "gaps", "--missing", "impute", "--checkpoint", "c", "--port", 0)
    watched.feed(as_csv(sensor_rows(5), header=True))
    watched.wait_for(5)
    watched.stop()
    refused = roipca.refuse("watch", "-", "--resume", "c", "--forgetting", 0.9, code=2, data=b"")
    assert "--forgetting 0.9: c was made with --forgetting 1, which cannot be changed" in refused


def test_wrong_usage_is_refused(roipca):
    options = ("--alarm 3/2", "--alarm x", "--confidence 99", "--learn some", "--port -1", "--model-every 5", "-o -")
    for option in options:
        roipca.refuse("watch", "-", "-k", 3, *option.split(), code=2, data=b"1,2,3,4\n")
    assert "there is no such file" in roipca.refuse("watch", "missing.csv", "-k", 3)


def test_the_number_of_components_of_a_model_that_is_watched_with_cannot_be_changed(roipca, tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).standard_normal((300, 6)))
    roipca("fit", "a.npy", "-k", 3, "-o", "m")
    done = roipca.run("watch", "a.npy", "--start", "m", "-k", 2, "--no-follow", "--port", 0)
    assert done.returncode == 2
    assert b"-k 2: m was made with -k 3, which cannot be changed" in done.stderr


def test_rows_without_any_value_are_counted_and_do_not_end_an_alarm(roipca, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((1200, 2)) @ rng.standard_normal((2, 6)) + 0.1 * rng.standard_normal((1200, 6))
    rows[800:, 4] += 10
    rows[[i for i in range(800, 1200) if i % 3]] = np.nan
    np.save(tmp_path / "a.npy", rows)
    options = ("--missing", "impute", "--alarm", "3/5", "--hold", 20, "--no-follow", "--port", 0)
    done = roipca.run("watch", "a.npy", "-k", 2, "--confidence", "0.999", *options)
    assert b"the input ended after 1200 rows (267 without any value) and 1 alarm" in done.stderr


def test_the_page_counts_rows_without_any_value_as_they_come(watch):
    watched = watch("-", "-k", 3, "--port", 0, "--missing", "impute")
    watched.feed(as_csv(sensor_rows(500), header=True))
    before = watched.wait_for(500)
    watched.feed(as_csv(np.full((30, len(SENSORS)), np.nan)))
    after = watched.wait_for(530)
    assert (after["rows"], after["learned"], after["beyond"]) == (530, before["learned"], before["beyond"])


def test_a_batch_job_in_which_every_row_is_bad_fails(roipca, tmp_path):
    (tmp_path / "bad.csv").write_text("time,a,b\n" + "".join(f"day {i},{i},{i % 3}\n" for i in range(50)))
    done = roipca.run("watch", "bad.csv", "-k", 1, "--no-follow", "--port", 0)
    assert done.returncode == 1
    assert b"no rows are left" in done.stderr
