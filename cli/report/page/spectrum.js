// The variance of each component, and the sum of the shares.

const spectrumHeight = 260;

// Components are numbered from 1, each in the middle of a place of width 1.
function componentAxis(count) {
  return { low: 0.5, high: count + 0.5, integers: true, spacing: 40, title: "component" };
}

function nearestComponent(plot, count) {
  const place = (plot.right - plot.left) / count;
  return (x) => Math.min(Math.max(Math.floor((x - plot.left) / place), 0), count - 1);
}

function componentLines(data, sums, i) {
  return [
    `Component ${integerText(i + 1)}`,
    `variance ${numberText(data.variance[i])}`,
    `share ${percentText(data.share[i])}`,
    `first ${integerText(i + 1)}: ${percentText(sums[i])}`,
  ];
}

// Zero variances have no place on a logarithmic axis: their bars are empty.
function varianceAxis(variance, log) {
  const positive = variance.filter((value) => value > 0);
  const high = positive.length ? Math.max(...positive) : 1;
  if (!log || !positive.length) return { low: 0, high: 1.05 * high };
  const lowest = Math.floor(Math.log10(Math.min(...positive)) - 0.05);
  const highest = Math.ceil(Math.log10(high) + 0.05);
  return { log: true, low: 10 ** lowest, high: 10 ** highest };
}

function drawVariance(host, data, sums, log) {
  const { variance } = data;
  const count = variance.length;
  const plot = new Plot(host, {
    label: "Variance of each component",
    height: spectrumHeight,
    x: componentAxis(count),
    y: varianceAxis(variance, log),
  });
  const heightOf = (value) => plot.bottom - plot.y(Math.max(value, plot.yAxis.low));
  const width = Math.min((0.8 * (plot.right - plot.left)) / count, 60);
  const bars = variance.map((value, i) => {
    const height = heightOf(value).toFixed(1);
    return `M${(plot.x(i + 1) - width / 2).toFixed(2)} ${plot.bottom}v-${height}h${width.toFixed(2)}v${height}z`;
  });
  plot.add("path", { class: "bars", d: bars.join("") });
  plot.inspect({
    count,
    nearest: nearestComponent(plot, count),
    at: (i) => [plot.x(i + 1), plot.bottom - heightOf(variance[i])],
    lines: (i) => componentLines(data, sums, i),
  });
}

function drawCumulative(host, data, sums) {
  const count = sums.length;
  const plot = new Plot(host, {
    label: "Cumulative share of the variance",
    height: spectrumHeight,
    x: componentAxis(count),
    y: { low: 0, high: 1, percent: true },
  });
  const points = sums.map((sum, i) => [plot.x(i + 1), plot.y(Math.min(sum, 1))]);
  plot.add("path", { class: "line", d: pathThrough(points) });
  if (count <= 50) for (const [cx, cy] of points) plot.add("circle", { class: "dot", cx, cy, r: 3 });
  plot.inspect({
    count,
    nearest: nearestComponent(plot, count),
    at: (i) => points[i],
    lines: (i) => componentLines(data, sums, i),
  });
}

