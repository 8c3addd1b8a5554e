import { constant, unknown, type Value } from './constructor-values.js';

// What the machine computes of constants; of anything else nothing is known.

/** `which`: addition, subtraction, multiplication, division. */
export function computed(which: number, type: string, a: Value, b: Value): Value {
  if (a.is !== 'constant' || b.is !== 'constant') return unknown();
  const [x, y] = [a.value, b.value];
  if (typeof x === 'bigint' && typeof y === 'bigint') {
    if (which === 3 && y === 0n) return unknown();
    return constant(BigInt.asIntN(64, [x + y, x - y, x * y, y === 0n ? 0n : x / y][which] ?? 0n));
  }
  if (typeof x !== 'number' || typeof y !== 'number' || type === 'J') return unknown();
  if (type === 'I') {
    if (which === 3 && y === 0) return unknown();
    return constant([(x + y) | 0, (x - y) | 0, Math.imul(x, y), (x / y) | 0][which] ?? 0);
  }
  const result = [x + y, x - y, x * y, x / y][which] ?? 0;
  return constant(type === 'F' ? Math.fround(result) : result);
}

/** From the code 133 on: from what, to what. */
export const conversions = 'IJ IF ID JI JF JD FI FJ FD DI DJ DF IB IC IS'.split(' ');

export function converted(value: Value, from = '', to = ''): Value {
  if (value.is !== 'constant') return unknown();
  const { value: number } = value;
  if (from === 'I' && typeof number === 'number') {
    if (to === 'J') return constant(BigInt(number));
    if (to === 'D') return constant(number);
    if (to === 'F') return constant(Math.fround(number));
    if (to === 'B') return constant((number << 24) >> 24);
    if (to === 'C') return constant(number & 0xffff);
    return constant((number << 16) >> 16);
  }
  if (from === 'J' && typeof number === 'bigint') {
    if (to === 'I') return constant(Number(BigInt.asIntN(32, number)));
    return to === 'D' ? constant(Number(number)) : unknown();
  }
  if (from === 'F' && to === 'D') return value;
  if (from === 'D' && to === 'F' && typeof number === 'number') return constant(Math.fround(number));
  return unknown();
}
