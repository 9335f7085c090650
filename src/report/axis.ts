import type { Axis as AxisSpec, Mark, Scale } from 'vega';
import { PLAIN } from './figure.js';

/** The horizontal or vertical axis of a chart. */
export interface Axis {
  readonly title: string;
  readonly format: 'percent' | 'number';
  /** Logarithmic; points at or below 0 are left out. */
  readonly log?: boolean;
  /** Without it, the axis spans the points and, if it is linear, 0. */
  readonly domain?: readonly [from: number, to: number];
}

/** A dashed line: where y equals x, at one x, or at one y. */
export type Reference = 'diagonal' | { readonly x: number } | { readonly y: number };

const FORMATS = { percent: '.0%', number: ',.4~r' };
const TICKS = 5;

/** Whether a value can be shown on the axis. */
export function onScale({ log = false }: Pick<Axis, 'log'>, value: number): boolean {
  return Number.isFinite(value) && (!log || value > 0);
}

/** The scale of an axis. `values`: what it must span if it has no domain of its own. */
export function scaleOf(side: 'x' | 'y', axis: Axis, values: readonly number[]): Scale {
  const common = {
    name: side,
    domain: [...span(axis, values)],
    range: side === 'x' ? ('width' as const) : ('height' as const),
    nice: axis.domain === undefined,
  };
  return axis.log
    ? { ...common, type: 'log' }
    : { ...common, type: 'linear', zero: axis.domain === undefined };
}

/** The line, ticks and title of an axis with the same values. */
export function axisOf(side: 'x' | 'y', axis: Axis, values: readonly number[]): AxisSpec {
  const { domain: [from, to] = [0, Number.POSITIVE_INFINITY] } = axis;
  const ticks = axis.log ? logTicks(span(axis, values)) : [];
  return {
    scale: side,
    orient: side === 'x' ? 'bottom' : 'left',
    title: axis.title,
    format: FORMATS[axis.format],
    ...(axis.log ? { values: ticks.filter((tick) => tick >= from && tick <= to) } : { tickCount: TICKS }),
  };
}

/** The domain before it is extended to round numbers. */
function span(axis: Axis, values: readonly number[]): readonly [number, number] {
  if (axis.domain !== undefined) return axis.domain;
  const shown = values.filter((value) => onScale(axis, value));
  if (shown.length === 0) return axis.log ? [1, 10] : [0, 1];
  return [Math.min(...shown), Math.max(...shown)];
}

/** 1, 2 and 5 times the powers of ten around a domain; over more than three powers, only these. */
function logTicks([from, to]: readonly [number, number]): number[] {
  const [first, last] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  const factors = last - first > 3 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
  return powers.flatMap((power) => factors.map((factor) => factor * power));
}

/** A dashed line. A diagonal runs over the domain of the horizontal axis, 0 to 1 without one. */
export function referenceMark(reference: Reference, { domain: [from, to] = [0, 1] }: Axis): Mark {
  const at = (scale: 'x' | 'y', value: number) => ({ scale, value });
  const place =
    reference === 'diagonal'
      ? { x: at('x', from), x2: at('x', to), y: at('y', from), y2: at('y', to) }
      : 'x' in reference
        ? { x: at('x', reference.x), y: { value: 0 }, y2: { field: { group: 'height' } } }
        : { y: at('y', reference.y), x: { value: 0 }, x2: { field: { group: 'width' } } };
  const enter = { ...place, stroke: { value: 'var(--muted)' }, strokeDash: { value: [4, 3] } };
  return { ...PLAIN, type: 'rule', encode: { enter } } as Mark;
}
