import { memo } from 'react';
import { factsOf, type Happened, isFailure } from '../../gateway/event-list.js';
import { signs } from '../../shell/states.js';
import { Moment } from '../../shell/time.js';
import classes from './events.module.css';
import { words } from './words.js';

const longest = 160;

/** One event: when, what, and all that was told of it. Only what failed is coloured. */
export const EventLine = memo(function EventLine({ event }: { readonly event: Happened }) {
  const hasFailed = isFailure(event);
  return (
    <div className={classes['event']}>
      <span className="figure" style={{ textAlign: 'start' }}>
        <Moment at={event.timestamp} />
      </span>
      <strong {...(hasFailed ? { 'data-state': 'failed' } : {})}>
        {hasFailed && <span aria-hidden>{signs.failed} </span>}
        <bdi>{event.type}</bdi>
      </strong>
      <div className={classes['facts']}>
        {factsOf(event).map(([name, value]) =>
          value.length > longest || value.includes('\n') ? (
            <Long key={name} name={name} value={value} />
          ) : (
            <span key={name}>
              <span className="soft">{name}</span> <bdi dir="auto">{value}</bdi>
            </span>
          ),
        )}
      </div>
    </div>
  );
});

function Long({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <details className={classes['long']}>
      <summary>
        <span className="soft">{name}</span>{' '}
        <bdi dir="auto">{value.split('\n', 1)[0]?.slice(0, longest)}…</bdi>{' '}
        <span className="visually-hidden">{words.whole}</span>
      </summary>
      <pre dir="auto">{value}</pre>
    </details>
  );
}
