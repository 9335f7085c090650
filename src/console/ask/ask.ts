import { type DecideResponse, type Phase, phasesOf, type TaskPart } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { type AskedQuestion, type BuiltRequest, bodyOf } from './request.js';
import { repeat, SPREAD_ASKS, SPREAD_AT_ONCE, type Spread, spreadOf } from './spread.js';

/** An answered request, with what it takes to show it. */
export interface Outcome {
  readonly questions: readonly AskedQuestion[];
  readonly response: DecideResponse & TaskPart;
  readonly phases: readonly Phase[];
  /** From the click to the response, in milliseconds. */
  readonly roundTripMs: number;
  readonly requestId: string | null;
  /** How often it was asked; more than once shows the spread. */
  readonly asks: number;
  readonly spreads: ReadonlyMap<string, Spread>;
}

type Single = Omit<Outcome, 'asks' | 'spreads'>;

/** Asks once. Rejects as `Api` does. */
export async function askOnce(api: Api, request: BuiltRequest, signal: AbortSignal): Promise<Outcome> {
  return { ...(await send(api, request, signal)), asks: 1, spreads: new Map() };
}

/** Asks the same 20 times, and compares the responses. */
export async function askOften(
  api: Api,
  request: BuiltRequest,
  signal: AbortSignal,
  onDone: (done: number) => void,
): Promise<Outcome> {
  const all = await repeat(SPREAD_ASKS, SPREAD_AT_ONCE, () => send(api, request, signal), onDone);
  const last = all.at(-1) as Single;
  return { ...last, asks: all.length, spreads: spreadOf(all.map(({ response }) => response)) };
}

async function send(api: Api, request: BuiltRequest, signal: AbortSignal): Promise<Single> {
  const { body, headers } = bodyOf(request);
  const started = performance.now();
  const call = { method: 'POST', body, headers, signal } as const;
  const reply = await api.json<DecideResponse & TaskPart>(request.path, call);
  return {
    questions: request.questions,
    response: reply.body,
    phases: phasesOf(reply.headers.get('server-timing')),
    roundTripMs: performance.now() - started,
    requestId: reply.headers.get('x-request-id'),
  };
}
