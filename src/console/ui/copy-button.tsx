import { useEffect, useState } from 'preact/hooks';

/**
 * Copies a text. Pages without TLS have no clipboard interface unless they come from this machine; then the older command
 * is used. Resolves with whether it worked.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Not permitted; the command below may be.
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden';
  const active = document.activeElement;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (active instanceof HTMLElement) active.focus();
  return copied;
}

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
