import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp, { type Sharp } from 'sharp';
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
  { name: '.hidden.png', type: 'image/png', bytes: png({ width: 300, height: 500 }) },
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

/** An image that is bright in one corner. */
const cornered = (orientation: number, format: 'jpeg' | 'png' = 'jpeg'): Promise<Buffer> => {
  const corner = { create: { width: 60, height: 40, channels: 3, background: 'white' } } as const;
  return sharp({ create: { width: 300, height: 400, channels: 3, background: 'black' } })
    .composite([{ input: corner, top: 0, left: 0 }])
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer();
};

/** The size of an image as it is stored, and whether each corner is bright. */
async function corners(image: Buffer | Sharp) {
  const { data, info } = await sharp(Buffer.isBuffer(image) ? image : await image.toBuffer())
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const at = (x: number, y: number) => (data[y * width + x] ?? 0) > 128;
  const [right, bottom] = [width - 10, height - 10];
  return [width, height, at(10, 10), at(right, 10), at(10, bottom), at(right, bottom)];
}

consoleTest('an image is sent as it is shown, whatever its EXIF data say', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  const images = page.getByRole('region', { name: 'Images' });
  const files = await Promise.all([1, 2, 3, 4, 5, 6].map((each) => cornered(each)));
  const last = await cornered(8);
  files.push(Buffer.concat([last.subarray(0, 2), Buffer.from([0xff, 0xff]), last.subarray(2)]));
  files.push(await cornered(6, 'png'));
  await dropFiles(
    images.locator('.drop'),
    files.map((bytes, at) => ({ name: `${at + 1}.jpg`, type: 'image/jpeg', bytes })),
  );
  await images
    .getByText('Used 1 time.')
    .nth(files.length - 1)
    .waitFor();
  t.equal(await images.getByText('turned by its EXIF data').count(), 7);
  for (const [at, original] of files.entries()) {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: `Save ${at + 1}.jpg` }).click();
    const saved = readFileSync(await (await download).path());
    t.strictSame(await corners(saved), await corners(sharp(original).rotate()), `file ${at + 1}`);
    if (at === 0) t.ok(saved.equals(original), 'the file itself');
  }
});
