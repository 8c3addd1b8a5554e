// Inside the engine a window is a number that counts from 0 with the first start of the application; outside it is the
// engine's id, epoch seconds << 32 | counter, as decimal text. The counter starts anew after this many windows.
const windowsPerCycle = 0x3fff;

/** When the windows of an application begin; the same for all its containers, whenever they start. */
export interface WindowClock {
  /** Epoch milliseconds of the beginning of window 0, for ids. */
  readonly epochMillis: number;
  /** The same moment on the machine's monotonic clock, for timing. */
  readonly monotonicMillis: number;
  readonly widthMillis: number;
}

export function windowId(clock: Pick<WindowClock, 'epochMillis' | 'widthMillis'>, window: number): string {
  if (window < 0) return '0';
  const cycle = Math.floor(window / windowsPerCycle);
  const seconds = Math.floor((clock.epochMillis + cycle * windowsPerCycle * clock.widthMillis) / 1000);
  return String((BigInt(seconds) << 32n) | BigInt(window % windowsPerCycle));
}

/** The first window that begins not sooner than in so many milliseconds. */
export const firstWindowAfter = (clock: WindowClock, millis: number): number =>
  Math.ceil((monotonicMillis() - clock.monotonicMillis + millis) / clock.widthMillis);

/** Milliseconds of the clock that all processes of this machine share and no change of the time of day moves. */
export function monotonicMillis(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
