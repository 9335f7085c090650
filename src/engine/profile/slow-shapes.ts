import { SlowTemplateError } from './profile-types.js';

/** How often the prompt of a shape may take too long until it is refused: the first time, the host may have been slow. */
export const SLOW_TRIES_MAX = 2;
/** Shapes that are kept. Beyond them, the oldest one is dropped and may be tried again. */
export const SLOW_SHAPES_MAX = 256;

/**
 * The shapes of questions for which a template takes too long. Each try takes a preparing thread for `RENDER_TRIES_MAX` times
 * `RENDER_MS_MAX`, so such a shape is refused at once after `SLOW_TRIES_MAX` tries. Only shapes that were tried are refused, not
 * the whole template: otherwise one caller's slow shapes would refuse the requests of others.
 */
export class SlowShapes {
  /** Tries by the key of the shape. */
  private readonly tries = new Map<string, number>();

  /** Makes what `render` makes of a shape. Throws its error, or `SlowTemplateError` without calling it. */
  render<Made>(key: string, render: () => Made): Made {
    const before = this.tries.get(key) ?? 0;
    if (before >= SLOW_TRIES_MAX) throw new SlowTemplateError();
    try {
      const made = render();
      this.tries.delete(key);
      return made;
    } catch (error) {
      if (error instanceof SlowTemplateError) this.count(key, before + 1);
      throw error;
    }
  }

  private count(key: string, tries: number): void {
    this.tries.set(key, tries);
    const [first] = this.tries.keys();
    if (this.tries.size > SLOW_SHAPES_MAX) this.tries.delete(first as string);
  }
}
