import { test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { decode } from '../../src/images/decode.js';
import { ImageReader } from '../../src/images/index.js';
import type { Bitmap } from '../../src/images/pixels.js';
import { hostileFiles } from '../support/images/hostile.js';
import { jpeg } from '../support/images/jpeg.js';

const files = await hostileFiles();

/** How a file is refused; '' where it is read. */
async function refusal(file: (typeof files)[number], data: string | Buffer): Promise<string> {
  try {
    await new ImageReader().check([{ subject: 'The asset', format: file.format, data }]);
    return '';
  } catch (error) {
    if (error instanceof ApiError) return error.type;
    throw error;
  }
}

test(`${files.length} files: each is refused as the table says, or read`, async (t) => {
  t.ok(files.length >= 100);
  for (const file of files) {
    const { name, bytes, expected } = file;
    const type = typeof expected === 'string' ? expected : '';
    t.equal(await refusal(file, bytes), type, name);
    t.equal(await refusal(file, bytes.toString('base64')), type, `${name}, in base64`);
  }
});

test('images that are read have the pixels that were written', async (t) => {
  for (const { name, bytes, expected } of files) {
    if (typeof expected === 'string') continue;
    const { width, height, rgb } = (await decode(bytes)) as Bitmap;
    t.equal(rgb.length, width * height * 3, name);
    for (const place of [0, (height >> 1) * width + (width >> 1), width * height - 1]) {
      const pixel = [...rgb.subarray(place * 3, place * 3 + 3)];
      const distance = Math.max(...pixel.map((value, i) => Math.abs(value - (expected[i] as number))));
      t.ok(distance <= (name.includes('CMYK') ? 40 : 3), `${name}: ${pixel} at ${place}`);
    }
  }
});

test('EXIF data turn nothing', async (t) => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const found = (await decode(await jpeg({ orientation }))) as Bitmap;
    t.strictSame([found.width, found.height], [300, 290], `orientation ${orientation}`);
  }
});
