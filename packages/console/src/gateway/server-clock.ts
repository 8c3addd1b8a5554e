/** How far the gateway's clock is ahead of this machine's, in milliseconds; ages are counted from its clock. */
let aheadMillis = 0;

/** From the `Date` of an answer, which has whole seconds: only what is more than that away is a difference. */
export function readClockOf(answer: Response): void {
  const sent = Date.parse(answer.headers.get('date') ?? '');
  if (Number.isNaN(sent)) return;
  const difference = sent + 500 - Date.now();
  aheadMillis = Math.abs(difference) < 2000 ? 0 : difference;
}

/** Epoch milliseconds, by the gateway's clock. */
export const serverNow = (): number => Date.now() + aheadMillis;
