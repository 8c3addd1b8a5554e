import { ranMillis } from './ran-millis.js';

/** The host waits for a process that does not get to run for so many quarters of the timeout. */
const maxQuarters = 20;

/** Measures how long a process says nothing, until it is over: a process that hardly runs in that time gets more of it. */
export function watchSilence(
  pid: number | undefined,
  timeoutMillis: number,
  hooks: { readonly atQuarter: (() => void) | undefined; readonly atEnd: () => void },
): { isOver(): void } {
  let isOver = false;
  let quarters = 0;
  let ranBefore = Number.NaN;
  const listen = (): void => {
    // It may be under way already when the timer is cleared.
    if (isOver) return;
    quarters++;
    // It hardly ever comes so far as to ask.
    if (quarters === 1) {
      ranBefore = ranMillis(pid);
      hooks.atQuarter?.();
    }
    const isStarved = quarters < maxQuarters && ranMillis(pid) - ranBefore < timeoutMillis / 10;
    if (quarters < 4 || isStarved) timer = setTimeout(look, quarter);
    else hooks.atEnd();
  };
  // Where the host itself was busy for so long, what was said is read first.
  const look = () => void setImmediate(listen);
  const quarter = timeoutMillis / 4;
  let timer = setTimeout(look, quarter);
  return {
    isOver() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
