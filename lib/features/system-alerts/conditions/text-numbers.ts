/** What a process has: texts are long and sent once. */
interface TextNumbers {
  /**
   * What the process has to learn, and may forget, before it works with these. `spare`: so many are kept though nobody works
   * with them now, so that one that comes and goes pushes nothing out.
   */
  learn(
    texts: Iterable<string>,
    spare: number,
  ): {
    readonly fresh: (readonly [text: string, number: number])[];
    readonly forgotten: number[];
  };
  /** Of a text that was learnt. */
  numberOf(text: string): number;
}

export function createTextNumbers(): TextNumbers {
  const numbers = new Map<string, number>();
  let latest = 0;
  return {
    learn(texts, spare) {
      const wanted = new Set(texts);
      const fresh: [string, number][] = [];
      for (const text of wanted) if (!numbers.has(text)) fresh.push([text, ++latest]);
      for (const [text, number] of fresh) numbers.set(text, number);
      if (numbers.size <= wanted.size + spare) return { fresh, forgotten: [] };
      const unused = [...numbers].filter(([text]) => !wanted.has(text));
      for (const [text] of unused) numbers.delete(text);
      return { fresh, forgotten: unused.map(([, number]) => number) };
    },
    numberOf: (text) => numbers.get(text) ?? 0,
  };
}
