import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorNote } from './error-note.js';

interface TokenFormProps {
  readonly title: string;
  readonly intro: string;
  /** The name of the field. */
  readonly label: string;
  readonly placeholder: string;
  /** The text below the field: normally, and while the field cannot hold a token. */
  readonly hint: { readonly normal: string; readonly odd: string };
  readonly looksRight: (token: string) => boolean;
  /** Why the last token was refused; null if none was. */
  readonly error: unknown;
  readonly onToken: (token: string) => void;
  /** Help below the form. */
  readonly children: ComponentChildren;
}

/** What was typed in the form of the page, before the script arrived. */
const typedBefore = (): string => document.querySelector<HTMLInputElement>('#main input')?.value ?? '';

/** Asks for the token with which the console calls the server. */
export function TokenForm(props: TokenFormProps) {
  const { title, intro, label, placeholder, hint, looksRight, error, onToken, children } = props;
  const [text, setText] = useState(typedBefore);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const token = text.trim();
  const odd = token !== '' && !looksRight(token);
  return (
    <section class="panel narrow" aria-labelledby="token-title">
      <h1 id="token-title">{title}</h1>
      <p>{intro}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token !== '') onToken(token);
        }}
      >
        <label>
          {label}
          <input
            ref={field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder={placeholder}
            value={text}
            aria-describedby="token-hint"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <p id="token-hint" class={odd ? 'under warning' : 'under muted'}>
          {odd ? hint.odd : hint.normal}
        </p>
        <button type="submit" class="primary" disabled={token === ''}>
          Continue
        </button>
      </form>
      {error !== null && <ErrorNote error={error} />}
      {children}
    </section>
  );
}
