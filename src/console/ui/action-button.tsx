import type { ComponentChildren } from 'preact';

interface ActionButtonProps {
  /** Whether it does nothing at the moment. */
  readonly off: boolean;
  /** Absent: it submits its form, which must ignore it while it is off. */
  readonly onClick?: () => void;
  /** Whether a double click presses it once, also if the first click is answered before the second: it may be charged. */
  readonly once?: boolean;
  readonly primary?: boolean;
  readonly quiet?: boolean;
  /** The name for screen readers, if the text alone is not clear. */
  readonly label?: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A button that keeps the focus while it is off. `disabled` takes the focus away, to the top of the page. */
export function ActionButton(props: ActionButtonProps) {
  const { off, onClick, once = false, primary = false, quiet = false, label, title, children } = props;
  return (
    <button
      type={onClick === undefined ? 'submit' : 'button'}
      class={primary ? 'primary' : quiet ? 'quiet' : undefined}
      aria-disabled={off}
      aria-label={label}
      title={title}
      onClick={(event) => {
        // The number of the click in a series of quick ones.
        if (once && event.detail > 1) event.preventDefault();
        else if (!off) onClick?.();
      }}
    >
      {children}
    </button>
  );
}
