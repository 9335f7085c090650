import { BrowserStore } from '../ui/browser-store.js';
import type { Outcome } from './ask.js';
import type { Draft } from './ask-draft.js';
import { draftOf } from './kept-draft.js';
import type { Answered } from './use-asking.js';

/** Requests that are kept. */
const HISTORY_MAX = 50;
/** Characters of all kept requests together: browsers keep a few million for a site. */
const HISTORY_CHARACTERS_MAX = 1_000_000;

/** An answered request, without its images. It is kept in this browser only, and never with a key. */
export interface PastRequest {
  readonly at: number;
  readonly draft: Draft;
  readonly outcome: Omit<Outcome, 'spreads' | 'asks'>;
  readonly hadImages: boolean;
}

const isPast = (value: unknown): value is PastRequest => {
  const { at, outcome } = (value ?? {}) as Partial<PastRequest>;
  return (
    Number.isFinite(at) &&
    typeof outcome?.response?.answers === 'object' &&
    typeof outcome.response.model === 'string' &&
    Number.isFinite(outcome.response.usage?.input_tokens) &&
    Array.isArray(outcome.questions) &&
    Array.isArray(outcome.phases)
  );
};

const STORE = new BrowserStore<PastRequest[]>('decider.history', 'browser', (stored) =>
  Array.isArray(stored)
    ? stored.filter(isPast).map((each) => ({ ...each, draft: draftOf(each.draft) }))
    : null,
);

/** The kept requests, newest first. */
export const readHistory = (): readonly PastRequest[] => STORE.read() ?? [];

/** Keeps an answered request, and as many older ones as fit. Returns what is kept. */
export function keepAnswered({ at, draft, outcome }: Answered): readonly PastRequest[] {
  const { spreads: _, asks: __, ...single } = outcome;
  const fresh = { at, draft: { ...draft, images: [] }, outcome: single, hadImages: draft.images.length > 0 };
  const kept: PastRequest[] = [];
  let characters = 0;
  for (const each of [fresh, ...readHistory()].slice(0, HISTORY_MAX)) {
    characters += JSON.stringify(each).length;
    if (characters > HISTORY_CHARACTERS_MAX) break;
    kept.push(each);
  }
  // A browser that is full keeps fewer.
  while (!STORE.write(kept) && kept.length > 0) kept.pop();
  return kept;
}

export const clearHistory = (): void => void STORE.write(null);

/** A kept request as it was answered. */
export const answeredOf = ({ at, draft, outcome }: PastRequest): Answered => ({
  at,
  draft,
  outcome: { ...outcome, asks: 1, spreads: new Map() },
});
