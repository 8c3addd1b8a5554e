import { age, duration } from '../format/duration.js';
import { unknown } from '../format/number.js';
import { clockTime, moment, momentWithOffset } from '../format/time.js';
import { usePreferences } from '../gateway/preferences.js';
import { useNow } from './ticker.js';

interface Props {
  /** Epoch milliseconds; 0 and nothing are unknown. */
  readonly at: number | undefined;
}

/** `2 min ago`, counted by the gateway's clock; the whole moment as its title. */
export function Ago({ at }: Props) {
  const now = useNow();
  const { zone } = usePreferences();
  if (!at) return <>{unknown}</>;
  return <time title={momentWithOffset(at, zone)}>{`${age(now - at)} ago`}</time>;
}

export function Moment({ at, short = false }: Props & { readonly short?: boolean }) {
  const { zone } = usePreferences();
  if (!at) return <>{unknown}</>;
  return <time title={momentWithOffset(at, zone)}>{short ? clockTime(at, zone) : moment(at, zone)}</time>;
}

/** How long something has gone on, and goes on. */
export function Since({ at }: Props) {
  const now = useNow();
  return <span className="figure">{at ? duration(Math.max(0, now - at)) : unknown}</span>;
}
