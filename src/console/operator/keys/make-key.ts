import { CallError, isLost } from '../../api/error.js';

const LOST =
  'The server may have made a key, but its token is lost. Look at the list: revoke a key that is new there, then create another one.';

/**
 * Makes a key. Rejects as `make` does; with `outcome_unknown` if its response is lost, because a further call may make a
 * further key.
 */
export async function makeKey<Made>(make: () => Promise<Made>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    if (!isLost(error)) throw error;
    throw new CallError(error.status, 'outcome_unknown', LOST, null, error.requestId);
  }
}
