import { type Cell, type Column, type Html, table } from '../../report/index.js';
import type { Quality } from '../report.js';
import { percent, range } from '../show-evaluation.js';

/** A named set of questions. */
export interface Part {
  readonly name: string;
  readonly quality: Quality;
}

/** The parts of a report, in its order. */
export function partsOf(
  record: Readonly<Record<string, Quality | undefined>>,
  name: (key: string) => string,
): Part[] {
  return Object.entries(record).flatMap(([key, quality]) =>
    quality === undefined ? [] : [{ name: name(key), quality }],
  );
}

const COLUMNS = ['Questions', 'Accuracy', 'Brier score', 'Log loss', 'ECE', 'Coverage at 5 % error'];

/** The metrics of parts with their intervals. */
export function qualityTable(caption: string, first: string, parts: readonly Part[]): Html {
  const columns: Column[] = [
    { title: first, kind: 'text' },
    ...COLUMNS.map((title) => ({ title, kind: 'number' as const })),
  ];
  return table(
    caption,
    columns,
    parts.map(({ name, quality }) => [name, String(quality.n), ...metrics(quality)]),
  );
}

function metrics(quality: Quality): Cell[] {
  const { accuracy, ci, at_5_percent_error: point } = quality;
  const decimal = (value: number) => value.toFixed(3);
  return [
    [percent(accuracy), range(ci.accuracy, percent)],
    ...(['brier', 'log_loss', 'ece'] as const).map(
      (metric): Cell => [decimal(quality[metric]), range(ci[metric], decimal)],
    ),
    point === null ? 'none' : [percent(point.coverage), `from p ≥ ${point.threshold.toFixed(4)}`],
  ];
}
