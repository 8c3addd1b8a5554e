import { type InputIssue, InvalidInput } from '../../model/errors.js';
import { nextTurn } from '../../runtime/event-loop.js';
import { numberLiteral, stringLiteral, textInside } from './literal.js';
import type { Parameter, TemplateContent, TemplateValues } from './schema.js';
import { checkWritten, type Placeholder, readTemplateScript, ScriptProblem, writeScript } from './script.js';

const number = /^\s*-?\d{1,15}(\.\d{1,15})?\s*$/;

/** All that is wrong with a template; none when it can be filled with every value that fits its parameters. */
export async function templateIssues({
  parameters,
  script,
}: TemplateContent): Promise<readonly InputIssue[]> {
  const issues = parameters.flatMap((parameter, i) => parameterIssues(parameter, i, parameters));
  const byName = new Map(parameters.map((parameter) => [parameter.variable, parameter]));
  try {
    const pieces = readTemplateScript(script);
    const unknown = pieces.flatMap((piece) =>
      typeof piece === 'string' ? [] : placeholderIssue(piece, byName),
    );
    issues.push(...unknown);
    // Without placeholders there is nothing to write.
    if (unknown.length === 0 && pieces.length > 1) {
      for (const sample of ['0', '-1']) {
        // Parsing a long script takes its time: others get their turn in between.
        await nextTurn();
        checkWritten(pieces, (piece) => literal(piece, byName.get(piece.variable), sample));
      }
    }
  } catch (error) {
    if (!(error instanceof ScriptProblem)) throw error;
    issues.push({ path: 'body.script', message: error.message });
  }
  return issues;
}

/**
 * The script with the values as literals: a value can end no string and begin no code. Throws `InvalidInput` naming each
 * value that is missing, does not fit, or belongs to no parameter; `where` is before their names.
 */
export function fillTemplate(
  { parameters, script }: TemplateContent,
  values: TemplateValues,
  where: string,
): string {
  const byName = new Map(parameters.map((parameter) => [parameter.variable, parameter]));
  const at = (name: string, message: string): InputIssue => ({ path: `${where}.${name}`, message });
  const issues = Object.keys(values)
    .filter((name) => !byName.has(name))
    .map((name) => at(name, `is no parameter; there are ${[...byName.keys()].join(', ') || 'none'}`));
  const chosen = new Map<string, string>();
  for (const parameter of parameters) {
    const value = given(values, parameter.variable) ?? parameter.default;
    const problem = value === undefined ? missing(parameter) : valueProblem(parameter, value);
    if (problem !== undefined) issues.push(at(parameter.variable, problem));
    else if (value !== undefined) chosen.set(parameter.variable, value);
  }
  if (issues.length > 0) throw new InvalidInput(issues);
  return writeScript(readTemplateScript(script), (piece) =>
    literal(piece, byName.get(piece.variable), chosen.get(piece.variable)),
  );
}

/** An empty field of a form is none. */
const given = (values: TemplateValues, name: string): string | undefined => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === '' ? undefined : value;
};

const missing = ({ required }: Parameter): string | undefined => (required ? 'is missing' : undefined);

/** `undefined` as value: nothing was given for an optional parameter. The kind of literal does not depend on the value. */
function literal(
  { isKey, stands }: Placeholder,
  parameter: Parameter | undefined,
  value: string | undefined,
): string {
  const { values } = parameter ?? {};
  const text = value === undefined || isKey || !values ? (value ?? '') : (values[value] ?? '');
  if (stands === 'text') return textInside(text.trim());
  if (parameter?.type === 'number' && !values) return numberLiteral(Number(value));
  return stringLiteral(text);
}

function valueProblem({ type, values }: Parameter, value: string): string | undefined {
  if (values) {
    return Object.hasOwn(values, value) ? undefined : `is none of ${Object.keys(values).join(', ')}`;
  }
  return type === 'number' && !number.test(value) ? 'is no number' : undefined;
}

function parameterIssues(parameter: Parameter, index: number, all: readonly Parameter[]): InputIssue[] {
  const at = (member: string, message: string): InputIssue => ({
    path: `body.parameters.${index}.${member}`,
    message,
  });
  const { variable, default: value } = parameter;
  const problem = value === undefined || value === '' ? undefined : valueProblem(parameter, value);
  return [
    ...(all.findIndex((other) => other.variable === variable) < index
      ? [at('variable', `there is another parameter ${variable}`)]
      : []),
    ...(problem === undefined ? [] : [at('default', problem)]),
  ];
}

function placeholderIssue(piece: Placeholder, byName: ReadonlyMap<string, Parameter>): InputIssue[] {
  const parameter = byName.get(piece.variable);
  const issue = (message: string) => [{ path: 'body.script', message: `${piece.source}: ${message}` }];
  if (!parameter) return issue(`there is no parameter ${piece.variable}`);
  if (piece.isKey && !parameter.values)
    return issue(`the parameter ${piece.variable} has no values to choose from`);
  return [];
}
