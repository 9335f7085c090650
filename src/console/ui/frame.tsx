import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface FrameProps<View extends string> {
  readonly brand: string;
  /** Names and titles. A view's address is `#/<name>`. */
  readonly views: ReadonlyArray<readonly [name: View, title: string]>;
  /** The view that is shown. */
  readonly view: View;
  /** The end of the header. */
  readonly account: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The page around the views: header with links to all views, and the title of the window. */
export function Frame<View extends string>({ brand, views, view, account, children }: FrameProps<View>) {
  useEffect(() => {
    document.title = `${views.find(([each]) => each === view)?.[1]} · ${brand}`;
  }, [view]);
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <header class="top">
        <span class="brand">{brand}</span>
        <nav aria-label="Views">
          <ul>
            {views.map(([name, title]) => (
              <li key={name}>
                <a href={`#/${name}`} aria-current={name === view ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="account">{account}</div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** Moves the focus to the content: screen readers go on there. */
export const focusMain = (): void => document.getElementById('main')?.focus({ preventScroll: true });
