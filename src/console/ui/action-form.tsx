import type { ComponentChildren } from 'preact';
import { ActionButton } from './action-button.js';
import { ErrorNote } from './error-note.js';
import type { Action } from './use-action.js';

interface ActionFormProps {
  readonly action: Action;
  /** The name of the form for screen readers. */
  readonly label: string;
  /** The text of its button. */
  readonly button: string;
  /** Whether the fields can be sent. */
  readonly complete: boolean;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** Fields with a button that sends them, and what came of it. */
export function ActionForm({ action, label, button, complete, onSubmit, children }: ActionFormProps) {
  const off = action.busy || !complete;
  return (
    <form
      class="action-form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (!off) onSubmit();
      }}
    >
      {children}
      <div class="row">
        <ActionButton off={off} once>
          {button}
        </ActionButton>
        <span role="status" class="muted">
          {action.done}
        </span>
      </div>
      {action.error !== null && <ErrorNote error={action.error} />}
    </form>
  );
}
