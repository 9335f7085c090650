import { useEffect, useRef, useState } from 'preact/hooks';
import { looksLikeKey } from './api/key.js';
import { ErrorNote } from './ui/error-note.js';

interface KeyFormProps {
  /** Why the last key was refused; null if none was. */
  readonly error: unknown;
  readonly onKey: (key: string) => void;
}

/** Asks for a key. */
export function KeyForm({ error, onKey }: KeyFormProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const key = text.trim();
  const odd = key !== '' && !looksLikeKey(key);
  return (
    <section class="panel narrow" aria-labelledby="key-title">
      <h1 id="key-title">Enter a key</h1>
      <p>
        The console asks the server with a key of yours. It is kept in this tab until you close it, and sent
        to this server only.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key !== '') onKey(key);
        }}
      >
        <label>
          Key
          <input
            ref={field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="dk_…"
            value={text}
            aria-describedby="key-hint"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <p id="key-hint" class={odd ? 'under warning' : 'under muted'}>
          {odd ? 'A key is dk_ and 40 letters and digits.' : 'It begins with dk_.'}
        </p>
        <button type="submit" class="primary" disabled={key === ''}>
          Continue
        </button>
      </form>
      {error !== null && <ErrorNote error={error} />}
      <details>
        <summary>Where do I get a key?</summary>
        <p>
          The first start of the server prints one, as <code>token: dk_…</code>. Its operator creates others
          with <code>npx decider keys create</code>.
        </p>
      </details>
    </section>
  );
}
