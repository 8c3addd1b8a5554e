import { Misunderstood } from './call-frame.js';
import type { ClassFile, Code } from './class-file.js';
import type { ConstantPool } from './constant-pool.js';
import { ConstructorRun } from './constructor-run.js';
import type { Step } from './constructor-values.js';
import { lengthOf, op } from './instructions.js';

// Follows the code of constructors without running anything: constants, fields and what calls what. What is not
// understood makes the whole constructor unknown (JVM specification 6.5).

/** Of one constructor; more is not followed. */
const maxSteps = 2_000;
const maxConstructors = 20;

/** What the constructors of a class do, by their descriptors; `undefined` for those that can't be followed. */
export function constructorsOf({ methods, pool }: ClassFile): ReadonlyMap<string, readonly Step[]> {
  const found = new Map<string, readonly Step[]>();
  for (const { name, descriptor, code } of methods) {
    if (name !== '<init>' || !code || !pool || found.size === maxConstructors) continue;
    const steps = code.catches ? undefined : follow(code, descriptor, pool);
    if (steps) found.set(descriptor, steps);
  }
  return found;
}

/** `undefined` when something is not understood. */
function follow({ bytes }: Code, descriptor: string, pool: ConstantPool): readonly Step[] | undefined {
  const run = new ConstructorRun(descriptor, pool);
  try {
    for (let at = 0, left = maxSteps; left > 0; left--) {
      const code = bytes.readUInt8(at);
      if (code === op.return) return run.steps;
      if (code === op.goto) at += bytes.readInt16BE(at + 1);
      else {
        run.execute(bytes, at);
        at += lengthOf(code);
      }
    }
    return undefined;
  } catch (error) {
    if (error instanceof Misunderstood || error instanceof RangeError) return undefined;
    throw error;
  }
}
