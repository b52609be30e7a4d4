// Draws everything, and draws a plot again when its width changes.

const data = JSON.parse(document.getElementById("data").textContent);

function drawAtEveryWidth(host, draw) {
  let width = -1;
  new ResizeObserver(() => {
    if (host.clientWidth === width || host.clientWidth === 0) return;
    width = host.clientWidth;
    draw(host);
  }).observe(host);
}

function showSpectrum() {
  let sum = 0;
  const sums = data.share.map((share) => (sum += share));
  const button = document.getElementById("log");
  const host = document.getElementById("variance");
  const drawBars = () => drawVariance(host, data, sums, button.getAttribute("aria-pressed") === "true");
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    drawBars();
  });
  drawAtEveryWidth(host, drawBars);
  drawAtEveryWidth(document.getElementById("cumulative"), (place) => drawCumulative(place, data, sums));
}

function showLoadings() {
  const { loadings } = data;
  document.querySelectorAll(".loadings > div").forEach((host, i) => {
    const component = loadings.components[i];
    if (loadings.form === "bars") drawLoadingBars(host, component);
    else if (loadings.form === "images") drawLoadingImage(host, component, loadings, i + 1);
    else drawAtEveryWidth(host, () => drawLoadingLine(host, component, loadings, i + 1));
  });
}

document.body.append(tooltip);
window.addEventListener("scroll", hideTooltip, { passive: true });
showSpectrum();
if (data.scores) drawAtEveryWidth(document.getElementById("scores"), (host) => drawScores(host, data));
showLoadings();
