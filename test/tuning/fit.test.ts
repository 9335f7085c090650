import { type Test, test } from 'tap';
import { random } from '../../src/base/index.js';
import { type Costs, decodeTime, waveTime } from '../../src/tuning/simulation/cost-model.js';
import { fitCosts } from '../../src/tuning/speed/fit-costs.js';
import { nonNegativeLeastSquares } from '../../src/tuning/speed/least-squares.js';
import { decodeCases, timeDecodes } from '../../src/tuning/speed/time-decodes.js';
import { openTiny } from '../support/engine.js';
import { noise, syntheticAddon, VirtualClock } from '../support/synthetic-machine.js';

const BOUNDS = {
  cells: 8_192,
  waveTokens: 2_048,
  microBatchTokens: 2_048,
  microBatchTokensMin: 0,
  sequences: 64,
};

/** A device whose weights take 11 ms, like those of an H100 in docs/performance.md. */
const DEVICE: Costs = {
  decodeMs: 11,
  ranges: [
    { upTo: 32, tokenMs: 0.08 },
    { upTo: 128, tokenMs: 0.03 },
    { upTo: 256, tokenMs: 0.04 },
    { upTo: 512, tokenMs: 0.05 },
    { upTo: Number.POSITIVE_INFINITY, tokenMs: 0.06 },
  ],
  tokenCellMs: 4e-6,
  cellStep: 256,
  freeCellsPerToken: 2,
  visibleMs: 2e-6,
  rowMs: 0.03,
  hostDecodeMs: 0,
  hostTokenMs: 0,
};

/** Fits what is measured on a synthetic device. */
function fitted(t: Test, costs: Costs, factor: () => number) {
  const clock = new VirtualClock();
  const model = openTiny(t.testdir(), { layers: 2, globalEvery: 2 });
  const context = syntheticAddon({ costs, clock, factor }).createContext(model.handle, {} as never);
  const decodes = timeDecodes(context, decodeCases(BOUNDS), { step: 2_048, ms: 60_000, clock });
  return { decodes, ...fitCosts(decodes, []) };
}

test('the constants of a synthetic device are found exactly without noise', (t) => {
  const { costs, error, spread, decodes } = fitted(t, DEVICE, () => 1);
  t.ok(decodes.length >= 35 && decodes.length <= 55, `${decodes.length} decodes`);
  near(t, costs, DEVICE, 1e-6);
  t.ok(error.largest < 1e-6);
  t.ok(spread.largest < 1 + 1e-9);
  t.end();
});

test('with noise of 30 % the constants are found within a few per cent, and so are the times of decodes', (t) => {
  const { costs, spread, error } = fitted(t, DEVICE, noise(1, 1.3));
  t.ok(Math.abs(costs.decodeMs / DEVICE.decodeMs - 1) < 0.05, `${costs.decodeMs}`);
  t.ok(Math.abs(costs.rowMs / DEVICE.rowMs - 1) < 0.1, `${costs.rowMs}`);
  const last = costs.ranges.at(-1)?.tokenMs ?? 0;
  t.ok(Math.abs(last / 0.06 - 1) < 0.05, `${last}`);
  for (const size of [
    { tokens: 100, cells: 512, visible: 5_050, rows: 4 },
    { tokens: 700, cells: 2_000, visible: 500_000, rows: 16 },
    { tokens: 2_048, cells: 8_000, visible: 2_100_000, rows: 64 },
  ]) {
    const ratio = decodeTime(costs, size) / decodeTime(DEVICE, size);
    t.ok(Math.abs(ratio - 1) < 0.05, `${size.tokens} tokens: ${ratio}`);
  }
  t.ok(spread.usual > 1.1 && spread.largest <= 1.3);
  t.ok(error.largest < 0.1);
  t.end();
});

test('a device that scans nothing has no such constant, and none is negative', (t) => {
  const { costs } = fitted(t, { ...DEVICE, tokenCellMs: 0, rowMs: 0, decodeMs: 0 }, noise(2, 1.1));
  const all = [
    costs.decodeMs,
    costs.tokenCellMs,
    costs.visibleMs,
    costs.rowMs,
    ...costs.ranges.map((each) => each.tokenMs),
  ];
  t.ok(all.every((value) => value >= 0));
  t.ok(costs.tokenCellMs < 4e-7, `${costs.tokenCellMs}`);
  t.ok(costs.rowMs < 3e-3, `${costs.rowMs}`);
  t.end();
});

test('host times are fitted per decode and per token', (t) => {
  const waves = [1, 2, 5, 9].map((decodes) => {
    const tokens = decodes * decodes * 100;
    return { decodes, tokens, hostMs: [2 * decodes + 0.01 * tokens, 1e3] };
  });
  const { costs } = fitCosts([{ tokens: 1, cells: 1, visible: 1, rows: 1, ms: [1] }], waves);
  t.ok(Math.abs(costs.hostDecodeMs - 2) < 1e-6 && Math.abs(costs.hostTokenMs - 0.01) < 1e-8);
  t.end();
});

test('least squares: exact solutions, and zeros in place of negative ones', (t) => {
  const rows = [
    [1, 0],
    [1, 1],
    [1, 2],
  ];
  near(t, nonNegativeLeastSquares(rows, [1, 3, 5]), [1, 2], 1e-9);
  // Without the bound, the slope would be −1.
  near(t, nonNegativeLeastSquares(rows, [3, 2, 1]), [2, 0], 1e-9);
  near(t, nonNegativeLeastSquares([[0, 2]], [4]), [0, 2], 1e-9);
  t.strictSame(nonNegativeLeastSquares([], []), []);
  // Random systems: no coordinate can be moved to a better place.
  const source = random(5);
  for (let time = 0; time < 50; time++) {
    const a = Array.from({ length: 12 }, () => Array.from({ length: 5 }, () => source.number()));
    const b = a.map(() => source.number() * 4 - 1);
    const x = nonNegativeLeastSquares(a, b);
    const error = (of: readonly number[]) =>
      a.reduce(
        (sum, row, i) =>
          sum + (row.reduce((s, v, j) => s + v * (of[j] as number), 0) - (b[i] as number)) ** 2,
        0,
      );
    for (const [j, value] of x.entries()) {
      for (const step of [1e-4, -1e-4]) {
        const moved = x.with(j, Math.max(0, value + step));
        t.ok(error(moved) >= error(x) - 1e-9);
      }
    }
  }
  t.end();
});

test('the cost of a wave: its decodes with padding, rows, own cells, and images', (t) => {
  const bounds = {
    cells: 1_000,
    waveTokens: 128,
    microBatchTokens: 128,
    microBatchTokensMin: 64,
    sequences: 8,
  };
  const stream = (length: number, position: number, options?: Int32Array) => ({
    tokens: new Int32Array(length),
    position,
    sequences: [0],
    ...(options && { options }),
  });
  const task = {
    clear: false,
    images: [],
    removals: [],
    phases: [
      { removals: [], copies: [], streams: [stream(100, 0), stream(50, 0, Int32Array.of(1))] },
      { removals: [], copies: [], streams: [stream(10, 100, Int32Array.of(1))] },
    ],
  };
  const wave = { task, cells: 300, cost: 165 } as unknown as Parameters<typeof waveTime>[2];
  const costs: Costs = {
    decodeMs: 1_000,
    ranges: [{ upTo: Number.POSITIVE_INFINITY, tokenMs: 1 }],
    tokenCellMs: 0,
    cellStep: 1,
    freeCellsPerToken: 0,
    visibleMs: 0,
    rowMs: 0.25,
    hostDecodeMs: 10,
    hostTokenMs: 0.5,
  };
  // Three decodes, of 128, 22 padded to 64, and 10 padded to 64 tokens; 5 tokens stand for an image.
  const { host, device } = waveTime(costs, bounds, wave);
  t.equal(host, 3 * 10 + 0.5 * (128 + 64 + 64));
  t.equal(device, 3_000 + (128 + 64 + 64) + 5 + 2 * 0.25);
  const cells = waveTime(
    { ...costs, decodeMs: 0, ranges: [], rowMs: 0, tokenCellMs: 1, cellStep: 256 },
    bounds,
    wave,
  );
  t.equal(cells.device, (128 + 64 + 64) * 512);
  const visible = waveTime({ ...costs, decodeMs: 0, ranges: [], rowMs: 0, visibleMs: 1 }, bounds, wave);
  t.equal(visible.device, 5_050 + 1_275 + (10 * 100 + 55));
  t.end();
});

function near(
  t: { ok(value: boolean, text: string): void },
  found: unknown,
  expected: unknown,
  tolerance: number,
): void {
  const numbers = (value: unknown): number[] =>
    typeof value === 'number' ? [value] : Object.values(value as object).flatMap(numbers);
  const [a, b] = [numbers(found), numbers(expected)];
  const far = a.findIndex((value, at) => {
    const goal = b[at] as number;
    return value !== goal && Math.abs(value - goal) > tolerance * Math.max(1e-9, Math.abs(goal));
  });
  t.ok(a.length === b.length && far < 0, `${a.join(' ')} against ${b.join(' ')}`);
}
