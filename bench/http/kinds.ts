/** What a server of the benchmark does with a request, from the least to all but the model's computation. */
export const KINDS = {
  bare: 'the transport alone: takes the body, answers as many bytes as ours',
  open: 'our http and decide, the body read and checked in place, no tokens, an immediate engine; no keys',
  ours: 'the same with keys and money: the caller found, counted and charged, the ledger on the disk',
  whole: 'ours with its preparing thread, which also renders and tokenizes, and an immediate engine',
} as const;
export type Kind = keyof typeof KINDS;

export const TRANSPORTS = ['uws', 'node'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** What a server tells when it listens. */
export interface Listening {
  readonly port: number;
  /** What its callers send; '' where it asks for none. */
  readonly token: string;
}

/** Processor time of a server so far, all its threads together, in milliseconds. */
export interface Spent {
  readonly cpuMs: number;
}
