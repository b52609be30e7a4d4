// One box for the values under the pointer.

const tooltip = html("div", { id: "tooltip", role: "status" });
tooltip.hidden = true;

/** Shows lines of text, the first one in bold, near a point of the window. */
function showTooltip(lines, clientX, clientY) {
  tooltip.replaceChildren(
    ...lines.map((line, i) => html("div", {}, html(i === 0 ? "strong" : "span", {}, html("bdi", {}, line)))),
  );
  tooltip.hidden = false;
  const gap = 12;
  const { width, height } = tooltip.getBoundingClientRect();
  const right = document.documentElement.clientWidth - gap;
  const left = clientX + gap + width <= right ? clientX + gap : clientX - gap - width;
  const top = clientY - gap - height >= 0 ? clientY - gap - height : clientY + gap;
  tooltip.style.left = `${Math.max(Math.min(left, right - width), gap / 2)}px`;
  tooltip.style.top = `${top}px`;
}

function hideTooltip() {
  tooltip.hidden = true;
}

