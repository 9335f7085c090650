import { type Cell, type Html, html, type Section, table } from '../../report/index.js';
import type { FitReport, TypeFit } from '../report.js';
import { range, signed } from '../show-evaluation.js';

/** The temperatures that `--fit` found. */
export function fitSection({ build, refused, folds, types, held_out: held }: FitReport): Section {
  const title = 'Temperatures';
  if (refused !== null) return { title, content: [html`<p>Nothing was fitted: ${refused}.</p>`] };
  const content: Html[] = [
    html`<p>Temperatures of ${build}, by question type and option count. The log loss is that of ${folds} folds that were not used for fitting; a group never spans folds. Only types that improve are written to the manifest.</p>`,
    fitTable(types),
  ];
  if (held !== null) {
    content.push(
      html`<p>Log loss of ${held.questions} held-out questions: ${held.before.toFixed(4)} before, ${held.after.toFixed(4)} after.</p>`,
    );
  }
  return { title, content };
}

function fitTable(types: readonly TypeFit[]): Html {
  const number = (name: string) => ({ title: name, kind: 'number' as const });
  const columns = [
    number('Questions'),
    number('Wrong'),
    number('Log loss before'),
    number('After'),
    number('Change'),
  ];
  return table(
    'Temperatures',
    [{ title: 'Type', kind: 'text' }, ...columns, { title: 'Result', kind: 'text' }],
    types.map(({ type, questions, wrong, refused, cross_validated: result, temperatures }): Cell[] => {
      const counts = [type, String(questions), String(wrong)];
      if (result === null) return [...counts, '–', '–', '–', `not fitted: ${refused}`];
      const { before, after, change, improves } = result;
      const found = Object.entries(temperatures).map(([key, value]) => `${key} ${value}`);
      return [
        ...counts,
        before.toFixed(4),
        after.toFixed(4),
        [signed(change.value), range(change.ci, signed)],
        `${found.join(', ')}${improves ? '' : ' (no improvement)'}`,
      ];
    }),
  );
}
