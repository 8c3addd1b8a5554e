/** Does `work` and gives what it gives, or something in its place. `call`: `documents.get`. */
export type AroundCall = (call: string, work: () => unknown) => unknown;

/**
 * The same object to those who call it, but each call of its methods goes through `around`, also those of its facets. A proxy
 * and not a list of methods: drivers have facets or not, and what they lack must stay absent.
 */
export function aroundCalls<T extends object>(
  target: T,
  around: AroundCall,
  /** Calls whose answer is such an object too, with the prefix that its calls have. */
  answers: Readonly<Record<string, string>> = {},
  prefix = '',
): T {
  const wrapped = new Map<PropertyKey, { readonly of: unknown; readonly as: unknown }>();

  function wrap(key: string, value: unknown): unknown {
    const call = `${prefix}${key}`;
    if (typeof value === 'function') {
      const answerPrefix = answers[call];
      return (...args: unknown[]) => {
        const result = around(call, () => Reflect.apply(value, target, args));
        if (answerPrefix === undefined || !(result instanceof Promise)) return result;
        return result.then((answer) => aroundCalls(answer, around, answers, answerPrefix));
      };
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return aroundCalls(value, around, answers, `${call}.`);
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
