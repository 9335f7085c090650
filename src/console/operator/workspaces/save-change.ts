import type { OperatorRequests } from '../../../api/index.js';
import type { Edits } from '../../ui/use-edits.js';
import type { OperatorApi } from '../operator-api.js';

/**
 * Saves what was changed of a workspace; only if the workspace is still the one that is shown. In any case the workspace is
 * read again. Rejects as `call` does.
 *
 * @param done what it resolves with
 */
export async function saveChange(
  api: OperatorApi,
  id: string,
  body: OperatorRequests['changeWorkspace'],
  edits: Pick<Edits<Record<string, string>>, 'values' | 'clear'>,
  onChanged: () => void,
  done: string,
): Promise<string> {
  try {
    await api.call('changeWorkspace', { id, body });
    edits.clear(edits.values);
    return done;
  } finally {
    onChanged();
  }
}
