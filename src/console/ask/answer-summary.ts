import type { Answer } from '../api/api-types.js';
import { percent } from '../ui/format-values.js';

/** An answer in a few words, with its probability. */
export function shortAnswer(answer: Answer): string {
  const { value, probability } = summaryOf(answer);
  return `${value} ${percent(probability)}`;
}

/** What was answered, and its probability. */
export function summaryOf(answer: Answer): { readonly value: string; readonly probability: number } {
  if (answer.type === 'noul') {
    const yes = answer.noul >= 0.5;
    return { value: yes ? 'Yes' : 'No', probability: yes ? answer.noul : 1 - answer.noul };
  }
  const key = answer.type === 'choice' ? answer.choice : String(answer.level);
  const probability = Object.hasOwn(answer.probabilities, key) ? (answer.probabilities[key] as number) : 0;
  if (answer.type === 'choice') return { value: key, probability };
  const label = Object.hasOwn(answer.legend, key) ? answer.legend[key] : '';
  return { value: label ? `${key} · ${label}` : key, probability };
}
