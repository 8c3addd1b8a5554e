/** A parameter of a template, as the gateway tells it. */
export interface Parameter {
  readonly variable: string;
  readonly label: string;
  readonly type: 'number' | 'text';
  readonly placeholder: string;
  readonly tooltip: string;
  readonly required: boolean;
  readonly default?: string | undefined;
  readonly values?: Readonly<Record<string, string>> | undefined;
}

export type Values = Readonly<Record<string, string>>;

/** What a form begins with. */
export const firstValues = (parameters: readonly Parameter[]): Values =>
  Object.fromEntries(parameters.map(({ variable, default: first = '' }) => [variable, first]));

/** What stands against filling, by variable; empty when all is well. What else is wrong the gateway says. */
export function problemsOf(parameters: readonly Parameter[], values: Values): Values {
  return Object.fromEntries(
    parameters.flatMap(({ variable, type, required }) => {
      const value = (values[variable] ?? '').trim();
      if (value === '') return required ? [[variable, 'Has to be given']] : [];
      return type === 'number' && !/^-?\d+(\.\d+)?$/.test(value) ? [[variable, 'Is no number']] : [];
    }),
  );
}

/** What is sent: what was left empty is left to the default. */
export const givenValues = (parameters: readonly Parameter[], values: Values): Values =>
  Object.fromEntries(
    parameters.flatMap(({ variable }) => {
      const value = values[variable] ?? '';
      return value.trim() === '' ? [] : [[variable, value]];
    }),
  );
