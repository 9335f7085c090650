import type { BuildMemory } from './estimate-memory.js';
import type { Shortage } from './memory-remedies.js';
import { type MemoryNeed, type MemorySpace, type ReserveAdvice, totalOf } from './memory-types.js';

/** `12.3 GB`, or `45 MB` below one. A decimal more than `showBytes` of base/, because sizes are compared. */
const showSize = (bytes: number): string =>
  bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

const showDevice = (device: string): string => (device === '' ? 'RAM' : device);

/** `12.3 GB (weights 8.1 GB, KV cache 3.0 GB, buffers 1.2 GB)`. */
function showNeed(need: MemoryNeed): string {
  const parts = [
    ['weights', need.weights],
    ['KV cache', need.cache],
    ['buffers', need.buffers],
    ['projector', need.projector],
  ] as const;
  const shown = parts.filter(([, bytes]) => bytes > 0).map(([name, bytes]) => `${name} ${showSize(bytes)}`);
  return `${showSize(totalOf(need))} (${shown.join(', ')})`;
}

/** `RAM 12.3 GB (weights 8.1 GB, KV cache 4.2 GB), 24.1 GB free`. `free`: undefined if unknown. */
export function showMemory(need: MemoryNeed, free: number | undefined): string {
  const rest = free === undefined ? '' : `, ${showSize(free)} free`;
  return `${showDevice(need.device)} ${showNeed(need)}${rest}`;
}

/** `engine.cells 4096 (23.1 GB)`, with what the models then need on the device that holds most of them. */
export function showChange(settings: object, needs: readonly MemoryNeed[]): string {
  const changes = Object.entries(settings).map(([name, value]) => `engine.${name} ${value}`);
  const most = Math.max(...needs.map(totalOf));
  return `${changes.join(' and ')} (${showSize(most)})`;
}

/** Why models do not fit, and what to do. `ownSizes`: models that the manifest gives sizes or devices of their own. */
export function showShortage(
  short: readonly Shortage[],
  estimates: readonly BuildMemory[],
  remedies: readonly string[],
  ownSizes: readonly string[],
): string {
  const names = estimates.filter(({ needs }) => needs !== null).map(({ build }) => build);
  const lacks = short.map(
    ({ need, space, reserve }) =>
      `${showNeed(need)} of ${showDevice(need.device)} needed, ${showSize(space.free)} free${reserve > 0 ? `, of which ${showSize(reserve)} must stay free` : ''}`,
  );
  return [
    `${names.join(', ')}: not enough memory: ${lacks.join('; ')}.`,
    remedies.length > 0
      ? `Settings that fit: ${remedies.join(', or ')}.`
      : `No settings make it fit. Use a smaller quantization${names.length > 1 ? ', fewer models' : ''} or a device with more memory.`,
    ...(ownSizes.length > 0
      ? [`The settings do not apply to what engine sets in the manifest for ${ownSizes.join(', ')}.`]
      : []),
    'To load it anyway, set engine.memory_check to false.',
  ].join(' ');
}

/** Why files cannot fit, whatever else is in use. */
export function showTotal(name: string, bytes: number, spaces: readonly MemorySpace[]): string {
  const has = spaces.map(({ device, total }) => `${showSize(total)} of ${showDevice(device)}`);
  return `${name}: not enough memory: its files have ${showSize(bytes)}, and this machine has ${has.join(' and ')}. Use a smaller quantization. To install it anyway, set engine.memory_check to false.`;
}

/** Why devices have too little free after the first waves, and what to do. */
export function lowMemory(
  low: readonly MemorySpace[],
  reserve: number,
  { cells, contexts, waveTokens }: ReserveAdvice,
): string {
  const found = low.map(
    ({ device, free, total }) => `${showSize(free)} of ${showSize(total)} of ${device} are free`,
  );
  const lower = [
    contexts > 1 ? 'set engine.contexts to 1' : null,
    `set engine.cells below ${cells} or engine.wave_tokens below ${waveTokens}`,
    'use a smaller quantization, fewer models or a device with more memory',
  ].filter((each) => each !== null);
  return [
    `Not enough memory: after the first waves ${found.join(', and ')}, and ${showSize(reserve)} must be.`,
    `Do one of these: ${lower.join('; ')}.`,
    'To start anyway, set engine.memory_check to false.',
  ].join(' ');
}
