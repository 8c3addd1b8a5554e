import * as z from 'zod';
import { compileExpression, type Evaluate } from './expression.js';
import { Operator, type Port, type Tuple } from './operator.js';
import { Expression } from './properties.js';

const FilterProperties = z.object({
  condition: Expression.describe(
    'Expression that is true for the tuples to pass on, such as status >= 500 and startsWith(path, "/ws")',
  ),
});

export class Filter extends Operator<typeof FilterProperties> {
  static override readonly className = 'headgate.transform.Filter';
  static override readonly title = 'Filter';
  static override readonly description =
    'Passes on the tuples for which a condition is true; the others go to the port rejected.';
  static override readonly tags = ['transform', 'filter'];
  static override readonly properties = FilterProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = { input: { type: 'any' } };
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'any', description: 'Tuples for which the condition is true' },
    rejected: { type: 'any', description: 'All others', optional: true },
  };

  #condition: Evaluate = () => false;

  override setup(): void {
    this.#condition = compileExpression(this.properties.condition);
  }

  override propertiesChanged(): void {
    this.setup();
  }

  override process(_port: string, tuple: Tuple): void {
    this.emit(this.#condition(tuple) === true ? 'output' : 'rejected', tuple);
  }
}
