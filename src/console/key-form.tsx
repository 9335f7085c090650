import { TabSecret } from './ui/tab-secret.js';
import { TokenForm } from './ui/token-form.js';

/** The form of every token (contract 5 rule 10). */
const TOKEN = /^dk_[A-Za-z0-9]{40}$/;

const looksLikeKey = (text: string): boolean => TOKEN.test(text);

/** The key of this tab. */
export const keptKey = new TabSecret('decider.key');

interface KeyFormProps {
  /** Why the last key was refused; null if none was. */
  readonly error: unknown;
  readonly onKey: (key: string) => void;
}

/** Asks for a key. */
export const KeyForm = ({ error, onKey }: KeyFormProps) => (
  <TokenForm
    title="Enter a key"
    intro="The console asks the server with a key of yours. It is kept in this tab until you close it, and sent to this server only."
    label="Key"
    placeholder="dk_…"
    hint={{ normal: 'It begins with dk_.', odd: 'A key is dk_ and 40 letters and digits.' }}
    looksRight={looksLikeKey}
    error={error}
    onToken={onKey}
  >
    <details>
      <summary>Where do I get a key?</summary>
      <p>
        The first start of the server prints one, as <code>token: dk_…</code>. Its operator creates others
        with <code>decider keys create</code>.
      </p>
    </details>
  </TokenForm>
);
