import type { ComponentChildren } from 'preact';

interface ActionButtonProps {
  /** Whether it does nothing at the moment. */
  readonly off: boolean;
  /** Absent: it submits its form, which must ignore it while it is off. */
  readonly onClick?: () => void;
  readonly primary?: boolean;
  readonly quiet?: boolean;
  readonly children: ComponentChildren;
}

/** A button that keeps the focus while it is off. `disabled` takes the focus away, to the top of the page. */
export function ActionButton({ off, onClick, primary = false, quiet = false, children }: ActionButtonProps) {
  return (
    <button
      type={onClick === undefined ? 'submit' : 'button'}
      class={primary ? 'primary' : quiet ? 'quiet' : undefined}
      aria-disabled={off}
      onClick={() => {
        if (!off) onClick?.();
      }}
    >
      {children}
    </button>
  );
}
