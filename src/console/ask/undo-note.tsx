import type { WrittenDraft } from './use-draft.js';

/** What was replaced in a draft, and a button that brings it back. */
export function UndoNote({ written: { replaced, undo } }: { readonly written: WrittenDraft }) {
  return (
    <div class="undo" role="status">
      {replaced !== null && (
        <>
          {replaced.what}{' '}
          <button type="button" class="quiet" onClick={undo}>
            Undo
          </button>
        </>
      )}
    </div>
  );
}
