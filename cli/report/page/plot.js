// A plot with two axes, as wide as its place in the page, whose points can be inspected.

// Mean width of a letter or digit of 12 pixels, to know the size of a text before it is drawn.
const letterWidth = 6.6;

/** Ticks of an axis in `room` pixels: where they are and what they say. */
function axisTicks(axis, room) {
  if (axis.log) return logTicks(axis, room);
  let step = roundStep(axis.high - axis.low, Math.max(room / axis.spacing, axis.least));
  if (axis.integers) step = Math.max(step, 1);
  const values = multiples(step, axis.low, axis.high);
  const texts = axis.percent ? values.map(percentText) : tickTexts(values, step);
  return values.map((value, i) => ({ value, text: texts[i] }));
}

// Every second tick, if the texts of all would run into each other.
function withRoom(ticks, room) {
  const widest = letterWidth * Math.max(...ticks.map((tick) => tick.text.length)) + 8;
  return ticks.length * widest <= room ? ticks : ticks.filter((_, i) => i % 2 === 0);
}

// Powers of ten, or every second, third ... of them if they are too many, or other round numbers if there is at most one.
function logTicks(axis, room) {
  const first = Math.ceil(Math.log10(axis.low) - 1e-9);
  const last = Math.floor(Math.log10(axis.high) + 1e-9);
  if (last <= first) return ticksNear(axis, first);
  const step = Math.max(1, Math.ceil((last - first) / (room / axis.spacing)));
  const ticks = [];
  for (let power = first; power <= last; power += step) ticks.push({ value: 10 ** power, text: powerText(power) });
  return ticks;
}

// Once, twice and five times a power of ten, or equal steps if even these are not two.
function ticksNear(axis, power) {
  const round = [power - 1, power].flatMap((p) => [1, 2, 5].map((factor) => factor * 10 ** p));
  const inside = round.filter((value) => value >= axis.low && value <= axis.high);
  if (inside.length > 1) return inside.map((value) => ({ value, text: numberText(value) }));
  const step = roundStep(axis.high - axis.low, axis.least);
  const values = multiples(step, axis.low, axis.high);
  const texts = tickTexts(values, step);
  return values.map((value, i) => ({ value, text: texts[i] }));
}

function powerText(power) {
  return Math.abs(power) > 4 ? powerOfTen(power) : (10 ** power).toLocaleString("en", { maximumFractionDigits: 4 });
}

/**
 * Axes: low, high, and optionally title, log, percent, integers. Positions are in pixels of the SVG, which keeps its
 * shape if the page is scaled for print.
 */
class Plot {
  constructor(host, { label, height, x, y }) {
    this.host = host;
    this.xAxis = { spacing: 64, least: 5, ...x };
    this.yAxis = { spacing: 36, least: 5, ...y };
    this.width = Math.max(host.clientWidth, 160);
    this.height = height;
    this.top = y.title ? 26 : 10;
    this.bottom = height - (x.title ? 40 : 24);
    const yTicks = axisTicks(this.yAxis, this.bottom - this.top);
    this.left = 12 + letterWidth * Math.max(...yTicks.map((tick) => tick.text.length));
    this.right = this.width - 10;
    this.svg = svg("svg", { viewBox: `0 0 ${this.width} ${height}`, role: "img", "aria-label": label });
    this.drawAxes(withRoom(axisTicks(this.xAxis, this.right - this.left), this.right - this.left), yTicks);
    host.replaceChildren(this.svg);
  }

  x(value) {
    return this.left + (this.right - this.left) * positionOn(this.xAxis, value);
  }

  y(value) {
    return this.bottom - (this.bottom - this.top) * positionOn(this.yAxis, value);
  }

  add(tag, attributes) {
    const element = svg(tag, attributes);
    this.svg.append(element);
    return element;
  }

  drawAxes(xTicks, yTicks) {
    const { left, right, top, bottom } = this;
    const lines = yTicks.map((tick) => `M${left} ${this.y(tick.value).toFixed(1)}H${right}`);
    this.add("path", { class: "grid", d: lines.join("") || "M0 0" });
    const marks = xTicks.map((tick) => `M${this.x(tick.value).toFixed(1)} ${bottom}v4`);
    this.add("path", { class: "axis", d: `M${left} ${bottom}H${right}${marks.join("")}` });
    for (const tick of yTicks) this.text(left - 6, this.y(tick.value) + 4, "end", tick.text);
    for (const tick of xTicks) this.text(this.x(tick.value), bottom + 17, "middle", tick.text);
    if (this.xAxis.title) this.text(right, this.height - 6, "end", this.xAxis.title);
    if (this.yAxis.title) this.text(2, 13, "start", this.yAxis.title);
  }

  // Text near an edge moves inwards, so that it is not cut off.
  text(x, y, anchor, content) {
    const half = (letterWidth / 2) * content.length;
    const inside = anchor === "middle" ? Math.min(Math.max(x, half), this.width - half) : x;
    this.svg.append(svg("text", { x: inside.toFixed(1), y: y.toFixed(1), "text-anchor": anchor }, content));
  }

  /**
   * Lets the pointer and the arrow keys inspect `count` points. `nearest(x, y)` returns the number of the point at a
   * position of the pointer, or -1; `at(i)` its position in the plot; `lines(i)` what to say about it. `chosen(i)` is
   * called when a point is inspected, and `chosen(-1)` when it no longer is; a finger that is lifted leaves it chosen.
   */
  inspect({ count, nearest, at, lines, chosen = () => {} }) {
    let current = -1;
    let touched = false; // whether the last inspection was by a finger
    const mark = this.add("circle", { class: "mark", r: 5 });
    const scale = () => this.svg.getBoundingClientRect().width / this.width;
    const leave = () => {
      current = -1;
      mark.classList.remove("shown");
      hideTooltip();
      if (!touched) chosen(-1);
    };
    const go = (i) => {
      if (i < 0) return leave();
      current = i;
      const [x, y] = at(i);
      mark.setAttribute("cx", x);
      mark.setAttribute("cy", y);
      mark.classList.add("shown");
      chosen(i);
      const box = this.svg.getBoundingClientRect();
      return showTooltip(lines(i), box.left + x * scale(), box.top + y * scale());
    };
    const point = (event) => {
      touched = event.pointerType === "touch";
      const box = this.svg.getBoundingClientRect();
      go(nearest((event.clientX - box.left) / scale(), (event.clientY - box.top) / scale()));
    };
    this.svg.setAttribute("tabindex", "0");
    this.svg.addEventListener("pointermove", point);
    this.svg.addEventListener("pointerdown", point);
    this.svg.addEventListener("pointerleave", leave);
    this.svg.addEventListener("blur", leave);
    this.svg.addEventListener("keydown", (event) => {
      const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") {
        touched = false;
        leave();
      }
      if (move === undefined) return;
      event.preventDefault();
      touched = false;
      go(Math.min(Math.max(current + move, 0), count - 1));
    });
  }
}

// Between 0 at the low end of an axis and 1 at the high end.
function positionOn(axis, value) {
  const along = axis.log ? Math.log10 : (number) => number;
  const span = along(axis.high) - along(axis.low);
  return (along(value) - along(axis.low)) / span;
}

/** A path through points given as [x, y]. */
function pathThrough(points) {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** Ends of an axis that cover `values` and a margin around them. */
function axisAround(values) {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const margin = 0.05 * (high - low) || Math.abs(high) || 1;
  return { low: low - margin, high: high + margin };
}

