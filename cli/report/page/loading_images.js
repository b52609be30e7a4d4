// Loadings of features that are pixels. Colours fade to transparent at zero, so that images suit every background.

function drawLoadingImage(host, pixels, { height, width, side }, number) {
  const columns = Math.ceil(width / side);
  const rows = Math.ceil(height / side);
  const label = `Loadings of component ${number}`;
  const canvas = html("canvas", { width: columns, height: rows, role: "img", "aria-label": label });
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const largest = pixels.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  pixels.forEach((value, i) => {
    const [red, green, blue] = value < 0 ? [214, 48, 60] : [38, 110, 204];
    image.data.set([red, green, blue, Math.round((255 * Math.abs(value)) / largest)], 4 * i);
  });
  context.putImageData(image, 0, 0);
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const at = (position, size, count) => Math.min(Math.max(Math.floor((position * count) / size), 0), count - 1);
    const row = at(event.clientY - box.top, box.height, rows);
    const column = at(event.clientX - box.left, box.width, columns);
    const place = `row ${row * side + 1}, column ${column * side + 1}`;
    const title = side === 1 ? `Pixel in ${place}` : `${side} x ${side} pixels from ${place}`;
    showTooltip([title, numberText(pixels[row * columns + column])], event.clientX, event.clientY);
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointerleave", hideTooltip);
  host.replaceChildren(canvas);
}

