import { OperatorError } from '../../base/index.js';
import { cpuBackendFor } from '../addon/load-addon.js';
import type { CatalogBuild } from '../models/catalog.js';
import { deriveSizes, devicesOf, type SizeSettings, settingsOf } from '../sizes.js';
import { addNeeds, type BuildMemory, estimateMemory, type Place } from './estimate-memory.js';
import { showChange, showShortage, showTotal } from './memory-messages.js';
import { changesToTry, fitsEasily, shortages } from './memory-remedies.js';
import type { MemoryNeed, MemorySpace } from './memory-types.js';

/** Models do not fit in memory; one line has the numbers and the settings that would fit. */
export class MemoryError extends OperatorError {
  override readonly name = 'MemoryError';
}

/** Where and how large an engine is to be, and what is free there. */
export interface MemoryPlan extends Place {
  readonly settings: SizeSettings;
  readonly spaces: readonly MemorySpace[];
  /** Measures one build; a parameter for tests. */
  readonly estimate?: typeof estimateMemory;
}

/** The estimated memory of builds that are loaded together. */
export interface MemoryEstimate {
  readonly builds: readonly BuildMemory[];
  /** The sum of the builds that could be measured, one per device. */
  readonly needs: readonly MemoryNeed[];
}

/** Estimates what builds take at the sizes of the settings. Throws the reason of the stop signal. */
export async function estimateBuilds(
  plan: MemoryPlan,
  builds: readonly CatalogBuild[],
  stop?: AbortSignal,
): Promise<MemoryEstimate> {
  const estimates = await estimateAll(plan, builds, [plan.settings], stop);
  return { builds: estimates, needs: sumOf(estimates, 0) };
}

/**
 * Estimates what builds take if all are loaded, before any of them is. Throws MemoryError if that is more than is free on
 * a device, or leaves less than the reserve of a GPU, and the reason of the stop signal. Builds that cannot be measured
 * are not counted.
 */
export async function requireMemory(
  plan: MemoryPlan,
  builds: readonly CatalogBuild[],
  stop?: AbortSignal,
): Promise<MemoryEstimate> {
  const estimate = await estimateBuilds(plan, builds, stop);
  const short = shortages(estimate.needs, plan.spaces, plan.backend);
  if (short.length === 0) return estimate;
  const measured = builds.filter((_, index) => estimate.builds[index]?.failure === null);
  const remedies = await findRemedies(plan, measured, stop);
  const ownSizes = builds.filter(({ model }) => model.engine !== undefined).map(({ model }) => model.id);
  throw new MemoryError(showShortage(short, estimate.builds, remedies, ownSizes));
}

/**
 * Throws MemoryError if files of this size cannot fit in RAM and a device together, whatever else is in use: for files
 * that are not here yet, so that no more than their size is known.
 */
export function requireTotal(
  name: string,
  bytes: number,
  { devices, spaces }: Pick<MemoryPlan, 'devices' | 'spaces'>,
): void {
  const holding = spaces.filter(({ device }) => device === '' || device === devices[0]);
  // A GPU that does not report its memory may have any amount.
  if (devices.some((device) => !spaces.some((space) => space.device === device))) return;
  if (bytes <= holding.reduce((sum, { total }) => sum + total, 0)) return;
  throw new MemoryError(showTotal(name, bytes, holding));
}

/** Estimates each build on its own devices, at the sizes that each of the settings gives it. */
async function estimateAll(
  { backend, devices, estimate = estimateMemory }: MemoryPlan,
  builds: readonly CatalogBuild[],
  settings: readonly SizeSettings[],
  stop?: AbortSignal,
): Promise<BuildMemory[]> {
  const estimates: BuildMemory[] = [];
  for (const build of builds) {
    const own = devicesOf(build.model, devices);
    const sizes = settings.map((each) => deriveSizes(settingsOf(build.model, each), own[0] ?? ''));
    estimates.push(await estimate({ backend, devices: own }, build, sizes, stop));
  }
  return estimates;
}

const sumOf = (estimates: readonly BuildMemory[], index: number): MemoryNeed[] =>
  addNeeds(estimates.flatMap(({ needs }) => needs?.[index] ?? []));

/** Changes of settings with which the builds fit, in words. */
async function findRemedies(
  plan: MemoryPlan,
  builds: readonly CatalogBuild[],
  stop?: AbortSignal,
): Promise<string[]> {
  const readsImages = builds.some(({ projector }) => projector !== null);
  const { usual, last } = changesToTry(plan.settings, plan.devices[0] ?? '', readsImages);
  const found = (await Promise.all(usual.map((changes) => firstFitting(plan, builds, changes, stop)))).flat();
  const others = found.length > 0 ? found : await firstFitting(plan, builds, last, stop);
  return [...others, ...(await cpuRemedy(plan, builds, stop))];
}

/** The first change with which the builds fit, in words; empty if none does. */
async function firstFitting(
  plan: MemoryPlan,
  builds: readonly CatalogBuild[],
  changes: ReadonlyArray<{ readonly changed: object; readonly settings: SizeSettings }>,
  stop?: AbortSignal,
): Promise<string[]> {
  if (changes.length === 0) return [];
  const settings = changes.map((each) => each.settings);
  const estimates = await estimateAll(plan, builds, settings, stop);
  // Nothing is known about a size that could not be measured.
  if (estimates.some(({ failure }) => failure !== null)) return [];
  const fitting = changes.flatMap(({ changed }, index) => {
    const needs = sumOf(estimates, index);
    return fitsEasily(needs, plan.spaces, plan.backend) ? [showChange(changed, needs)] : [];
  });
  return fitting.slice(0, 1);
}

/** The CPU in place of a GPU, if the builds fit in RAM. */
async function cpuRemedy(
  plan: MemoryPlan,
  builds: readonly CatalogBuild[],
  stop?: AbortSignal,
): Promise<string[]> {
  // A model that names its GPU cannot be loaded without it.
  if (plan.devices[0] === '' || builds.some(({ model }) => model.engine?.devices !== undefined)) return [];
  const cpu: MemoryPlan = { ...plan, backend: cpuBackendFor(plan.backend), devices: [''] };
  return firstFitting(cpu, builds, [{ changed: { backend: 'cpu' }, settings: plan.settings }], stop);
}
