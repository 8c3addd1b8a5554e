import { useMemo } from 'react';
import { barsOf } from '../../charts/histogram.js';
import { clockTime, moment } from '../../format/time.js';
import type { Happened } from '../../gateway/event-list.js';
import { usePreferences } from '../../gateway/preferences.js';
import { serverNow } from '../../gateway/server-clock.js';
import type { Span } from '../../shell/time-range.js';
import classes from './events.module.css';
import { words } from './words.js';

const most = 60;
const day = 86_400_000;

interface Props {
  readonly events: readonly Happened[];
  /** Epoch milliseconds; where they are not given: as far as there are events, and until now. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly onSelect: (span: Span) => void;
}

/** How many happened when; a bar is a button that shows its time alone. */
export function Histogram({ events, from, to, onSelect }: Props) {
  const { zone } = usePreferences();
  const bars = useMemo(() => {
    const end = to ?? serverNow();
    const begin = Math.min(from ?? events.at(-1)?.timestamp ?? end, end - 1);
    return barsOf(
      events.map(({ timestamp }) => timestamp),
      begin,
      end,
      most,
    );
  }, [events, from, to]);
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const first = bars[0];
  const last = bars.at(-1);
  if (!first || !last) return null;
  const text = last.to - first.from > day ? moment : clockTime;
  return (
    <section aria-label={words.histogram}>
      <div className={classes['bars']}>
        {bars.map((bar) =>
          bar.count === 0 ? (
            <span key={bar.from} />
          ) : (
            <button
              key={bar.from}
              type="button"
              title={words.bar(bar.count, text(bar.from, zone), text(bar.to, zone))}
              aria-label={words.bar(bar.count, text(bar.from, zone), text(bar.to, zone))}
              onClick={() => onSelect({ from: bar.from, to: bar.to - 1 })}
            >
              <span style={{ height: `${Math.max(6, (bar.count / highest) * 100)}%` }} />
            </button>
          ),
        )}
      </div>
      <div className={classes['ends']}>
        <span>{text(first.from, zone)}</span>
        <span>{text(last.to, zone)}</span>
      </div>
    </section>
  );
}
