import { type ArchivedAnswer, readArchive } from './archive.js';
import type { Calibrations } from './archive-header.js';
import type { Case } from './cases/case.js';
import type { TargetDescription } from './report.js';
import type { Task } from './run-evaluation.js';
import { readResults } from './targets/results-target.js';
import { type VariantName, type VariantOptions, variantsOf } from './variants.js';

/** What is known of every request of a run, by case and variant. A later answer replaces an earlier one. */
export class Outcomes {
  private readonly byCase = new Map<string, Map<VariantName, ArchivedAnswer>>();

  constructor(answers: readonly ArchivedAnswer[] = []) {
    for (const answer of answers) this.add(answer);
  }

  add(answer: ArchivedAnswer): void {
    const variants = this.byCase.get(answer.case) ?? new Map<VariantName, ArchivedAnswer>();
    variants.set(answer.variant, answer);
    this.byCase.set(answer.case, variants);
  }

  of(id: string, variant: VariantName): ArchivedAnswer | undefined {
    return this.byCase.get(id)?.get(variant);
  }

  /** The variants of a case that have an outcome, sorted: sums must not depend on the order of the answers. */
  variants(id: string): VariantName[] {
    return [...(this.byCase.get(id)?.keys() ?? [])].sort();
  }

  /** The requests that are still to be made: those without an outcome, and those that failed for a temporary reason. */
  open(cases: readonly Case[], options: VariantOptions): Task[] {
    return cases.flatMap((asked) =>
      variantsOf(asked, options)
        .filter((variant) => !this.isFinal(asked.id, variant))
        .map((variant) => ({ asked, variant })),
    );
  }

  private isFinal(id: string, variant: VariantName): boolean {
    const outcome = this.of(id, variant);
    return outcome !== undefined && (!('error' in outcome) || !outcome.error.temporary);
  }
}

/** Outcomes that a file holds, so that nothing has to be asked. */
export interface StoredOutcomes {
  readonly outcomes: Outcomes;
  /** The target that the archive was made with. */
  readonly target: TargetDescription;
  /** The SHA-256 of the cases file that an archive was made with; null for batch results. */
  readonly casesSha256: string | null;
  /** See `ArchiveHeader`; null: they are not known. */
  readonly calibrations: Calibrations | null;
}

/** Reads an archive or a batch results file. Throws OperatorError. */
export function readStored(file: string): StoredOutcomes {
  const archive = readArchive(file);
  if (archive !== null) {
    const { header, answers } = archive;
    const { target, cases_sha256, calibrations = null } = header;
    return { outcomes: new Outcomes(answers), target, casesSha256: cases_sha256, calibrations };
  }
  const { description, outcomes } = readResults(file);
  const answers = [...outcomes].map(([id, outcome]) => ({
    case: id,
    variant: 'sent' as const,
    repeated: 0,
    ...outcome,
  }));
  return { outcomes: new Outcomes(answers), target: description, casesSha256: null, calibrations: null };
}
