import { readArchive } from './archive.js';
import { Outcomes } from './outcomes.js';
import type { TargetDescription } from './report.js';
import { readResults } from './targets/results.js';

/** Outcomes that a file holds, so that nothing has to be asked. */
export interface StoredOutcomes {
  readonly outcomes: Outcomes;
  /** The target that the archive was made with. */
  readonly target: TargetDescription;
  /** The SHA-256 of the cases file that an archive was made with; null for batch results. */
  readonly casesSha256: string | null;
}

/** Reads an archive or a batch results file. Throws OperatorError. */
export function readStored(file: string): StoredOutcomes {
  const archive = readArchive(file);
  if (archive !== null) {
    const { header, answers } = archive;
    return { outcomes: new Outcomes(answers), target: header.target, casesSha256: header.cases_sha256 };
  }
  const { description, outcomes } = readResults(file);
  const answers = [...outcomes].map(([id, outcome]) => ({
    case: id,
    variant: 'sent' as const,
    repeated: 0,
    ...outcome,
  }));
  return { outcomes: new Outcomes(answers), target: description, casesSha256: null };
}
