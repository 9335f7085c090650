import { OperatorError } from '../base/index.js';
import { BENCHMARKS, type BenchmarkName } from '../evaluation/index.js';

/** The `--format` of a cases file; null: the usual one. Throws OperatorError. */
export function readBenchmark(text: string | undefined): BenchmarkName | null {
  if (text === undefined) return null;
  const known = BENCHMARKS.find((name) => name === text);
  if (known !== undefined) return known;
  throw new OperatorError(`format: must be one of ${BENCHMARKS.join(', ')}, not ${JSON.stringify(text)}.`);
}
