import { focusEditor } from '../editor/focus-editor.js';

/** Ctrl+Enter asks, also in an editor. Enter in a field does not: it would charge. */
export function onAskKey(event: KeyboardEvent, ask: () => void): void {
  if (event.key !== 'Enter' || event.isComposing) return;
  const isAsking = event.ctrlKey || event.metaKey;
  const isField = event.target instanceof HTMLInputElement && event.target.type === 'text';
  if (!isAsking && !isField) return;
  event.preventDefault();
  event.stopPropagation();
  if (isAsking) ask();
}

/** Moves the focus to the field that is to be corrected; whether there is one. */
export function focusWrong(form: HTMLFormElement): boolean {
  const field = form.querySelector('[aria-invalid="true"], .editor.wrong');
  if (!(field instanceof HTMLElement)) return false;
  if (!field.matches('.editor')) field.focus();
  else if (field.parentElement !== null) focusEditor(field.parentElement);
  return true;
}
