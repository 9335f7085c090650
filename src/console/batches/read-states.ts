import { linesOf } from './check-file.js';
import { isObject } from './check-question.js';

/** Characters of a state that a table shows. */
const STATE_CHARACTERS = 300;

/** The states of a batch file's lines by their id, shortened. Lines that are no decision are left out. */
export async function readStates(file: Blob): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for await (const text of linesOf(file)) {
    const line = parsed(text);
    if (!isObject(line) || typeof line.custom_id !== 'string') continue;
    const state = typeof line.state === 'string' ? line.state : JSON.stringify(line.state ?? null);
    states.set(
      line.custom_id,
      state.length > STATE_CHARACTERS ? `${state.slice(0, STATE_CHARACTERS)}…` : state,
    );
  }
  return states;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
