import type { FieldPath } from './reading.js';
import type { Script } from './script.js';
import { ScriptFault } from './script-fault.js';

/** A script that is ready to run. */
export interface Compiled {
  readonly run: (topics: object) => unknown;
  readonly fields: readonly FieldPath[];
}

/**
 * The language without what makes code of text, memory outside of the heap's limit, or something that runs later.
 * Clock and randomness are none in a compartment anyway.
 */
const absent = [
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Atomics',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'Promise',
  'WeakRef',
  'FinalizationRegistry',
  'Function',
  'eval',
  'Compartment',
  'lockdown',
  'harden',
  'assert',
  'console',
];

/** After `lockdown`. Throws `ScriptFault` for what the compartment refuses. */
export function createCompiler(): (script: Script) => Compiled {
  const compartment = new Compartment();
  for (const name of absent) compartment.globalThis[name] = undefined;
  // One for all scripts: they have nothing in common that could be changed.
  harden(compartment.globalThis);
  return ({ body, fields }) => {
    try {
      return { run: compartment.evaluate(`(function (_topic) {${body}\n})`), fields };
    } catch (error) {
      throw new ScriptFault(error instanceof Error ? error.message : 'It can not be compiled');
    }
  };
}
