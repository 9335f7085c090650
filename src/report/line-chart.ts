import type { Mark, Scale } from 'vega';
import { type Axis, axisOf, onScale, type Reference, referenceMark, scaleOf } from './axis.js';
import { COLORS, figure, PLAIN, WIDTH } from './figure.js';
import type { Html } from './html.js';

/** A point of a series, with the bounds of its interval if it has one. */
interface Point {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
}

/** Points that a line joins, in their order. */
export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

interface LineChart {
  readonly title: string;
  /** What the chart shows, for readers who cannot see it. */
  readonly description: string;
  /** Below the title, such as the meaning of the dashed lines. */
  readonly note?: string;
  readonly x: Axis;
  readonly y: Axis;
  /** 1 to 5. A legend names them if there are several. */
  readonly series: readonly Series[];
  readonly references?: readonly Reference[];
}

const HEIGHT = 270;
const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down'];
const DASHES = [
  [1, 0],
  [6, 3],
  [2, 2],
  [8, 3, 2, 3],
  [4, 4],
];
/** With more points, a series is drawn without symbols. */
const SYMBOLS = 25;

/** A chart of one or more series over two axes. */
export function lineChart(chart: LineChart): Promise<Html> {
  const { title, note = null, description, x, y, series, references = [] } = chart;
  if (series.length > COLORS.length) throw new Error(`a chart has at most ${COLORS.length} series`);
  const shown = series.map(({ points }) =>
    points.filter((point) => onScale(x, point.x) && heights(point).every((value) => onScale(y, value))),
  );
  const lines = references.filter((reference) => reference !== 'diagonal');
  const xs = [...shown.flat(), ...lines].flatMap((at) => ('x' in at ? [at.x] : []));
  const ys = [...shown.flat().flatMap(heights), ...lines.flatMap((at) => ('y' in at ? [at.y] : []))];
  const names = series.map(({ name }) => name);
  return figure(title, note, description, {
    height: HEIGHT,
    autosize: { type: 'fit', contains: 'padding' },
    data: shown.map((points, index) => ({
      name: `series${index}`,
      values: points.map((point) => ({ ...point })),
    })),
    scales: [
      scaleOf('x', x, xs),
      scaleOf('y', y, ys),
      byName('color', names, COLORS),
      byName('shape', names, SHAPES),
    ],
    axes: [axisOf('x', x, xs), axisOf('y', y, ys)],
    legends:
      names.length > 1
        ? [{ fill: 'color', shape: 'shape', orient: 'top', direction: 'horizontal', columns: columns(names) }]
        : [],
    marks: [
      ...references.map((reference) => referenceMark(reference, x)),
      ...shown.flatMap((points, index) => seriesMarks(points, index)),
    ],
  });
}

function heights({ y, low = y, high = y }: Point): number[] {
  return [y, low, high];
}

function byName(name: string, names: readonly string[], values: readonly string[]): Scale {
  return { name, type: 'ordinal', domain: [...names], range: values.slice(0, names.length) };
}

/** Columns of the legend. Without a browser, Vega takes every character to be 9.6 pixels wide. */
function columns(names: readonly string[]): number {
  const longest = Math.max(...names.map((name) => name.length));
  return Math.max(1, Math.min(names.length, Math.floor((WIDTH - 40) / (9.6 * longest + 24))));
}

function seriesMarks(points: readonly Point[], index: number): Mark[] {
  const from = { data: `series${index}` };
  const x = { scale: 'x', field: 'x' };
  const at = (field: string) => ({ scale: 'y', field });
  const color = { value: COLORS[index] as string };
  const mark = (type: 'line' | 'rule' | 'symbol', enter: object) =>
    ({ ...PLAIN, type, from, encode: { enter } }) as Mark;
  const intervals = mark('rule', {
    x,
    y: at('low'),
    y2: at('high'),
    stroke: color,
    strokeOpacity: { value: 0.6 },
  });
  const line = mark('line', {
    x,
    y: at('y'),
    stroke: color,
    strokeWidth: { value: 2 },
    strokeDash: { value: DASHES[index] },
  });
  const symbols = mark('symbol', {
    x,
    y: at('y'),
    shape: { value: SHAPES[index] },
    size: { value: 40 },
    fill: color,
  });
  const withIntervals = points.some(({ low, high }) => low !== undefined && high !== undefined);
  return [...(withIntervals ? [intervals] : []), line, ...(points.length <= SYMBOLS ? [symbols] : [])];
}
