import { looksLikeKey } from './api/key.js';
import { TokenForm } from './ui/token-form.js';

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
        with <code>npx decider keys create</code>.
      </p>
    </details>
  </TokenForm>
);
