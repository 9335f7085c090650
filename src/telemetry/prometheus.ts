import { createRequire } from 'node:module';
import type * as Library from 'prom-client';

// The modules of prom-client that are used, and not its entry: that loads default metrics, which nothing here collects, and
// for them the 51 modules of @opentelemetry/api. Every start would take 60 ms more of processor time.
const load = createRequire(import.meta.url);

/** See `prom-client`. */
export const Registry: typeof Library.Registry = load('prom-client/lib/registry');
export const Counter: typeof Library.Counter = load('prom-client/lib/counter');
export const Gauge: typeof Library.Gauge = load('prom-client/lib/gauge');
export const Histogram: typeof Library.Histogram = load('prom-client/lib/histogram');
export type Counter<Label extends string = string> = Library.Counter<Label>;
export type Gauge<Label extends string = string> = Library.Gauge<Label>;
export type Histogram<Label extends string = string> = Library.Histogram<Label>;
