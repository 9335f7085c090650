/** The servers of the benchmark, from the bare transport to everything except the model. */
export const KINDS = {
  bare: 'the transport alone, with responses of the same size',
  open: 'http and decide with an immediate engine: the body read and checked, no tokenizing, no keys',
  ours: 'the same with keys, limits and charges, the ledger on disk',
  whole: 'the same with a preparing thread that also renders and tokenizes, without the cache of tokens',
} as const;
export type Kind = keyof typeof KINDS;

export const TRANSPORTS = ['uws', 'node'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** With what the server `whole` prepares requests. */
export interface Preparing {
  /** The folder of the manifest. */
  readonly models: string;
  /** Bytes of the cache of tokens. */
  readonly cacheBytes: number;
}

/** The message of a server that listens. */
export interface Listening {
  readonly port: number;
  /** The token of its callers; '' if it needs none. */
  readonly token: string;
}

/** What a server has done so far. */
export interface Spent {
  /** Processor time of all threads, in milliseconds. */
  readonly cpuMs: number;
  /** Texts whose tokens were in the cache. */
  readonly knownTexts: number;
}
