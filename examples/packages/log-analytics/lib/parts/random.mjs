/** Numbers from 0 up to 1 that go on where their state was kept: mulberry32. */
export class Random {
  state;

  constructor(state) {
    this.state = state >>> 0;
  }

  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** One of `values`, the first ones more often. */
  early(values) {
    return values[Math.floor(this.next() ** 2 * values.length)];
  }
}
