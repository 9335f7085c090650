import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask, consoleTest, enter } from '../../support/console/console.js';
import { dropFiles } from '../../support/console/drop.js';
import { png } from '../../support/images/png.js';

/** Two pasted images, one that is too large, and names that are no names of files in a program. */
const DROPPED = [
  { name: 'image.png', type: 'image/png', bytes: png() },
  { name: 'image.png', type: 'image/png', bytes: png({ width: 320, height: 600 }) },
  { name: 'Image.PNG', type: 'image/png', bytes: png({ width: 600, height: 320 }) },
  { name: 'wide.png', type: 'image/png', bytes: png({ width: 5_000, height: 1_500 }) },
  { name: '日本.png', type: 'image/png', bytes: png({ width: 400, height: 400 }) },
  { name: '中国.png', type: 'image/png', bytes: png({ width: 500, height: 300 }) },
];

consoleTest(
  'the program for curl sends the images of the console, from the files that it saves',
  async (t, tab, world) => {
    const { page } = tab;
    await enter(tab, world);
    const images = page.getByRole('region', { name: 'Images' });
    await dropFiles(images.locator('.drop'), DROPPED);
    await images
      .getByText('Used 1 time.')
      .nth(DROPPED.length - 1)
      .waitFor();
    t.equal(
      await images.getByText('Used 1 time.').count(),
      DROPPED.length,
      'no name is a part of another one',
    );
    const reply = page.waitForResponse('**/v1/decide');
    await ask(tab);
    const shown = await (await reply).json();
    t.equal(shown.usage.output_tokens, 3);

    const folder = t.testdir({});
    const buttons = await page.getByRole('button', { name: /^Save .*png$/i }).all();
    t.equal(buttons.length, DROPPED.length);
    for (const button of buttons) {
      const download = page.waitForEvent('download');
      await button.click();
      const file = await download;
      copyFileSync(await file.path(), join(folder, file.suggestedFilename()));
    }
    const program = await page.getByRole('region', { name: 'Program' }).locator('pre').textContent();
    const { stdout } = await promisify(execFile)('bash', ['-c', `${program}`], {
      cwd: folder,
      env: { ...process.env, TOKEN: world.token },
    });
    t.strictSame(JSON.parse(stdout), shown);
  },
);
