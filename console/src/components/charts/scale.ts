// Ticks and labels of chart axes.

const STEPS = [1, 2, 2.5, 5, 10];

/** Round values from `low` to at least `high`, about `count` of them. */
export function ticks(low: number, high: number, count: number, isWhole: boolean): number[] {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    power * (STEPS.find((one) => one * power >= rough * (1 - 1e-9)) ?? 10),
    isWhole ? 1 : 0,
  );
  const whole = isWhole ? Math.ceil(step) : step;
  const first = Math.floor(low / whole + 1e-9) * whole;
  const steps = Math.max(1, Math.ceil((high - first) / whole - 1e-9));
  // Multiplied instead of added up, to avoid rounding errors such as 0.1 + 0.2.
  return Array.from({ length: steps + 1 }, (_, n) => Number((first + n * whole).toPrecision(12)));
}

/** Every how many labels one is written, so that labels do not overlap. */
export function labelEvery(count: number, width: number, labelPx: number): number {
  const fits = Math.max(1, Math.floor(width / labelPx));
  return Math.max(1, Math.ceil(count / fits));
}
