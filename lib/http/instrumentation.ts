import { tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from '../interfaces/clock.js';
import { asGatewayError } from '../model/errors.js';
import type { AroundCall } from '../runtime/around-calls.js';
import type { Metrics } from '../runtime/metrics.js';

/**
 * Notes how long the promise of a call took and what became of it. What gives no promise is not measured.
 * `headgate_{what}_calls_total` and `headgate_{what}_call_seconds`; and the tracing channel `headgate.{what}` of
 * `node:diagnostics_channel`, whose context is `{ call }`.
 */
export function createInstrumentation(
  what: string,
  { metrics, clock }: { metrics: Metrics; clock: Clock },
): AroundCall {
  const calls = metrics.counter(`headgate_${what}_calls_total`, `Calls of the ${what}, by outcome`, [
    'call',
    'outcome',
  ]);
  const seconds = metrics.histogram(`headgate_${what}_call_seconds`, `How long calls of the ${what} took`, [
    'call',
  ]);
  const tracing = tracingChannel<object, { call: string; error?: unknown }>(`headgate.${what}`);

  return (call, work) => {
    const startedAt = clock.monotonic();
    const context: { call: string; error?: unknown } = { call };
    const isTraced = tracing.hasSubscribers;
    const result = isTraced ? tracing.start.runStores(context, work) : work();
    if (!(result instanceof Promise)) return result;
    const ended = (outcome: string) => {
      calls.of(call, outcome).add();
      seconds.of(call).observe((clock.monotonic() - startedAt) / 1000);
      if (isTraced) tracing.asyncEnd.publish(context);
    };
    result.then(
      () => ended('ok'),
      (error: unknown) => {
        context.error = error;
        if (isTraced) tracing.error.publish(context);
        ended(isAbort(error) ? 'ABORTED' : asGatewayError(error).code);
      },
    );
    return result;
  };
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
