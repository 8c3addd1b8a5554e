import { NotFound } from '../model/errors.js';

type Values = Readonly<Record<string, unknown>>;

/** All of them, or the one that was asked for; throws `NotFound` when there is none of that name. */
export function onlyNamed(values: Values, kind: string, name: string | undefined): Record<string, unknown> {
  if (name === undefined) return { ...values };
  if (!Object.hasOwn(values, name)) throw new NotFound(kind, name, Object.keys(values));
  return { [name]: values[name] };
}

/** The one of that name; throws `NotFound`, with the names that there are, when there is none. */
export function requireNamed<T extends { readonly name: string }>(
  items: readonly T[],
  kind: string,
  name: string,
): T {
  const found = items.find((item) => item.name === name);
  if (found) return found;
  throw new NotFound(
    kind,
    name,
    items.map((item) => item.name),
  );
}
