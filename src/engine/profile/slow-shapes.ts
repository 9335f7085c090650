import { SlowTemplateError } from './profile-types.js';

/** How often the prompt of a shape may take too long until it is refused: the first time, the host may have been slow. */
export const SLOW_TRIES_MAX = 2;
/** Once so many shapes have taken too long, all that are not in the cache are refused: a caller can vary the shape. */
export const SLOW_SHAPES_MAX = 16;

/**
 * The shapes of questions for which a template takes too long. Each try takes a preparing thread for `RENDER_MS_MAX`, so they
 * are refused at once after a few.
 */
export class SlowShapes {
  /** Tries by the key of the shape. */
  private readonly tries = new Map<string, number>();

  /** Makes what `render` makes of a shape. Throws its error, or `SlowTemplateError` without calling it. */
  render<Made>(key: string, render: () => Made): Made {
    const before = this.tries.get(key) ?? 0;
    if (before >= SLOW_TRIES_MAX || this.tries.size >= SLOW_SHAPES_MAX) throw new SlowTemplateError();
    try {
      const made = render();
      this.tries.delete(key);
      return made;
    } catch (error) {
      if (error instanceof SlowTemplateError) this.tries.set(key, before + 1);
      throw error;
    }
  }
}
