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
    seeds = [
        2657,  # sparse rows a thousand times as far from 0 as from each other
        3748,  # fROIPCA of rows of low rank, where its residuals cancel
        4093,  # sparse rows of which a heavy one is close to the mean of the first block
        4880,  # a constant column of sparse rows, beside a heavy one
        30130,  # missing values beside sentinels, whose expectations were part of sums
        30435,  # scales of rows of which one has all of the weight
        31846,  # a model in float, standardized and resumed, with variance in directions that there are none of
        32140,  # a refinement that refused the same rows beside a heavy one
        60494,  # refined to fewer components than were scored
        100262,  # variances of sparse rows beside a heavy one
        100918,  # sparse rows after a model of one row
        102418,  # refined from components that were longer than 1 by their rounding
        102796,  # sparse rows of float beyond 1e12, whose bits depended on their unit
        103141,  # missing values whose expectations were too small for float
        104954,  # missing values of a feature that is a component almost by itself: NaN
        201205,  # fROIPCA beside sentinels, where its residuals cancel
    ]
    wrong = complaints(seeds)
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
def test_five_thousand_random_streams_agree_with_a_dense_oracle():
    wrong = complaints(range(streams.STREAMS))
    assert not wrong, "\n".join(wrong)
