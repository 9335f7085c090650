import type { OperatorRequests, OperatorWorkspace } from '../../../api/index.js';
import type { Edits } from '../../ui/use-edits.js';
import type { OperatorApi } from '../operator-api.js';

/**
 * Called when a change has ended, also after an error: the workspace is read again. `changed`: the workspace as the call
 * returned it. It is shown at once: with the version of before, the next change of the same user would be refused. Null
 * after an error.
 */
export type OnChanged = (changed: OperatorWorkspace | null) => void;

/**
 * Saves what was changed of a workspace; only if the workspace is still the one that is shown. Rejects as `call` does.
 *
 * @param onChanged see `OnChanged`
 * @param done what it resolves with
 */
export async function saveChange(
  api: OperatorApi,
  id: string,
  body: OperatorRequests['changeWorkspace'],
  edits: Pick<Edits<Record<string, string>>, 'values' | 'clear'>,
  onChanged: OnChanged,
  done: string,
): Promise<string> {
  let changed: OperatorWorkspace | null = null;
  try {
    changed = await api.call('changeWorkspace', { id, body });
    edits.clear(edits.values);
    return done;
  } finally {
    onChanged(changed);
  }
}
