// Loadings of features without an order: a name, a bar and a number each. Long names are cut by the style.

function drawLoadingBars(host, features) {
  const values = features.map(([, value]) => value);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const decimals = decimalsFor(Math.max(-low, high) || 1);
  const percentOf = (size) => `${(100 * size) / (high - low || 1)}%`;
  const rows = features.map(([name, value]) => {
    const origin = html("span", { class: "origin" });
    const bar = html("span", { class: value < 0 ? "bar negative" : "bar" });
    origin.style.left = percentOf(-low);
    bar.style.left = percentOf(Math.min(value, 0) - low);
    bar.style.width = percentOf(Math.abs(value));
    return loadingRow(name, value, fixedText(value, decimals), [origin, bar]);
  });
  host.replaceChildren(html("div", { class: "loading-bars", role: "list" }, ...rows));
}

function loadingRow(name, value, text, marks) {
  const row = html(
    "div",
    { class: "loading", role: "listitem" },
    html("span", { class: "name" }, html("bdi", {}, name)),
    html("span", { class: "track" }, ...marks),
    html("span", { class: "value" }, text),
  );
  const point = (event) => showTooltip([name, numberText(value)], event.clientX, event.clientY);
  row.addEventListener("pointermove", point);
  row.addEventListener("pointerdown", point);
  row.addEventListener("pointerleave", hideTooltip);
  return row;
}

