// Numbers as text, and round numbers for the ticks of an axis.

function withMinus(text) {
  return text.replace("-", "\u2212");
}

function powerOfTen(exponent) {
  return `10${[...String(exponent)].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("")}`;
}

/** Four significant digits. */
function numberText(value) {
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e6)) {
    const [mantissa, exponent] = value.toExponential(3).split("e").map(Number);
    return `${withMinus(String(mantissa))}×${powerOfTen(exponent)}`;
  }
  return withMinus(value.toLocaleString("en", { maximumSignificantDigits: 4 }));
}

/** Decimals that show a value of size `largest` with three significant digits. */
function decimalsFor(largest) {
  return Math.min(Math.max(2 - Math.floor(Math.log10(largest)), 0), 20);
}

/** A fixed number of decimals; zero without any. */
function fixedText(value, decimals) {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? "0" : withMinus(text);
}

function integerText(value) {
  return withMinus(value.toLocaleString("en"));
}

/** A part of the whole as a percentage with three significant digits. */
function percentText(part) {
  return `${Number((100 * part).toPrecision(3))}\u00a0%`;
}

/** The least of 1, 2 or 5 times a power of ten that divides `span` into at most `most` steps. */
function roundStep(span, most) {
  const least = (span / Math.max(most, 1)) * (1 - 1e-9);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
}

/** The multiples of `step` between `low` and `high`. */
function multiples(step, low, high) {
  const values = [];
  const slack = 1e-9;
  const last = Math.floor(high / step + slack);
  for (let i = Math.ceil(low / step - slack); i <= last; ++i) values.push(i === 0 ? 0 : i * step);
  return values;
}

// The exponent of the power of ten that is not above `value`, up to rounding.
function exponentOf(value) {
  return Math.floor(Math.log10(value) + 1e-9);
}

/** Texts of ticks that are `step` apart, with as many decimals as the step needs, and a common power of ten. */
function tickTexts(values, step) {
  const largest = Math.max(...values.map(Math.abs));
  const common = largest >= 1e6 || (largest > 0 && step < 1e-4) ? exponentOf(largest) : 0;
  const digits = Math.max(0, common - exponentOf(step));
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return values.map((value) => {
    const text = withMinus((value / 10 ** common).toLocaleString("en", format));
    if (value === 0) return "0";
    return common === 0 ? text : `${text}×${powerOfTen(common)}`;
  });
}

