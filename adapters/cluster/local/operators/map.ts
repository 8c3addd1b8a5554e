import { z } from 'zod';
import { Operator, type Port, type Tuple } from '../operator.js';
import { compileExpression, type Evaluate } from './expression.js';
import { Expression, FieldName } from './properties.js';
import { isRecord } from './record.js';

const MapProperties = z.object({
  pick: z.array(FieldName).max(1_000).optional().describe('Fields to keep; without it all'),
  drop: z.array(FieldName).max(1_000).default([]).describe('Fields to leave out'),
  rename: z.record(FieldName, FieldName).default({}).describe('Old name to new name'),
  constants: z.record(FieldName, z.unknown()).default({}).describe('Field to a fixed value'),
  compute: z
    .record(FieldName, Expression)
    .default({})
    .describe('Field to an expression over the incoming tuple, such as durationMillis / 1000'),
});

type Change = (tuple: Tuple) => Tuple;

function changeOf(properties: z.output<typeof MapProperties>): Change {
  const { pick, constants } = properties;
  const picked = pick && new Set(pick);
  const dropped = new Set(properties.drop);
  const renamed = new Map(Object.entries(properties.rename));
  const computed: readonly (readonly [string, Evaluate])[] = Object.entries(properties.compute).map(
    ([name, text]) => [name, compileExpression(text)],
  );
  const isKept = (name: string) => !dropped.has(name) && (!picked || picked.has(name));
  return (tuple) => {
    const kept = Object.entries(isRecord(tuple) ? tuple : {}).filter(([name]) => isKept(name));
    // Unlike an assignment, this makes a plain field of a name such as __proto__.
    return Object.fromEntries([
      ...kept.map(([name, value]) => [renamed.get(name) ?? name, value]),
      ...Object.entries(constants),
      ...computed.map(([name, evaluate]) => [name, evaluate(tuple)]),
    ]);
  };
}

export class FieldMap extends Operator<typeof MapProperties> {
  static override readonly className = 'headgate.transform.Map';
  static override readonly title = 'Map';
  static override readonly description =
    'Makes a new record of each tuple: picks, drops and renames fields, adds constants and computed fields, in this order.';
  static override readonly tags = ['transform', 'map'];
  static override readonly properties = MapProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: {
      type: 'any',
      description: 'Records; anything else has no fields, but can be computed with as $',
    },
  };
  static override readonly outputs: Readonly<Record<string, Port>> = { output: { type: 'Record' } };

  #change: Change = () => undefined;

  override setup(): void {
    this.#change = changeOf(this.properties);
  }

  override propertiesChanged(): void {
    this.setup();
  }

  override process(_port: string, tuple: Tuple): void {
    this.emit('output', this.#change(tuple));
  }
}
