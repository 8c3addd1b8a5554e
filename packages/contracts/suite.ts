/** What a contract runs in: tap's `t` and node:test's `test` context fit; for others, `{ test: (name, run) => it(name, run) }`. */
export interface Suite {
  test(name: string, run: () => Promise<void>): unknown;
}
