import { AccessError, CHANGES, type Change } from '../../access/index.js';
import type { AdministrationCall, CallOutcome } from './messages.js';
import { READS, type Read, type ReadParts } from './reads.js';

type ErrorClass = abstract new (...given: never[]) => Error;

/** The errors of a place of data. */
interface PlaceErrors {
  /** The data cannot be read or written now. Nothing was changed. */
  readonly Unavailable: ErrorClass;
  /** Those of them after which a change may have been made; null: there are none. */
  readonly Unknown: ErrorClass | null;
}

/** Does what a call asks, in the thread. `open` returns what the data is read with. Rejects with errors that are unexpected. */
export async function outcomeOf(
  call: AdministrationCall,
  { Unavailable, Unknown }: PlaceErrors,
  open: () => ReadParts,
): Promise<CallOutcome> {
  try {
    return { kind: 'done', result: await answer(call, open()) };
  } catch (error) {
    if (error instanceof AccessError) {
      const { argument, problem, refusal } = error;
      return { kind: 'refused', argument, problem, refusal };
    }
    if (Unknown !== null && error instanceof Unknown) return { kind: 'unknown', message: error.message };
    if (error instanceof Unavailable) return { kind: 'unavailable', message: error.message };
    throw error;
  }
}

/** A change reads nothing after its transaction, so that nothing was changed if this rejects, except perhaps with CommitUnknown. */
function answer(call: AdministrationCall, parts: ReadParts): Promise<unknown> {
  if (call.kind === 'read') {
    const read = READS[call.name] as (...args: readonly unknown[]) => Read<unknown>;
    return read(...call.args)(parts);
  }
  const change = CHANGES[call.name] as (...args: readonly unknown[]) => Change<unknown>;
  return parts.administration.change(change(...call.args));
}
