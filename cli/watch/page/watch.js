// The page of roipca watch: it listens to the stream of events, keeps the last of what came, and draws it.

const most = { buckets: 1200, points: 400 };
const known = { buckets: [], points: [], spectra: [], alarms: [] };
let facts = {};
let selected = null; // the bucket whose contributions are shown; null for the last one that is far out
let paused = false;
let connected = false;

const query = location.search;
const place = (id) => document.getElementById(id);

function figure(title, id, ...more) {
  return html("figure", more.includes("wide") ? { class: "wide" } : {},
    html("figcaption", {}, html("div", { id: `${id}-title` }, title), html("span", { id: `${id}-note` })),
    html("div", { id, class: "chart" }));
}

function tile(label, id) {
  return html("div", { class: "tile" }, html("dt", {}, label), html("dd", { id }, "–"));
}

function build() {
  const pause = html("button", { type: "button", id: "pause", "aria-pressed": "false" }, "pause");
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "resume" : "pause";
    draw();
  });
  document.querySelector("main").append(
    html("div", { class: "top" },
      html("h1", {}, html("bdi", { id: "title" }, "roipca watch")),
      html("div", {}, html("span", { class: "state", id: "state", role: "status" }, "connecting"), " ", pause)),
    html("dl", { class: "tiles" },
      tile("rows", "rows"), tile("rows per second", "rate"), tile("rows learned", "learned"),
      tile("rows beyond a limit", "beyond"), tile("alarms", "count"), tile("changes", "changes"),
      tile("bad rows skipped", "skipped")),
    html("div", { class: "pair" },
      figure("T², within the components", "t2", "wide"),
      figure("SPE, outside of the components", "spe", "wide"),
      figure("Contributions", "parts"),
      figure("Scores", "scores"),
      figure("Shares of the variance over time", "spectrum"),
      html("figure", {},
        html("figcaption", {}, "Alarms",
          html("span", {}, html("a", { href: `alarms.csv${query}`, download: "alarms.csv" }, "download"))),
        html("div", { id: "log" }))),
    tooltip);
}

// Rows that came twice, because a page was opened while they were sent, are left out.
function append(list, news, limit, number) {
  const last = list.length > 0 ? number(list[list.length - 1]) : -1;
  list.push(...news.filter((entry) => number(entry) > last));
  if (list.length > limit) list.splice(0, list.length - limit);
}

function take(data, isAll) {
  if (isAll) {
    // A stream that began anew has smaller numbers.
    Object.assign(known, { buckets: [], points: [], spectra: [], alarms: [] });
    selected = null;
    document.title = `${data.title} – roipca watch`;
    place("title").textContent = data.title;
    facts = { confidence: data.confidence };
  }
  append(known.buckets, data.buckets, most.buckets, (bucket) => bucket.first);
  append(known.points, data.points, most.points, (point) => point[2]);
  if (data.spectra) known.spectra = data.spectra;
  for (const alarm of data.alarms ?? []) {
    const at = known.alarms.findIndex((other) => other.number === alarm.number);
    if (at < 0) known.alarms.push(alarm);
    else known.alarms[at] = alarm;
  }
  facts = { ...facts, ...data };
  if (!paused) draw();
}

function draw() {
  drawState();
  if (document.hidden) return;
  drawChart("t2", "T²");
  drawChart("spe", "SPE");
  drawParts();
  drawPoints();
  drawShares();
  drawLog();
}

function drawState() {
  const state = place("state");
  const text = !connected ? "no connection" : paused ? "paused" : facts.alarm ? "ALARM" : facts.status;
  state.textContent = text;
  state.classList.toggle("alarm", text === "ALARM");
  const texts = {
    rows: integerText(facts.rows ?? 0),
    rate: integerText(Math.round(facts.rate ?? 0)),
    learned: integerText(facts.learned ?? 0),
    changes: facts.changes > 0 ? `${integerText(facts.changes)}, at row ${integerText(facts.changeRow)}` : "0",
    beyond: facts.rows > 0 ? percentText(facts.beyond / facts.rows) : "–",
    count: integerText(known.alarms.length > 0 ? known.alarms[known.alarms.length - 1].number : 0),
    skipped: integerText(facts.skipped ?? 0),
  };
  for (const [id, value] of Object.entries(texts)) if (place(id).textContent !== value) place(id).textContent = value;
}

function drawChart(id, name) {
  const buckets = known.buckets.filter((bucket) => bucket[id] > 0);
  const host = place(id);
  if (buckets.length < 2) return host.replaceChildren();
  const values = buckets.map((bucket) => bucket[id]);
  const limits = buckets.map((bucket) => bucket[`${id}Limit`]);
  const all = [...values, ...limits.filter((limit) => limit > 0)];
  const high = all.reduce((a, b) => Math.max(a, b));
  // What is far below the limit tells nothing.
  const low = Math.max(all.reduce((a, b) => Math.min(a, b)), high * 1e-6);
  const plot = new Plot(host, {
    label: `Control chart of ${name}`,
    height: 190,
    x: { low: buckets[0].last, high: Math.max(buckets[buckets.length - 1].last, buckets[0].last + 1), integers: true, title: "row" },
    y: { low: low / 1.3, high: high * 1.5, log: true },
  });
  const at = buckets.map((bucket, i) => [plot.x(bucket.last), plot.y(Math.max(values[i], low))]);
  for (const [from, to] of runsOf(buckets, (bucket) => bucket.alarm)) {
    const left = at[Math.max(from - 1, 0)][0];
    const width = Math.max(at[to][0] - left, 2);
    plot.add("rect", { class: "alarm-time", x: left.toFixed(1), y: plot.top, width: width.toFixed(1), height: plot.bottom - plot.top });
  }
  plot.add("path", { class: "line thin", d: pathThrough(at) });
  const limited = buckets.map((bucket, i) => [plot.x(bucket.last), limits[i]]).filter(([, limit]) => limit > 0);
  if (limited.length > 1) {
    plot.add("path", { class: "limit", d: pathThrough(limited.map(([x, limit]) => [x, plot.y(limit)])) });
  }
  const over = at.filter((_, i) => limits[i] > 0 && values[i] > limits[i]);
  plot.add("path", { class: "over", d: over.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("") || "M0 0" });
  if (selected) {
    const x = plot.x(selected.last).toFixed(1);
    plot.add("path", { class: "selected", d: `M${x} ${plot.top}V${plot.bottom}` });
  }
  const last = buckets[buckets.length - 1];
  const many = buckets.some((bucket) => bucket.last > bucket.first);
  const limitText = last[`${id}Limit`] > 0 ? `${confidenceText()} limit ${numberText(last[`${id}Limit`])}` : "warming up";
  place(`${id}-note`).textContent = many ? `each point: the largest of some rows, ${limitText}` : limitText;
  const nearest = (x) => {
    let best = 0;
    at.forEach(([px], i) => { if (Math.abs(px - x) < Math.abs(at[best][0] - x)) best = i; });
    return best;
  };
  plot.inspect({
    count: buckets.length,
    nearest,
    at: (i) => at[i],
    lines: (i) => [
      buckets[i].first === buckets[i].last
        ? `Row ${integerText(buckets[i].first)}`
        : `Rows ${integerText(buckets[i].first)} to ${integerText(buckets[i].last)}`,
      ...(facts.idName ? [`${facts.idName}: ${rangeText(buckets[i].ids)}`] : []),
      `${name} up to ${numberText(values[i])}`,
      ...(limits[i] > 0 ? [`limit ${numberText(limits[i])}`, `${integerText(buckets[i].beyond)} beyond a limit`] : []),
    ],
    chosen: (i) => select(buckets[i] ?? null),
  });
}

// The first and the last place of each run of entries for which `holds`.
function runsOf(list, holds) {
  const runs = [];
  list.forEach((entry, i) => {
    if (!holds(entry)) return;
    if (runs.length > 0 && runs[runs.length - 1][1] === i - 1) runs[runs.length - 1][1] = i;
    else runs.push([i, i]);
  });
  return runs;
}

// The ids of the first and the last row, or one if they are the same.
function rangeText([first, last]) {
  return first === last ? first : `${first} – ${last}`;
}

function confidenceText() {
  return `${Number((100 * facts.confidence).toPrecision(8))}\u00a0%`;
}

function select(bucket) {
  selected = bucket;
  drawParts();
}

// The last bucket beyond a limit, or the last one.
function latest() {
  for (let i = known.buckets.length - 1; i >= 0; --i) if (known.buckets[i].beyond > 0) return known.buckets[i];
  return known.buckets[known.buckets.length - 1];
}

function drawParts() {
  const bucket = selected ?? latest();
  const host = place("parts");
  if (!bucket || bucket.parts.length === 0) return host.replaceChildren();
  place("parts-title").textContent = `Contributions to ${bucket.of}`;
  place("parts-note").textContent = `row ${integerText(bucket.row)}${facts.idName ? `, ${facts.idName} ${bucket.id}` : ""}`;
  const largest = Math.max(...bucket.parts.map(([, value]) => Math.abs(value)), Number.MIN_VALUE);
  const least = Math.min(...bucket.parts.map(([, value]) => value), 0);
  const span = largest - least;
  const list = html("div", { class: "loading-bars" });
  for (const [name, value] of bucket.parts) {
    const bar = html("div", { class: value < 0 ? "bar negative" : "bar" });
    bar.style.left = `${(100 * (Math.min(value, 0) - least)) / span}%`;
    bar.style.width = `${(100 * Math.abs(value)) / span}%`;
    list.append(html("div", { class: "loading" },
      html("bdi", { class: "name" }, name),
      html("div", { class: "track" }, bar),
      html("div", { class: "value" }, numberText(value))));
  }
  return host.replaceChildren(list);
}

function drawPoints() {
  const host = place("scores");
  if (known.points.length < 2) return host.replaceChildren();
  const [rx, ry] = facts.ellipse?.length === 2 ? facts.ellipse : [0, 0];
  const xs = known.points.map((point) => point[0]);
  const ys = known.points.map((point) => point[1]);
  const plot = new Plot(host, {
    label: "Scores on the first two components",
    height: 260,
    x: axisAround([...xs, -rx, rx]),
    y: axisAround([...ys, -ry, ry]),
  });
  const at = known.points.map((point) => [plot.x(point[0]), plot.y(point[1])]);
  const path = (beyond) =>
    at.filter((_, i) => known.points[i][3] === beyond).map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("");
  plot.add("path", { class: "points", d: path(false) || "M0 0" });
  plot.add("path", { class: "over", d: path(true) || "M0 0" });
  if (rx > 0 && ry > 0) {
    plot.add("ellipse", {
      class: "ellipse", cx: plot.x(0), cy: plot.y(0), rx: plot.x(rx) - plot.x(0), ry: plot.y(0) - plot.y(ry),
    });
  }
  place("scores-note").textContent = `some of the last rows, ${confidenceText()} ellipse`;
  return plot.inspect({
    count: at.length,
    nearest: (x, y) => nearestPoint(at, x, y),
    at: (i) => at[i],
    lines: (i) => [
      `Row ${integerText(known.points[i][2])}`,
      ...(facts.idName ? [`${facts.idName}: ${known.points[i][4]}`] : []),
      numberText(xs[i]),
      numberText(ys[i]),
    ],
  });
}

function drawShares() {
  const host = place("spectrum");
  const spectra = known.spectra.filter(([, shares]) => shares[0] > 0); // a single row has no variance
  if (spectra.length < 2) return host.replaceChildren();
  const rows = spectra.map(([row]) => row);
  const plot = new Plot(host, {
    label: "Share of the variance of each component over time",
    height: 260,
    x: { low: rows[0], high: Math.max(rows[rows.length - 1], rows[0] + 1), integers: true, title: "row" },
    y: { low: 0, high: Math.max(...spectra.map(([, shares]) => shares[0])) * 1.05 || 1, percent: true },
  });
  const count = Math.min(...spectra.map(([, shares]) => shares.length));
  for (let j = 0; j < count; ++j) {
    const at = spectra.map(([row, shares]) => [plot.x(row), plot.y(shares[j])]);
    plot.add("path", { class: "line thin", d: pathThrough(at) });
    // Above the line, unless the one above it is too near.
    const [x, y] = at[at.length - 1];
    if (j === 0 || y - plot.y(spectra[spectra.length - 1][1][j - 1]) > 16) plot.text(x - 2, y - 4, "end", String(j + 1));
  }
  const last = spectra[spectra.length - 1][1];
  place("spectrum-note").textContent = `now ${last.slice(0, 3).map(percentText).join(", ")}`;
}

function drawLog() {
  const host = place("log");
  const shown = known.alarms.slice(-50).reverse();
  if (shown.length === 0) return host.replaceChildren(html("p", { class: "note" }, "None so far."));
  const names = ["times limit", "rows", ...(facts.idName ? [facts.idName] : []), "began, UTC", "features"];
  const head = names.map((text) => html("th", {}, html("bdi", {}, text)));
  const lines = shown.map((alarm) =>
    html("tr", alarm.open ? { class: "open" } : {},
      html("td", {}, `${alarm.of}${alarm.times ? ` ×${Number(alarm.times.toPrecision(2))}` : ""}`),
      html("td", {}, alarm.open ? `${integerText(alarm.first)} –` : `${integerText(alarm.first)} – ${integerText(alarm.last)}`),
      ...(facts.idName ? [html("td", {}, html("bdi", {}, alarm.open ? `${alarm.ids[0]} –` : rangeText(alarm.ids)))] : []),
      html("td", {}, alarm.begin.slice(11, 19)),
      html("td", {}, html("bdi", {}, alarm.features.join(", ")))));
  return host.replaceChildren(html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...lines)));
}

function listen() {
  const events = new EventSource(`events${query}`);
  events.addEventListener("open", () => { connected = true; });
  events.addEventListener("error", () => {
    connected = false;
    drawState();
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
  for (const name of ["all", "news"]) {
    events.addEventListener(name, (event) => {
      connected = true;
      take(JSON.parse(event.data), name === "all");
    });
  }
}

build();
// A touch beside the charts shows the latest contributions again.
document.addEventListener("pointerdown", (event) => {
  if (event.pointerType === "touch" && !event.target.closest("#t2, #spe")) select(null);
});
new ResizeObserver(() => { if (known.buckets.length > 0) draw(); }).observe(document.querySelector("main"));
listen();
