import { OperatorError } from '../base/index.js';
import type { TargetDescription } from './report.js';

/** By build: a digest of what decides its probabilities; see `CatalogBuild`. */
export type Calibrations = Readonly<Record<string, string>>;

/**
 * The first line of an archive. The archive of a run holds every response, so that reports can be made again without
 * asking again. It is JSON Lines and only ever grows: a header, then one `ArchivedAnswer` per request.
 */
export interface ArchiveHeader {
  readonly format: 'decider archive 1';
  /** The SHA-256 of the cases file. */
  readonly cases_sha256: string;
  readonly target: TargetDescription;
  /** The model that was asked for; null: as the cases say. */
  readonly model: string | null;
  /**
   * Of the builds that the cases need. Absent if a server answered, whose responses do not have them, or if an earlier
   * version of this program made the archive.
   */
  readonly calibrations?: Calibrations;
}

/** Throws OperatorError if an archive was made with something else. The concurrency may differ. */
export function requireSameRun(file: string, found: ArchiveHeader, wanted: ArchiveHeader): void {
  const differs = differenceOf(found, wanted);
  if (differs !== null) {
    throw new OperatorError(
      `The archive ${file} was made with ${differs}. Repeat that command with --resume, or name another --archive.`,
    );
  }
  requireSameBuilds(file, found.calibrations, wanted.calibrations);
}

/**
 * Throws OperatorError if the builds of an archive are known to be others than those that would answer now, or to give
 * other probabilities.
 */
export function requireSameBuilds(
  file: string,
  found: Calibrations | undefined,
  wanted: Calibrations | undefined,
): void {
  if (found === undefined || wanted === undefined) return;
  const differs = otherBuilds(found, wanted) ?? otherCalibrations(found, wanted);
  if (differs === null) return;
  throw new OperatorError(
    `The archive ${file} was made with ${differs}. Undo the change of the manifest and repeat the command with --resume, or name another --archive. --results reports on what was answered before.`,
  );
}

function differenceOf(found: ArchiveHeader, wanted: ArchiveHeader): string | null {
  if (found.cases_sha256 !== wanted.cases_sha256) return 'other cases';
  if (found.model !== wanted.model) return found.model === null ? 'no --model' : `--model ${found.model}`;
  const [a, b] = [found.target, wanted.target].map((target) =>
    JSON.stringify({ ...target, concurrency: undefined }),
  );
  return a === b ? null : `another target: ${a}`;
}

function otherBuilds(found: Calibrations, wanted: Calibrations): string | null {
  const [before, now] = [found, wanted].map((each) => Object.keys(each).sort().join(', '));
  return before === now ? null : `${before}, and now ${now} would answer`;
}

function otherCalibrations(found: Calibrations, wanted: Calibrations): string | null {
  const changed = Object.keys(found).filter((build) => found[build] !== wanted[build]);
  if (changed.length === 0) return null;
  return `other temperatures, another profile or other files of ${changed.join(', ')}`;
}
