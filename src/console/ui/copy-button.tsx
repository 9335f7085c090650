import { useEffect, useState } from 'preact/hooks';
import { copyText } from './copy.js';

/** How long the button says that it copied. */
const SHOWN_MS = 2_000;

interface CopyButtonProps {
  readonly label: string;
  /** What is copied; may take a while to make. */
  readonly text: () => string | Promise<string>;
  readonly disabled?: boolean;
}

export function CopyButton({ label, text, disabled = false }: CopyButtonProps) {
  const [said, say] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => say(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      say((await copyText(await text())) ? 'Copied' : 'The browser refused to copy');
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <span class="with-status">
      <button type="button" disabled={disabled} onClick={copy}>
        {label}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}
