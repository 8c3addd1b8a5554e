import { isRecord, textOf } from '../../../forms/property-values.js';
import type { Definition } from '../definition.js';
import type { Problem } from '../problems.js';
import { words } from '../words.js';

// Each change gives a new definition, and touches nothing but what it is about.

const listIn = ({ statements }: Definition): readonly unknown[] =>
  Array.isArray(statements) ? statements : [];

/** In the order in which they are carried out. What is no text is shown as the JSON that it is. */
export const statementsIn = (definition: Definition): readonly string[] => listIn(definition).map(textOf);

const withList = (definition: Definition, statements: readonly unknown[]): Definition => ({
  ...definition,
  statements,
});

export const setStatement = (definition: Definition, place: number, sql: string): Definition =>
  withList(
    definition,
    listIn(definition).map((before, index) => (index === place ? sql : before)),
  );

/** An empty one before the one that is there now. */
export const addStatement = (definition: Definition, place: number): Definition =>
  withList(definition, listIn(definition).toSpliced(place, 0, ''));

export const removeStatement = (definition: Definition, place: number): Definition =>
  withList(definition, listIn(definition).toSpliced(place, 1));

/** The same definition when there is no such place. */
export const moveStatement = (definition: Definition, from: number, to: number): Definition =>
  withList(definition, movedIn(listIn(definition), from, to));

/** The same list when there is no such place. */
export function movedIn<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const isInside = (place: number) => place >= 0 && place < list.length;
  if (!isInside(from) || !isInside(to)) return list;
  const others = list.toSpliced(from, 1);
  return others.toSpliced(to, 0, ...list.slice(from, from + 1));
}

/** Options of the launch, by name. */
export const propertiesIn = ({ properties }: Definition): readonly (readonly [string, string])[] =>
  Object.entries(isRecord(properties) ? properties : {}).map(([name, value]) => [name, textOf(value)]);

/** `undefined` takes it away. */
export function setOption(definition: Definition, name: string, value: string | undefined): Definition {
  const { properties: before, ...rest } = definition;
  const { [name]: _, ...others } = isRecord(before) ? before : {};
  const properties =
    value === undefined ? others : isRecord(before) ? { ...before, [name]: value } : { [name]: value };
  return Object.keys(properties).length === 0 ? rest : { ...definition, properties };
}

/** What can be told while it is typed; what a statement may be says the gateway with each save. */
export function statementProblems(definition: Definition): readonly Problem[] {
  const statements = statementsIn(definition);
  if (statements.length === 0) return [{ path: 'statements', message: words.noStatement }];
  return statements.flatMap((sql, index) =>
    sql.trim() === '' ? [{ path: `statements.${index}`, message: words.emptyStatement }] : [],
  );
}

/** Place of the statement that a problem or a selection is about; `undefined` for others. */
export function placeOfStatement(text: string | undefined): number | undefined {
  const [, place] = /^statements?[.:](\d+)/.exec(text ?? '') ?? [];
  return place === undefined ? undefined : Number(place);
}
