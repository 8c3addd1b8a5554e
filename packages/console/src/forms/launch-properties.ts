import { isRecord, textOf } from './property-values.js';

const operatorProperty =
  /^(?:platform|apex|dt)\.(?:application\.[^.]+\.)?operator\.([^.]+)\.(?:prop\.)?([^.]+)$/;

/** Which property of which operator a property of a launch sets; `*` stands for all operators. */
export function operatorPropertyOf(
  name: string,
): { readonly operator: string; readonly property: string } | undefined {
  const [, operator, property] = operatorProperty.exec(name) ?? [];
  return operator === undefined || property === undefined ? undefined : { operator, property };
}

/** What the properties of a package, which a launch takes, set of an operator: `high = 31`. */
export const setOf = (operatorName: string, properties: unknown): readonly string[] =>
  Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, given]) => {
    const { operator, property } = operatorPropertyOf(name) ?? {};
    if (property === undefined || (operator !== operatorName && operator !== '*')) return [];
    return [`${property} = ${textOf(isRecord(given) ? given['value'] : given)}`];
  });
