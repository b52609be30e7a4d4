"""`roipca watch` at the highest rate for some seconds; tests/soak does the same for half an hour."""

from __future__ import annotations

import watch_load


def test_rows_at_the_highest_rate_are_all_counted_while_clients_come_and_go(roipca, tmp_path):
    figures = watch_load.run(roipca, tmp_path, seconds=8)
    assert figures.rows > 20 * watch_load.ROWS
    assert figures.alarms > 0
    assert min(figures.events) >= 10  # five come per second
    assert figures.garbage >= 10
