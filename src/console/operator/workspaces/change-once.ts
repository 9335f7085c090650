import { CallError, isLost } from '../../api/error.js';

/** A change that must not be made twice, such as a grant. */
interface Once<Made> {
  /** The version of what is changed, as it is shown. */
  readonly version: string;
  /** The version that an earlier try was sent with, of which it is not known whether it was made; empty: there is none. */
  readonly tried: string;
  /** Sends the change for a version, which any change replaces. */
  readonly make: (version: string) => Promise<Made>;
  /** Keeps the version of a try; empty: there is none. */
  readonly keep: (version: string) => void;
  /** Called when nothing is left to be sent. `sent`: the version of the last try. */
  readonly onEnd: (sent: string) => void;
}

const PROBABLY_MADE =
  'has been changed since the first try, which got no answer: the change was probably made then, and was not made again.';

/**
 * Makes a change once. A try that got no answer is repeated with the version that it was sent with, so that the server
 * refuses it if the first one was made. Rejects as `make` does; with `outcome_unknown` if a repeated one is refused so.
 *
 * @param name of what is changed
 */
export async function changeOnce<Made>(name: string, once: Once<Made>): Promise<Made> {
  const { version, tried, make, keep, onEnd } = once;
  const sent = tried === '' ? version : tried;
  // Before the call: the page may be closed before the answer.
  keep(sent);
  try {
    const made = await make(sent);
    onEnd(sent);
    return made;
  } catch (error) {
    if (tried === '') {
      if (!isLost(error)) keep('');
      throw error;
    }
    // Any other refusal says nothing about the first try.
    if (!(error instanceof CallError && error.type === 'conflict')) throw error;
    onEnd(sent);
    throw new CallError(error.status, 'outcome_unknown', `${name} ${PROBABLY_MADE}`, null, error.requestId);
  }
}
