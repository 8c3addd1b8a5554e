import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ZodType } from 'zod';

// The programs of the bench, each a process of its own, which answer orders.

const children: ChildProcess[] = [];

/** Resolves what it tells first. */
export async function started<T>(file: string, args: readonly string[], schema: ZodType<T>) {
  const child = fork(new URL(file, import.meta.url), args);
  children.push(child);
  const [told] = await once(child, 'message');
  return { child, told: schema.parse(told) };
}

export async function ask<T>(child: ChildProcess, order: string, schema: ZodType<T>): Promise<T> {
  child.send(order);
  const [answer] = await once(child, 'message');
  return schema.parse(answer);
}

export function endAll(): void {
  for (const child of children.splice(0)) child.disconnect();
}
