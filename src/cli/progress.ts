import type { CatalogBuild } from '../engine/index.js';

/** Models that load in less time are not announced. */
export const ANNOUNCED_MS_MIN = 2_000;

/**
 * Prints a line per quarter of a build that takes long to load. A build that is loaded again, as another entry of a
 * manifest, is announced again.
 *
 * @param now in milliseconds, monotonic
 */
export function loadProgress(
  print: (line: string) => void,
  now: () => number,
): (build: CatalogBuild, fraction: number) => void {
  const loads = new WeakMap<CatalogBuild, { readonly since: number; shown: number }>();
  return (build, fraction) => {
    const load = loads.get(build) ?? { since: now(), shown: 0 };
    loads.set(build, load);
    const quarter = Math.floor(fraction * 4);
    if (quarter <= load.shown || now() - load.since < ANNOUNCED_MS_MIN) return;
    load.shown = quarter;
    print(`loading ${build.id}: ${quarter * 25} %`);
  };
}
