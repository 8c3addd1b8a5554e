/** What the gateway says to the steps of a batch, by their numbers; its answer names them as `requests.2.operatorName`. */
export function refusalsOf(details: unknown): ReadonlyMap<number, string> {
  const issues: readonly unknown[] = Array.isArray(details) ? details : [];
  return new Map(
    issues.flatMap((issue) => {
      if (typeof issue !== 'object' || issue === null || !('path' in issue) || !('message' in issue))
        return [];
      const [, step] = /^requests\.(\d+)/.exec(String(issue.path)) ?? [];
      return step === undefined ? [] : [[Number(step), String(issue.message)] as const];
    }),
  );
}
