import { type Definition, type End, operatorsIn, streamsIn } from './definition.js';
import { type PortsOf, typeRefusal } from './port-types.js';
import { words } from './words.js';

export interface Problem {
  /** In the definition: `operators.0.class`; empty for all of it. */
  readonly path: string;
  readonly message: string;
}

/**
 * What can be told while it is typed. The gateway's own check, which is the one that counts, knows the classes better: it comes with
 * each save.
 */
export function problemsIn(
  definition: Definition,
  portsOf: PortsOf,
  knowsClasses: boolean,
): readonly Problem[] {
  return [...operatorProblems(definition, portsOf, knowsClasses), ...streamProblems(definition, portsOf)];
}

function operatorProblems(definition: Definition, portsOf: PortsOf, knowsClasses: boolean): Problem[] {
  const operators = operatorsIn(definition);
  if (operators.length === 0) return [{ path: '', message: words.noOperator }];
  const joined = new Set(
    streamsIn(definition).flatMap(({ source, sinks }) => [
      keyOf('out', source),
      ...sinks.map((sink) => keyOf('in', sink)),
    ]),
  );
  const seen = new Set<string>();
  return operators.flatMap(({ name, class: className }, index) => {
    const path = `operators.${index}`;
    const found: Problem[] = [];
    if (name === '') found.push({ path, message: words.noName });
    else if (name.includes('.')) found.push({ path: `${path}.name`, message: words.dotInName });
    if (seen.has(name)) found.push({ path: `${path}.name`, message: words.nameTwice(name) });
    seen.add(name);
    const ports = portsOf(name);
    if (!ports)
      return knowsClasses
        ? [...found, { path: `${path}.class`, message: words.unknownClass(className) }]
        : found;
    for (const port of ports.inputPorts)
      if (!port.optional && !joined.has(keyOf('in', { operatorName: name, portName: port.name })))
        found.push({ path, message: words.openInput(name, port.name) });
    for (const port of ports.outputPorts)
      if (!port.optional && !joined.has(keyOf('out', { operatorName: name, portName: port.name })))
        found.push({ path, message: words.openOutput(name, port.name) });
    return found;
  });
}

function streamProblems(definition: Definition, portsOf: PortsOf): Problem[] {
  const names = new Set(operatorsIn(definition).map(({ name }) => name));
  const taken = new Set<string>();
  return streamsIn(definition).flatMap(({ name, source, sinks }, index) => {
    const path = `streams.${index}`;
    const found: Problem[] = [];
    const end = (of: End, kind: 'in' | 'out', place: string) => {
      if (!names.has(of.operatorName))
        found.push({ path: place, message: words.noSuchOperator(of.operatorName) });
      else if (!hasPort(portsOf, of, kind))
        found.push({ path: place, message: words.noSuchPort(of.operatorName, of.portName) });
      const key = keyOf(kind, of);
      if (taken.has(key)) found.push({ path: place, message: words.portTwice(of.operatorName, of.portName) });
      taken.add(key);
    };
    end(source, 'out', `${path}.source`);
    if (sinks.length === 0) found.push({ path, message: words.noSink(name) });
    for (const [place, sink] of sinks.entries()) {
      end(sink, 'in', `${path}.sinks.${place}`);
      const refusal = typeRefusal(portsOf, source, sink);
      if (refusal !== undefined)
        found.push({ path: `${path}.sinks.${place}`, message: `${name}: ${refusal}` });
    }
    return found;
  });
}

function hasPort(portsOf: PortsOf, { operatorName, portName }: End, kind: 'in' | 'out'): boolean {
  const ports = portsOf(operatorName);
  if (!ports) return true;
  return (kind === 'in' ? ports.inputPorts : ports.outputPorts).some(({ name }) => name === portName);
}

const keyOf = (kind: 'in' | 'out', { operatorName, portName }: End): string =>
  JSON.stringify([kind, operatorName, portName]);

/** As the gateway lists them: a line each, with its place before a colon. */
export const problemsInLines = (lines: string): readonly Problem[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, path, message] =
        /^((?:operators|streams|attributes|statements|properties|kind)[^:\s]*): (.*)$/.exec(line) ?? [];
      return path !== undefined && message !== undefined ? { path, message } : { path: '', message: line };
    });

/** What the gateway has said of what is saved, then what can be told without it; of what is not saved that alone. */
export function problemsToShow(
  kept: string,
  local: readonly Problem[],
  isChanged: boolean,
): readonly Problem[] {
  if (isChanged || kept === '') return local;
  const told = problemsInLines(kept);
  const places = new Set(told.map(({ path }) => path));
  return [...told, ...local.filter(({ path }) => !places.has(path))];
}

/** What a click on it selects: the operator or the stream. */
export function selectionOf({ path }: Problem, definition: Definition): string | undefined {
  const [kind, index] = path.split('.');
  const place = Number(index);
  if (kind === 'operators') {
    const name = operatorsIn(definition)[place]?.name;
    return name === undefined ? undefined : `operator:${name}`;
  }
  if (kind !== 'streams') return undefined;
  const name = streamsIn(definition)[place]?.name;
  return name === undefined ? undefined : `stream:${name}`;
}
