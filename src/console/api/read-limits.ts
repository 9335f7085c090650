import type { Limits } from './api-types.js';
import type { Api } from './call-api.js';

/** The limits of a key, and the time of the server when it told them. */
export interface ReadLimits extends Limits {
  /** Milliseconds since 1970, from the `Date` of the response: the clock of this machine may be wrong. */
  readonly serverTime: number;
}

/** Reads the limits of the key. Rejects as `Api` does. */
export async function readLimits(api: Api, signal?: AbortSignal): Promise<ReadLimits> {
  const { body, headers } = await api.json<Limits>('v1/limits', signal === undefined ? {} : { signal });
  const told = Date.parse(headers.get('date') ?? '');
  return { ...body, serverTime: Number.isNaN(told) ? Date.now() : told };
}
