import { type AlertState, nextState } from './alert-state.js';
import type { ConditionRunner } from './conditions/condition.js';
import type { Backtest } from './schema.js';
import type { TopicRecord } from './topic-history.js';

/** What is asked of the runner at once: alerts take their turn in between, so it may last little more than a second. */
const atOnce = { records: 5, characters: 4 * 1024 ** 2 };

/** When an alert with this condition would have fired. `records`: the oldest first. */
export async function backtest(
  runner: Pick<ConditionRunner, 'evaluate'>,
  { script, timeThresholdMillis }: { readonly script: string; readonly timeThresholdMillis: number },
  records: readonly TopicRecord[],
  signal: AbortSignal,
): Promise<Backtest> {
  const activations: { inTime: number; outTime?: number }[] = [];
  let state: AlertState = { is: 'inactive' };
  let evaluations = 0;
  let errors = 0;
  const conditions = [{ script }];
  for (const piece of pieces(records)) {
    signal.throwIfAborted();
    const results = await runner.evaluate({
      snapshots: piece.map(({ topics }) => ({
        topics,
        conditions,
      })),
    });
    for (const [index, { time }] of piece.entries()) {
      const result = results[index];
      evaluations++;
      if (result?.is !== 'evaluated') errors++;
      const next = nextState(
        state,
        result?.is === 'evaluated'
          ? { is: 'evaluated', holds: result.holds, thresholdMillis: timeThresholdMillis }
          : { is: 'failed' },
        { now: time, monotonic: time },
      );
      const last = activations.at(-1);
      if (next.change === 'triggered') activations.push({ inTime: time });
      if (next.change === 'cleared' && last) last.outTime = time;
      state = next.state ?? state;
    }
    // A script that has to be stopped is not run over all the rest.
    if (results.some(({ is }) => is === 'stopped' || is === 'skipped')) break;
  }
  const times = records.slice(0, evaluations).map(({ time }) => time);
  const [from] = times;
  const to = times.at(-1);
  return {
    ...(from === undefined || to === undefined ? {} : { from, to }),
    evaluations,
    errors,
    activations,
  };
}

function* pieces(records: readonly TopicRecord[]): Generator<readonly TopicRecord[]> {
  let piece: TopicRecord[] = [];
  let characters = 0;
  for (const record of records) {
    piece.push(record);
    for (const text of record.topics.values()) characters += text.length;
    if (piece.length < atOnce.records && characters < atOnce.characters) continue;
    yield piece;
    piece = [];
    characters = 0;
  }
  if (piece.length > 0) yield piece;
}
