import { createContext, Script } from 'node:vm';
import { Template } from '@huggingface/jinja';
import type { ModelDescription } from '../addon/addon-types.js';
import { ProfileError, RENDER_MS_MAX, RENDER_TRIES_MAX } from './profile-types.js';

const sandbox: { run: () => unknown } = { run: () => undefined };
const context = createContext(sandbox);
const script = new Script('run()');

/** A template took longer than `RENDER_MS_MAX`. */
export class TooSlow extends Error {
  constructor() {
    super(`it takes more than ${RENDER_MS_MAX} ms`);
  }
}

/**
 * Runs code of a model file's template, which may loop forever; again if it took too long, `RENDER_TRIES_MAX` times in all. A
 * host that was stalled for seconds must not cause a model to be refused, or to have letters as its only labels. Throws TooSlow
 * if every try takes `RENDER_MS_MAX`.
 */
export function renderInTime<Result>(run: () => Result): Result {
  for (let tries = 1; ; tries++) {
    try {
      return renderOnce(run);
    } catch (error) {
      if (!(error instanceof TooSlow) || tries === RENDER_TRIES_MAX) throw error;
    }
  }
}

function renderOnce<Result>(run: () => Result): Result {
  sandbox.run = run;
  try {
    return script.runInContext(context, { timeout: RENDER_MS_MAX }) as Result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TooSlow();
  } finally {
    sandbox.run = () => undefined;
  }
}

/** What a chat template writes before and after the text of a single user turn. */
export interface ChatFrame {
  readonly head: string;
  readonly tail: string;
}

const PLACE = '\u0001place\u0001';

/**
 * Renders the model's chat template around a placeholder, thinking off, and cuts it there. Without a chat
 * template the frame is the beginning-of-sequence token, if the model uses one, and nothing.
 */
export function chatFrame(description: ModelDescription): ChatFrame {
  const source = description.metadata['tokenizer.chat_template'];
  const bos = description.metadata['tokenizer.ggml.add_bos_token'] === 'false' ? '' : description.bosText;
  if (source === undefined) return { head: bos, tail: '' };
  const rendered = render(source, description);
  const at = rendered.indexOf(PLACE);
  if (at < 0 || rendered.indexOf(PLACE, at + 1) >= 0) {
    throw new ProfileError('its chat template does not render a user message exactly once');
  }
  const head = rendered.slice(0, at);
  return { head: head.startsWith(bos) ? head : bos + head, tail: rendered.slice(at + PLACE.length) };
}

function render(source: string, description: ModelDescription): string {
  try {
    return renderInTime(() =>
      new Template(source).render({
        messages: [{ role: 'user', content: PLACE }],
        add_generation_prompt: true,
        enable_thinking: false,
        bos_token: description.bosText,
        eos_token: description.eosText,
      }),
    );
  } catch (error) {
    throw new ProfileError(`its chat template does not render: ${(error as Error).message}`);
  }
}
