// The score plot: the first two scores of each sampled row, or the only score over the row's number.

function drawScores(host, data) {
  const { rows, scores } = data.scores;
  const name = (i) => `component ${i + 1} (${percentText(data.share[i])})`;
  const alone = scores.length === 1;
  const [across, up] = alone ? [rows, scores[0]] : scores;
  const plot = new Plot(host, {
    label: alone ? "Scores on the component" : "Scores on the first two components",
    height: Math.min(Math.max(0.6 * host.clientWidth, 280), 460),
    x: { ...axisAround(across), title: alone ? "row" : name(0), integers: alone },
    y: { ...axisAround(up), title: name(alone ? 0 : 1) },
  });
  drawZeroLines(plot, alone);
  const points = across.map((value, i) => [plot.x(value), plot.y(up[i])]);
  plot.add("path", { class: "points", d: points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("") });
  plot.inspect({
    count: rows.length,
    nearest: (x, y) => nearestPoint(points, x, y),
    at: (i) => points[i],
    lines: (i) => [
      `Row ${integerText(rows[i])}`,
      ...scores.map((values, j) => `component ${j + 1}: ${numberText(values[i])}`),
    ],
  });
}

function drawZeroLines(plot, alone) {
  const inside = (axis) => axis.low < 0 && axis.high > 0;
  if (inside(plot.yAxis)) plot.add("path", { class: "zero", d: `M${plot.left} ${plot.y(0)}H${plot.right}` });
  if (!alone && inside(plot.xAxis)) plot.add("path", { class: "zero", d: `M${plot.x(0)} ${plot.top}V${plot.bottom}` });
}

// The point within reach of the pointer that is closest to it.
function nearestPoint(points, x, y) {
  let nearest = -1;
  let least = 30 ** 2;
  points.forEach(([px, py], i) => {
    const distance = (px - x) ** 2 + (py - y) ** 2;
    if (distance < least) [nearest, least] = [i, distance];
  });
  return nearest;
}

