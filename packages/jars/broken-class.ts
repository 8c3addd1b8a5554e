/** A class file that can't be read. Costs only itself. */
export class BrokenClass extends Error {
  override readonly name = 'BrokenClass';
}
