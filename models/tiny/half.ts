const source = new Float32Array(1);
const bits = new Uint32Array(source.buffer);

/**
 * The IEEE 754 half-precision bits of a number: nearest value, ties to the even one, as
 * hardware conversions do. Numbers too large become infinity, tiny ones subnormal or zero.
 */
export function toHalf(value: number): number {
  source[0] = value;
  const single = bits[0] as number;
  const sign = (single >>> 16) & 0x8000;
  const magnitude = single & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) return sign | rounded(magnitude - 0x38000000, 13);
  const shift = 126 - (magnitude >>> 23);
  if (shift > 24) return sign;
  return sign | rounded((magnitude & 0x7fffff) | 0x800000, shift);
}

/** `value >> shift`, rounded to nearest with ties to even; a carry runs into the exponent as it should. */
function rounded(value: number, shift: number): number {
  const kept = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  return kept + (rest > middle || (rest === middle && (kept & 1) === 1) ? 1 : 0);
}

/** The number that half-precision bits stand for. */
export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
