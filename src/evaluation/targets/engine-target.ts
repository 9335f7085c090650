import { ApiError, ERRORS } from '../../api/index.js';
import type { LocalService } from '../../server/index.js';
import type { Outcome } from '../archive.js';
import { isTemporary, type Target } from './target.js';

/** Requests in progress: enough to fill the waves of a CPU and of a GPU. */
export const ENGINE_CONCURRENCY = 64;

/** The engine in this process. `exact`: the mode that `service` was opened in. */
export function engineTarget(service: LocalService, exact: boolean, concurrency: number): Target {
  return {
    description: { kind: 'engine', backend: service.backend, exact },
    calibrations: Object.fromEntries(
      service.catalog.builds.map(({ id, calibration }) => [id, calibration] as const),
    ),
    concurrency,
    async ask(body, rotations): Promise<Outcome> {
      const request = {
        body: Buffer.from(body),
        content: { encoding: 'identity', media: { kind: 'json' } },
        model: null,
        format: 'decide',
        allowedModels: null,
        diagnostics: { rawProbabilities: true, labelMass: false, optionRotations: rotations },
      } as const;
      // One signal per request: nothing aborts them, and listeners would add up on a shared one.
      const { signal } = new AbortController();
      try {
        const { json, temperatures } = await service.decide(request, signal);
        return { response: JSON.parse(json), temperatures };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { type, message } = error;
        const { status } = ERRORS[type];
        return { error: { status, type, message, temporary: isTemporary(status) } };
      }
    },
    close: () => service.close(),
  };
}
