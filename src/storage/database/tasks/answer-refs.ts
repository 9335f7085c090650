import { nextTurn } from '../../../base/index.js';
import { answerRef } from '../../../tasks/index.js';

/** Names that are made in one turn of the event loop: about 2 ms. */
const TURN_REFS = 256;

/** What names each of some answers in the database, see `answerRef`; in turns of the event loop. */
export async function answerRefs(
  dataKey: Uint8Array,
  answers: ReadonlyArray<{ readonly reference: string }>,
): Promise<string[]> {
  const refs: string[] = [];
  for (const { reference } of answers) {
    refs.push(answerRef(dataKey, reference));
    if (refs.length % TURN_REFS === 0) await nextTurn();
  }
  return refs;
}
