import { valuesOf } from './head.js';
import type { HeaderList } from './transport/transport-types.js';

/** The place of a request in a trace of its caller (W3C Trace Context). */
export interface TraceParent {
  /** 32 hexadecimal digits in lower case, not all zero. */
  readonly traceId: string;
  /** The caller's span: 16 hexadecimal digits in lower case, not all zero. */
  readonly parentId: string;
  /** Whether the caller records the trace. */
  readonly sampled: boolean;
}

const NAME = 'traceparent';
const FIELDS = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZERO = /^0+$/;
const SAMPLED = 1;

/**
 * The header `traceparent`; undefined if there is none, more than one, or one that is not valid. A later version than 00
 * may have more fields, which are ignored; ff is no version.
 */
export function readTraceParent(headers: HeaderList): TraceParent | undefined {
  // Most requests have none.
  if (!headers.some(([name]) => name === NAME)) return undefined;
  const [value, second] = valuesOf(headers, NAME);
  if (value === undefined || second !== undefined) return undefined;
  const [, version, traceId = '', parentId = '', flags, more] = FIELDS.exec(value) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ZERO.test(traceId) || ZERO.test(parentId)) return undefined;
  return { traceId, parentId, sampled: (Number.parseInt(flags as string, 16) & SAMPLED) !== 0 };
}
