/**
 * What a contract runs in: tap's `t` and node:test's `test` context fit; for others, `{ test: (name, run) => it(name, run) }`.
 * Where the runner calls `run` with a context that has `skip(message)`, a test of what a driver does not offer is skipped with
 * it; elsewhere it passes. The message names the facet; without `skip` it is a line of the output.
 */
export interface Suite {
  test(name: string, run: (...context: unknown[]) => Promise<void>): unknown;
}
