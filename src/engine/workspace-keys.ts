import type { Plan } from './wave/wave-types.js';

/**
 * A plan whose prefix and images have the keys of a workspace, so that the prefix cache and the cache of embeddings serve
 * it with what plans of this workspace have left there, and with nothing else: the time of an answer would show what
 * others have asked. The head, which every prompt begins with, has no key of a plan.
 */
export function withWorkspace(plan: Plan, workspace: string): Plan {
  const ownKey = (key: string) => `${workspace} ${key}`;
  const images = plan.images.map((image) => ({ ...image, key: ownKey(image.key) }));
  return { ...plan, prefixKey: ownKey(plan.prefixKey), images };
}
