// Loadings of features with an order: a line, or the band between the extremes of runs of features.

function drawLoadingLine(host, component, { features, run, axis }, number) {
  const { low } = component;
  const high = component.high ?? low;
  const largest = [...low, ...high].reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const start = (i) => (axis ? axis[i] : i * run + 1);
  const last = start(low.length - 1);
  const plot = new Plot(host, {
    label: `Loadings of component ${number}`,
    height: 180,
    x: { low: start(0), high: last > start(0) ? last : start(0) + 1, integers: !axis },
    y: { low: -1.08 * largest, high: 1.08 * largest },
  });
  plot.add("path", { class: "zero", d: `M${plot.left} ${plot.y(0)}H${plot.right}` });
  const upper = high.map((value, i) => [plot.x(start(i)), plot.y(value)]);
  const lower = low.map((value, i) => [plot.x(start(i)), plot.y(value)]);
  if (run === 1) plot.add("path", { class: "line thin", d: pathThrough(lower) });
  else plot.add("path", { class: "band", d: `${pathThrough([...upper, ...lower.reverse()])}z` });
  plot.inspect({
    count: low.length,
    nearest: (x) => nearestStart(upper, x),
    at: (i) => [plot.x(start(i)), plot.y(Math.abs(low[i]) > Math.abs(high[i]) ? low[i] : high[i])],
    lines: (i) => runLines({ low, high, run, features, axis }, i),
  });
  const [[lowName, least], [highName, most]] = component.extremes;
  const lowest = [`From ${numberText(least)} at `, html("bdi", {}, lowName)];
  const highest = [` to ${numberText(most)} at `, html("bdi", {}, highName), "."];
  host.append(html("p", { class: "extremes" }, ...lowest, ...highest));
}

function nearestStart(points, x) {
  let nearest = 0;
  points.forEach(([px], i) => {
    if (Math.abs(px - x) < Math.abs(points[nearest][0] - x)) nearest = i;
  });
  return nearest;
}

function runLines({ low, high, run, features, axis }, i) {
  const first = i * run + 1;
  const end = Math.min(first + run - 1, features);
  if (run === 1) return [axis ? numberText(axis[i]) : `Feature ${integerText(first)}`, numberText(low[i])];
  const title = axis ? `From ${numberText(axis[i])}` : `Features ${integerText(first)} to ${integerText(end)}`;
  return [title, `${numberText(low[i])} to ${numberText(high[i])}`];
}

