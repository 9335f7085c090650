/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const ROUNDS = Uint32Array.from(fractions(64, 1 / 3));
const START = fractions(8, 1 / 2);
const BLOCK_BYTES = 64;

function fractions(count: number, power: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (isPrime(candidate)) found.push(Math.floor((candidate ** power % 1) * 2 ** 32));
  }
  return found;
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) {
    if (candidate % divisor === 0) return false;
  }
  return true;
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** SHA-256 of bytes that arrive in parts. Browsers offer their own on pages with TLS and on this machine only. */
export class Sha256 {
  private readonly state = Uint32Array.from(START);
  private readonly words = new Uint32Array(64);
  private rest = new Uint8Array();
  private bytes = 0;

  add(part: Uint8Array): void {
    this.bytes += part.length;
    const all = new Uint8Array(this.rest.length + part.length);
    all.set(this.rest);
    all.set(part, this.rest.length);
    const whole = all.length - (all.length % BLOCK_BYTES);
    const view = new DataView(all.buffer);
    for (let at = 0; at < whole; at += BLOCK_BYTES) this.block(view, at);
    this.rest = all.slice(whole);
  }

  /** The digest in hexadecimal. Nothing can be added after it. */
  end(): string {
    const { bytes } = this;
    // A byte, zeros and the length in 8 bytes fill the last block.
    const zeros = (2 * BLOCK_BYTES - 9 - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
    const padding = new Uint8Array(zeros + 9);
    padding[0] = 0x80;
    new DataView(padding.buffer).setBigUint64(padding.length - 8, BigInt(bytes) * 8n);
    this.add(padding);
    return [...this.state].map((word) => word.toString(16).padStart(8, '0')).join('');
  }

  private block(view: DataView, start: number): void {
    const { words, state } = this;
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(start + 4 * at);
    for (let at = 16; at < 64; at += 1) {
      const [near, far] = [words[at - 2] as number, words[at - 15] as number];
      const one = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
      const zero = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
      words[at] = one + (words[at - 7] as number) + zero + (words[at - 16] as number);
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let at = 0; at < 64; at += 1) {
      const high = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const first = (h + high + ((e & f) ^ (~e & g)) + (ROUNDS[at] as number) + (words[at] as number)) | 0;
      const low = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] as number) + word;
  }
}

/** The SHA-256 of a file in hexadecimal, read in parts. */
export async function digestOf(file: Blob): Promise<string> {
  const digest = new Sha256();
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return digest.end();
    digest.add(value);
  }
}
