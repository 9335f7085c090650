import { field, indented, type JsonNode, NULL } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import { linesOf } from './check-file.js';

/** Characters of a state that a table shows. */
const STATE_CHARACTERS = 300;

/** The states of a batch file's lines by their id, shortened. Lines that are no decision are left out. */
export async function readStates(file: Blob): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for await (const text of linesOf(file)) {
    const line = parsed(text);
    const id = field(line, 'custom_id');
    if (id?.kind !== 'text') continue;
    const state = textOf(field(line, 'state') ?? NULL);
    states.set(id.value, state.length > STATE_CHARACTERS ? `${state.slice(0, STATE_CHARACTERS)}…` : state);
  }
  return states;
}

/** A state on one line, as it is written. */
const textOf = (state: JsonNode): string =>
  state.kind === 'text' ? state.value : indented(state).replace(/\n */g, ' ');

function parsed(text: string): JsonNode {
  try {
    return readJson(text);
  } catch {
    return NULL;
  }
}
