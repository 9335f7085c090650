/** Solutions whose gradient is below this are optimal; the columns are scaled to length 1. */
const TOLERANCE = 1e-10;

/**
 * The x ≥ 0 that minimizes |A x − b|², by the active-set method of Lawson and Hanson ("Solving Least Squares Problems",
 * 1974, chapter 23). `rows`: A, row by row. Columns of zeros get 0.
 */
export function nonNegativeLeastSquares(
  rows: readonly (readonly number[])[],
  b: readonly number[],
): number[] {
  const columns = rows[0]?.length ?? 0;
  const lengths = Array.from({ length: columns }, (_, j) =>
    Math.hypot(...rows.map((row) => row[j] as number)),
  );
  const scaled = rows.map((row) =>
    row.map((value, j) => (lengths[j] === 0 ? 0 : value / (lengths[j] as number))),
  );
  const free = new Set<number>();
  let x = new Array<number>(columns).fill(0);
  for (let step = 0; step < 3 * columns; step++) {
    const next = steepest(scaled, b, x, free);
    if (next < 0) break;
    free.add(next);
    x = settle(scaled, b, x, free);
  }
  return x.map((value, j) => (lengths[j] === 0 ? 0 : value / (lengths[j] as number)));
}

/** The column outside the set whose increase reduces the error most; -1 if none does. */
function steepest(
  rows: readonly (readonly number[])[],
  b: readonly number[],
  x: readonly number[],
  free: ReadonlySet<number>,
): number {
  const residual = rows.map((row, i) => (b[i] as number) - dot(row, x));
  const gradient = x.map((_, j) =>
    rows.reduce((sum, row, i) => sum + (row[j] as number) * (residual[i] as number), 0),
  );
  let best = -1;
  for (const [j, value] of gradient.entries()) {
    if (!free.has(j) && value > TOLERANCE && (best < 0 || value > (gradient[best] as number))) best = j;
  }
  return best;
}

/** The least squares over the columns in the set; those that would be negative leave it. */
function settle(
  rows: readonly (readonly number[])[],
  b: readonly number[],
  before: readonly number[],
  free: Set<number>,
): number[] {
  let x = [...before];
  for (;;) {
    const solution = solveOver(rows, b, [...free], x.length);
    const negative = [...free].filter((j) => (solution[j] as number) <= 0);
    if (negative.length === 0) return solution;
    const part = Math.min(
      ...negative.map(
        (j) => (x[j] as number) / ((x[j] as number) - (solution[j] as number) || Number.MIN_VALUE),
      ),
    );
    x = x.map((value, j) => (free.has(j) ? value + part * ((solution[j] as number) - value) : 0));
    for (const j of [...free]) if ((x[j] as number) <= TOLERANCE) free.delete(j);
    x = x.map((value, j) => (free.has(j) ? value : 0));
  }
}

/** The least squares over some columns, by the normal equations and Gaussian elimination; 0 for the others. */
function solveOver(
  rows: readonly (readonly number[])[],
  b: readonly number[],
  columns: readonly number[],
  count: number,
): number[] {
  const system = columns.map((j) => [
    ...columns.map((k) => rows.reduce((sum, row) => sum + (row[j] as number) * (row[k] as number), 0)),
    rows.reduce((sum, row, i) => sum + (row[j] as number) * (b[i] as number), 0),
  ]);
  const found = eliminate(system);
  const x = new Array<number>(count).fill(0);
  for (const [at, j] of columns.entries()) x[j] = found[at] as number;
  return x;
}

/** Solves a square system whose last column is the right side; unknowns without a pivot get 0. */
function eliminate(system: number[][]): number[] {
  const n = system.length;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (at(system, i, k) ** 2 > at(system, pivot, k) ** 2) pivot = i;
    [system[k], system[pivot]] = [system[pivot] as number[], system[k] as number[]];
    const divisor = at(system, k, k);
    if (Math.abs(divisor) < TOLERANCE) continue;
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = at(system, i, k) / divisor;
      for (let j = k; j <= n; j++) (system[i] as number[])[j] = at(system, i, j) - factor * at(system, k, j);
    }
  }
  return system.map((row, k) =>
    Math.abs(row[k] as number) < TOLERANCE ? 0 : (row[n] as number) / (row[k] as number),
  );
}

const at = (system: readonly (readonly number[])[], i: number, j: number) =>
  (system[i] as number[])[j] as number;

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, j) => sum + value * (b[j] as number), 0);
