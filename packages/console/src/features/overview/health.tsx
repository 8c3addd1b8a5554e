import type { ReactNode } from 'react';
import { duration } from '../../format/duration.js';
import { exactCount, rate } from '../../format/number.js';
import { State } from '../../shell/state.js';
import { Since } from '../../shell/time.js';
import classes from './overview.module.css';
import { words } from './words.js';

interface HealthOf {
  readonly state: string;
  readonly startedTime: number;
  readonly finishedTime: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Told {
  readonly latency?: number | undefined;
  readonly lag?: number | undefined;
  readonly failedContainers?: number | undefined;
  readonly allocatedContainers?: number | undefined;
  readonly plannedContainers?: number | undefined;
  readonly tuplesProcessedPSMA?: number | undefined;
  readonly tuplesEmittedPSMA?: number | undefined;
}

/** Whether it is well, at a glance: the figures that matter, before any picture. */
export function Health({ app, told }: { readonly app: HealthOf; readonly told: Told }) {
  const { allocatedContainers, plannedContainers, failedContainers } = told;
  const isOver = app.finishedTime > 0;
  const failed = failedContainers ?? 0;
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    [words.state, <State key="state" state={app.state} />],
    isOver
      ? [words.ran, duration(app.finishedTime - app.startedTime)]
      : [words.up, <Since key="up" at={app.startedTime} />],
    [words.inward, rate(told.tuplesProcessedPSMA)],
    [words.outward, rate(told.tuplesEmittedPSMA)],
    [words.latency, duration(told.latency)],
    [
      words.lag,
      <Lag key="lag" lag={told.lag} windowMillis={app.attributes['STREAMING_WINDOW_SIZE_MILLIS']} />,
    ],
    [words.containers, `${exactCount(allocatedContainers)} / ${exactCount(plannedContainers)}`],
    [
      words.failures,
      <span key="failures" data-state={failed > 0 ? 'warning' : undefined}>
        {failed > 0 ? '▲ ' : ''}
        {exactCount(failedContainers)}
      </span>,
    ],
  ];
  return (
    <dl className={classes['health']} aria-label={words.health}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Milliseconds, and how many windows that are, where the length of one is known. */
function Lag({ lag, windowMillis }: { readonly lag: number | undefined; readonly windowMillis: unknown }) {
  const isKnown = lag !== undefined && typeof windowMillis === 'number' && windowMillis > 0;
  return (
    <>
      {duration(lag)}
      {isKnown && <small>{words.lagWindows(Math.ceil(lag / windowMillis))}</small>}
    </>
  );
}
