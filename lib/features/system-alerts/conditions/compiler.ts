import type { FieldPath } from './reading.js';
import type { Script } from './script.js';
import { ScriptFault } from './script-fault.js';

/** A script that is ready to run. */
export interface Compiled {
  readonly run: (topics: object) => unknown;
  readonly fields: readonly FieldPath[];
}

/**
 * The language without what makes code of text, memory outside of the heap's limit, a clock, or something that runs later.
 * Named by what is left: runtimes and ses bring new things that nobody here knows, such as `TextEncoder`, which makes
 * typed arrays.
 */
const language: ReadonlySet<string> = new Set([
  'Array',
  'BigInt',
  'Boolean',
  'Date',
  'Iterator',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Proxy',
  'Reflect',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'WeakMap',
  'WeakSet',
  'AggregateError',
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'Infinity',
  'NaN',
  'undefined',
  'globalThis',
  'decodeURI',
  'decodeURIComponent',
  'encodeURI',
  'encodeURIComponent',
  'escape',
  'unescape',
  'isFinite',
  'isNaN',
  'parseFloat',
  'parseInt',
]);

/** After `lockdown`. Throws `ScriptFault` for what the compartment refuses. */
export function createCompiler(): (script: Script) => Compiled {
  const compartment = new Compartment();
  const { globalThis: names } = compartment;
  for (const name of Object.getOwnPropertyNames(names)) if (!language.has(name)) names[name] = undefined;
  // One for all scripts: they have nothing in common that could be changed.
  harden(names);
  return ({ body, fields }) => {
    try {
      return { run: compartment.evaluate(`(function (_topic) {${body}\n})`), fields };
    } catch (error) {
      throw new ScriptFault(error instanceof Error ? error.message : 'It can not be compiled');
    }
  };
}
