/**
 * Copies a text. Pages without TLS have no clipboard interface unless they come from this machine; then the older command
 * is used. Resolves with whether it worked.
 */
export async function copyText(text: string): Promise<boolean> {
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
