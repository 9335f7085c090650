import type { ModelDescription } from '../addon/addon-types.js';

const UNITS = [
  ['B', 1e9],
  ['M', 1e6],
  ['K', 1e3],
] as const;

/**
 * The description of a model by llama.cpp: `gemma3 4B Q8_0`. llama.cpp recognizes the sizes of some models by their layers
 * and writes `?B` for all others, which the number of parameters replaces here: `gemma3 5.6M Q8_0`.
 */
export const modelSummary = ({
  summary,
  parameters,
}: Pick<ModelDescription, 'summary' | 'parameters'>): string => summary.replace('?B', showCount(parameters));

/** Two to three digits: `5.6M`, `120M`, `12B`. */
function showCount(count: number): string {
  const [unit, size] = UNITS.find(([, least]) => count >= least * 0.9995) ?? (['', 1] as const);
  const value = count / size;
  return `${value >= 9.95 ? Math.round(value) : value.toFixed(1).replace(/\.0$/, '')}${unit}`;
}
