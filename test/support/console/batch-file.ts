import type { Page } from 'playwright-core';

export const HOSTILE_NAME = '<img src=x onerror="document.title=1">\u202eevil';
export const HOSTILE_LABEL = '</td><script>document.title=1</script>';

/** A batch file with so many lines. `hostile`: with names that would be markup. */
export function batchFile(lines: number, hostile = false): string {
  const [question, label] = hostile ? [HOSTILE_NAME, HOSTILE_LABEL] : ['team', 'billing'];
  const line = (at: number) => ({
    custom_id: `case-${at}`,
    model: 'tiny',
    state: `Message ${at}: my card was charged ${at} times.`,
    questions: {
      angry: { type: 'noul', instructions: 'Is the customer angry?' },
      [question]: { type: 'choice', criteria: hostile ? [label] : [label, 'technical', 'sales'] },
    },
  });
  return Array.from({ length: lines }, (_, at) => JSON.stringify(line(at))).join('\n');
}

/** Chooses a batch file in the file dialog. */
export async function chooseBatch(page: Page, content: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (await chooser).setFiles({ name: 'lines.jsonl', mimeType: '', buffer: Buffer.from(content) });
}
