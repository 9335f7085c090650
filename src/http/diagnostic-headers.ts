import { ApiError, LIMITS } from '../api/index.js';
import type { Diagnostics } from '../decide/index.js';
import { valuesOf } from './head.js';
import type { HeaderList } from './transport/transport-types.js';

/** What the headers of a decide request ask for (contract 4.1). Throws ApiError `invalid_request`. */
export function readDiagnostics(headers: HeaderList): Diagnostics {
  return {
    rawProbabilities: isTrue(headers, 'service-raw-probabilities'),
    labelMass: isTrue(headers, 'service-label-mass'),
    optionRotations: readRotations(headers),
  };
}

/** Any value but `true`, in any case, is ignored. */
const isTrue = (headers: HeaderList, name: string): boolean =>
  valuesOf(headers, name).some((value) => value.toLowerCase() === 'true');

/** Any value but a number is refused: the answer would not be the one that was asked for. */
function readRotations(headers: HeaderList): number {
  const values = valuesOf(headers, 'service-option-rotations');
  if (values.length === 0) return 1;
  const [value = ''] = values;
  const rotations = /^[1-9]\d{0,2}$/.test(value) ? Number(value) : 0;
  if (values.length === 1 && rotations >= 1 && rotations <= LIMITS.optionRotations) return rotations;
  throw new ApiError(
    'invalid_request',
    `\`Service-Option-Rotations\` must be an integer from 1 to ${LIMITS.optionRotations}, given once.`,
  );
}
