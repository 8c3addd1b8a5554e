interface Thread {
  readonly name: string;
  readonly state: string;
  readonly stackTraceElements: readonly string[];
}

/** Threads that stand at the same place. */
export interface Stack {
  readonly state: string;
  readonly names: readonly string[];
  readonly frames: readonly string[];
}

/** What hinders others first; what waits for nothing in particular last. */
const order = ['BLOCKED', 'RUNNABLE', 'WAITING', 'TIMED_WAITING', 'NEW', 'TERMINATED'];
const rank = (state: string): number => (order.includes(state) ? order.indexOf(state) : order.length);

/** Threads folded by equal stacks and states: blocked ones first, then the more the earlier. */
export function folded(threads: readonly Thread[]): readonly Stack[] {
  const stacks = new Map<string, { state: string; names: string[]; frames: readonly string[] }>();
  for (const { name, state, stackTraceElements } of threads) {
    const key = [state, ...stackTraceElements].join('\n');
    const stack = stacks.get(key) ?? { state, names: [], frames: stackTraceElements };
    stack.names.push(name);
    stacks.set(key, stack);
  }
  return [...stacks.values()].sort(
    (a, b) => rank(a.state) - rank(b.state) || b.names.length - a.names.length,
  );
}
