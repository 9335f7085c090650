import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface ConfirmProps {
  readonly title: string;
  /** The button that goes on. */
  readonly action: string;
  /** Whether it cannot go on yet. */
  readonly off?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** A modal question before something that cannot be undone. Escape cancels it, and the focus returns to where it was. */
export function Confirm({ title, action, off = false, onConfirm, onCancel, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Not `useEffect`: only a dialog that is still part of the page gives the focus back when it is closed.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirm-title"
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!off) onConfirm();
        }}
      >
        <h2 id="confirm-title">{title}</h2>
        {children}
        <div class="actions">
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={off}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
