import type { JarOperatorClass, TimeSlice } from 'headgate/driver-kit';
import type { ClassIndex } from './class-index.js';
import { madeBy } from './defaults.js';
import type { Documentation } from './documentation.js';
import type { JarLimits } from './limits.js';
import { genericOperator, operatorClass } from './operator-class.js';
import type { JarProblems } from './problems.js';
import type { TypeNode } from './type-graph.js';

/** Classes that may be operators: they are, with what they descend from, ready to be described. */
interface OperatorCandidates {
  readonly classes: readonly TypeNode[];
  /** Everything that descends from the engine's type of operators. */
  readonly types: readonly string[];
}

const port = 'com.datatorrent.api.Operator$Port';

export async function operatorCandidates(
  index: ClassIndex,
  limits: JarLimits,
  problems: JarProblems,
  slice: TimeSlice,
): Promise<OperatorCandidates> {
  const { graph } = index;
  const types: string[] = [];
  const classes: TypeNode[] = [];
  const lacking = new Map<string, TypeNode[]>();
  for (const node of graph.nodes()) {
    if (slice.isOver()) await slice.next();
    if (!graph.isA(node.name, genericOperator)) continue;
    types.push(node.name);
    if (!node.isInstantiable) continue;
    const missing = graph.missing(node.name);
    if (missing === undefined) classes.push(node);
    else lacking.set(missing, [...(lacking.get(missing) ?? []), node]);
  }
  for (const [missing, [first, ...others]] of lacking) {
    if (!first) continue;
    const which = others.length === 0 ? first.name : `${first.name} and ${others.length} more operators`;
    problems.add(first.jar ?? '', `${which} can't be loaded: ${missing} is in no jar of the package`);
  }
  const ofJars = classes.filter(({ jar }) => jar !== undefined);
  const [tooMany] = ofJars.slice(limits.maxOperators);
  if (tooMany) {
    problems.add(tooMany.jar ?? '', `more than ${limits.maxOperators} operators: the rest is left out`);
  }
  // The engine's own are there wherever its operators are, and nowhere else.
  const ofEngine = ofJars.length === 0 ? [] : classes.filter(({ jar }) => jar === undefined);
  const described = [...ofJars.slice(0, limits.maxOperators), ...ofEngine].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  await index.load(
    described.map(({ name }) => name),
    slice,
  );
  await loadPorts(described, index, slice);
  await loadMade(described, index, slice);
  return { classes: described, types: types.sort() };
}

/** Classes of ports that are the package's own. */
async function loadPorts(classes: readonly TypeNode[], index: ClassIndex, slice: TimeSlice): Promise<void> {
  const ports = new Set<string>();
  for (const { name } of classes) {
    if (slice.isOver()) await slice.next();
    for (const type of [name, ...index.graph.ancestors(name)]) {
      for (const { className } of index.details(type)?.fields ?? []) {
        if (index.graph.isA(className, port)) ports.add(className);
      }
    }
  }
  await index.load(ports, slice);
}

/** Constructors make objects that get to know the operator: whether those change it is in their classes. */
async function loadMade(classes: readonly TypeNode[], index: ClassIndex, slice: TimeSlice): Promise<void> {
  const made = new Set<string>();
  for (const { name } of classes) {
    if (slice.isOver()) await slice.next();
    for (const type of [name, ...index.graph.ancestors(name)]) {
      for (const owner of madeBy(type, index)) if (owner.startsWith(`${type}$`)) made.add(owner);
    }
  }
  await index.load(made, slice);
}

export async function describeOperators(
  { classes }: OperatorCandidates,
  index: ClassIndex,
  documentation: Documentation,
  { limits: { maxMembers }, problems }: { limits: JarLimits; problems: JarProblems },
  slice: TimeSlice,
): Promise<JarOperatorClass[]> {
  const operators: JarOperatorClass[] = [];
  let members = 0;
  for (const { name, jar } of classes) {
    if (slice.isOver()) await slice.next();
    const operator = operatorClass(name, jar, index, documentation);
    if (!operator) continue;
    members += operator.inputPorts.length + operator.outputPorts.length + operator.properties.length;
    if (members > maxMembers) {
      problems.add(
        jar ?? '',
        `${name} and what follows is left out: operators have more than ${maxMembers} ports and properties`,
      );
      break;
    }
    operators.push(operator);
  }
  return operators;
}
