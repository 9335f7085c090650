import type { Mark } from 'vega';
import { type Axis, axisOf, referenceMark, scaleOf } from './axis.js';
import { COLORS, figure, PLAIN, WIDTH } from './figure.js';
import type { Html } from './html.js';

/** An estimate and the bounds of its interval. */
interface IntervalRow {
  readonly label: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

interface IntervalChart {
  readonly title: string;
  /** What the chart shows, for readers who cannot see it. */
  readonly description: string;
  /** Below the title, such as the meaning of the dashed line. */
  readonly note?: string;
  readonly x: Axis;
  /** From top to bottom. */
  readonly rows: readonly IntervalRow[];
  /** The x of a dashed line, such as no difference. */
  readonly reference?: number;
}

const ROW_HEIGHT = 22;
/** In pixels; longer labels end in an ellipsis after this many characters. */
const LABELS_WIDTH = 128;
const LABEL_LENGTH = 16;
const RIGHT = 18;
const BOTTOM = 40;

/** Estimates with their intervals, one below the other. */
export function intervalChart(chart: IntervalChart): Promise<Html> {
  const { title, note = null, description, x, rows, reference } = chart;
  const references = reference === undefined ? [] : [reference];
  const xs = [...rows.flatMap(({ low, high }) => [low, high]), ...references];
  const indexes = rows.map((_, index) => index);
  return figure(title, note, description, {
    width: WIDTH - LABELS_WIDTH - RIGHT,
    height: ROW_HEIGHT * rows.length,
    padding: { left: LABELS_WIDTH, right: RIGHT, top: 2, bottom: BOTTOM },
    autosize: 'none',
    data: [{ name: 'rows', values: rows.map((row, index) => ({ ...row, index })) }],
    scales: [
      scaleOf('x', x, xs),
      { name: 'y', type: 'band', domain: indexes, range: 'height' },
      // Rows are placed by index, since two may have the same label.
      { name: 'label', type: 'ordinal', domain: indexes, range: rows.map(({ label }) => shorten(label)) },
    ],
    axes: [
      axisOf('x', x, xs),
      {
        scale: 'y',
        orient: 'left',
        grid: false,
        ticks: false,
        labelOverlap: false,
        encode: { labels: { update: { text: { scale: 'label', field: 'value' } } } },
      },
    ],
    marks: [...references.map((at) => referenceMark({ x: at }, x)), ...rowMarks()],
  });
}

function rowMarks(): Mark[] {
  const y = { scale: 'y', field: 'index', band: 0.5 };
  const at = (field: string) => ({ scale: 'x', field });
  const color = { value: COLORS[0] as string };
  const from = { data: 'rows' };
  const interval = { x: at('low'), x2: at('high'), y, stroke: color, strokeWidth: { value: 2 } };
  return [
    { ...PLAIN, type: 'rule', from, encode: { enter: interval } },
    {
      ...PLAIN,
      type: 'symbol',
      from,
      encode: { enter: { x: at('value'), y, size: { value: 45 }, fill: color } },
    },
  ];
}

function shorten(label: string): string {
  const characters = [...label];
  return characters.length <= LABEL_LENGTH ? label : `${characters.slice(0, LABEL_LENGTH - 1).join('')}…`;
}
