import sharp from 'sharp';
import { uniform } from '../../../models/tiny/random.js';
import type { RequestSource } from '../../../src/load/index.js';

const IMAGES = 64;
const SIZE = { width: 640, height: 480 } as const;
const BUDGET = 140;

/** Requests with one question about a JPEG each; 64 images take turns. */
export async function imageRequests(): Promise<RequestSource> {
  const files = await Promise.all(Array.from({ length: IMAGES }, (_, at) => photograph(at)));
  const bodies = files.map((file) =>
    Buffer.from(
      JSON.stringify({
        state: 'A photo of the parcel: photo',
        questions: { damaged: { type: 'noul', instructions: 'Is the parcel damaged?' } },
        assets: { photo: { format: 'jpeg', data_base64: file.toString('base64') } },
        image_budget: BUDGET,
      }),
    ),
  );
  let count = 0;
  return { next: () => ({ shape: 'image', body: bodies[count++ % IMAGES] as Buffer }) };
}

/** Smooth gradients with fine noise. */
function photograph(number: number): Promise<Buffer> {
  const next = uniform(number, 'photograph');
  const { width, height } = SIZE;
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < rgb.length; at++)
    rgb[at] = 120 + 80 * Math.sin(at / (5_000 + 100 * number)) + 20 * next();
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer();
}
