import { useEffect, useRef } from 'preact/hooks';
import type { OperatorNewKey } from '../../../api/index.js';
import { CopyButton } from '../../ui/copy-button.js';
import { KeyLabel } from './key-label.js';

interface NewTokenProps {
  readonly created: OperatorNewKey;
  readonly onDone: () => void;
}

/** The token of a new key, which the server cannot show again. */
export function NewToken({ created: { key, token }, onDone }: NewTokenProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const id = `token-of-${key.id}`;
  return (
    <section class="panel new-token" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1} ref={title}>
        The new key of {key.workspace}
      </h2>
      <p class="warning">Copy the token now. The server does not store it, and it cannot be shown again.</p>
      <pre class="code">{token}</pre>
      <div class="actions">
        <CopyButton label="Copy the token" text={() => token} />
        <button type="button" onClick={onDone}>
          I have stored the token
        </button>
      </div>
      <p class="muted">
        The key is <KeyLabel of={key} />. Whoever has the token can spend the credit of the workspace: pass it
        on over a safe channel only.
      </p>
    </section>
  );
}
