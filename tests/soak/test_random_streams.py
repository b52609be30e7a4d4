"""Random streams against a dense oracle: a few in `make test`, 5,000 in `make soak`.

`python tests/soak/streams.py --seed N` runs one again.
"""

import pytest
import streams

FEW = 100


def complaints(seeds):
    wrong = []
    for seed, name, report in streams.check_seeds(seeds):
        wrong += [f"{seed}: {failure}  [{name}]" for failure in report.failures]
    return wrong


def test_a_hundred_random_streams_agree_with_a_dense_oracle():
    wrong = complaints(range(FEW))
    assert not wrong, "\n".join(wrong)


def test_streams_that_were_wrong_once_are_right():
    wrong = complaints([60494])  # refined to fewer components than were scored
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
def test_five_thousand_random_streams_agree_with_a_dense_oracle():
    wrong = complaints(range(streams.STREAMS))
    assert not wrong, "\n".join(wrong)
