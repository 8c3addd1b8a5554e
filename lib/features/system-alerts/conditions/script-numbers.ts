/** What a process has compiled: scripts are long and sent once. */
export interface ScriptNumbers {
  /** What the process has to learn, and may forget, before it evaluates these. */
  learn(scripts: readonly string[]): {
    readonly fresh: (readonly [script: number, text: string])[];
    readonly forgotten: number[];
  };
  /** Of a script that was learnt. */
  numberOf(script: string): number;
}

/** Scripts that are kept though they are not in a round: those that somebody only tries out push nothing out. */
const spare = 1000;

export function createScriptNumbers(): ScriptNumbers {
  const numbers = new Map<string, number>();
  let latest = 0;
  return {
    learn(scripts) {
      const wanted = new Set(scripts);
      const fresh = [...wanted].filter((text) => !numbers.has(text)).map((text) => [++latest, text] as const);
      for (const [number, text] of fresh) numbers.set(text, number);
      if (numbers.size <= wanted.size + spare) return { fresh, forgotten: [] };
      const unused = [...numbers].filter(([text]) => !wanted.has(text));
      for (const [text] of unused) numbers.delete(text);
      return { fresh, forgotten: unused.map(([, number]) => number) };
    },
    numberOf: (script) => numbers.get(script) ?? 0,
  };
}
