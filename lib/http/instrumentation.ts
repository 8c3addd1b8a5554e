import { tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from '../interfaces/clock.js';
import { asGatewayError } from '../model/errors.js';
import type { Metrics } from '../runtime/metrics.js';

/** Does `work`, and notes how long its promise took and what became of it. What gives no promise is not measured. */
type Instrumentation = <T>(call: string, work: () => T) => T;

/**
 * `headgate_{what}_calls_total` and `headgate_{what}_call_seconds`; and the tracing channel `headgate.{what}` of
 * `node:diagnostics_channel`, whose context is `{ call }`.
 */
export function createInstrumentation(
  what: string,
  { metrics, clock }: { metrics: Metrics; clock: Clock },
): Instrumentation {
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

/**
 * The same object to those who call it, its methods measured, also those of its facets: `documents.get`. A proxy and not
 * a list of methods: drivers have facets or not, and what they lack must stay absent.
 */
export function instrumented<T extends object>(
  target: T,
  measure: Instrumentation,
  prefix = '',
  /** Calls whose answer is measured too, with the prefix that it has then. */
  answers: Readonly<Record<string, string>> = {},
): T {
  const wrapped = new Map<PropertyKey, { readonly of: unknown; readonly as: unknown }>();

  function wrap(key: string, value: unknown): unknown {
    const call = `${prefix}${key}`;
    if (typeof value === 'function') {
      const answerPrefix = answers[call];
      return (...args: unknown[]) =>
        measure(call, () => {
          const result: unknown = Reflect.apply(value, target, args);
          if (answerPrefix === undefined || !(result instanceof Promise)) return result;
          return result.then((answer) => instrumented(answer, measure, answerPrefix));
        });
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return instrumented(value, measure, `${call}.`);
  }

  return new Proxy(target, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof key === 'symbol' || value === undefined) return value;
      const fixed = Reflect.getOwnPropertyDescriptor(target, key);
      // A proxy must not answer for these.
      if (fixed && !fixed.configurable && !fixed.writable) return value;
      const known = wrapped.get(key);
      if (known?.of === value) return known?.as;
      const as = wrap(key, value);
      wrapped.set(key, { of: value, as });
      return as;
    },
  });
}
