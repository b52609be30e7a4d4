"""
Alarms in a chemical plant
==========================

The Tennessee Eastman process is the usual benchmark of process monitoring: 52 variables of a simulated plant, every
three minutes. The model learns 500 rows of normal operation. In the test file the cooling water of the reactor becomes
warmer from row 160 on, and a control loop keeps the temperature of the reactor where it was. The squared prediction
error rises at once, because the variables no longer belong together as they used to, and its contributions name the
valve that works against the fault.

The data is that of Chiang, Russell and Braatz (2001), from the package bibmon (`pip install --no-deps bibmon`).
"""

import importlib.util
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from roipca import OnlinePCA, plot

folder = Path(importlib.util.find_spec("bibmon").submodule_search_locations[0], "tennessee_eastman")
normal = np.loadtxt(folder / "d00.dat").T  # this file has a variable per row
fault = np.loadtxt(folder / "d04_te.dat")
begin = 160

pca = OnlinePCA(n_components=11, standardize=True).fit(normal)

figure, axes = plt.subplots(2, 1, figsize=(8.5, 5.5), layout="constrained", sharex=True)
for axis, of in zip(axes, ("t2", "spe"), strict=True):
    plot.control_chart(pca, fault, of=of, confidence=0.99, ax=axis)
    axis.axvline(begin, color="0.5", linestyle=":")
axes[0].set_title("The fault begins at row 160")
plt.show()

# %%
# How many rows are beyond a limit, before the fault and after it:

for name, values, limit in (("T²", pca.t2(fault), pca.t2_limit(0.99)), ("SPE", pca.spe(fault), pca.spe_limit(0.99))):
    before, after = np.mean(values[:begin] > limit), np.mean(values[begin:] > limit)
    print(f"{name}: {100 * before:.1f} % of the rows before, {100 * after:.1f} % of the rows after")

# %%
# The variables to blame. There are 41 measured variables and 11 valves: the tenth valve, variable 51, is that of the
# reactor's cooling water.

blamed = pca.contributions(fault[begin:], of="spe").mean(axis=0)
names = [f"measured {j}" for j in range(1, 42)] + [f"valve {j}" for j in range(1, 12)]
largest = np.argsort(blamed)[::-1][:5]
print([names[j] for j in largest])

figure, axis = plt.subplots(figsize=(8.5, 3), layout="constrained")
axis.bar(range(1, 53), blamed)
axis.set_xlabel("variable")
axis.set_ylabel("mean contribution to SPE")
plt.show()

# %%
# Row by row, as in a program that watches the plant: an alarm begins when five rows in a row are beyond a limit, and
# rows in alarm are not learned.

for row, x in enumerate(fault):
    reading = pca.monitor(x, confidence=0.99, alarm_rows=(5, 5))
    if reading.alarm:
        print(f"alarm at row {row} ({3 * (row - begin)} minutes after the fault) by {reading.statistic}")
        print("look at", [names[j] for j in reading.features])
        break
