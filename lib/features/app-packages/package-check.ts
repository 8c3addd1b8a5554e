import { engineAttributes } from '../../definitions/attributes.js';
import { checkDefinition } from '../../definitions/check.js';
import type { DefinitionKnowledge, KnownClass } from '../../definitions/knowledge.js';
import { createProblems } from '../../definitions/problems.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { PackageContent, PackageOperatorClass } from '../../interfaces/package.js';
import type { InputIssue } from '../../model/errors.js';
import type { ApplicationDefinition } from '../../model/logical-plan.js';
import { noSql, type SqlApplication } from '../../model/sql-application.js';
import { withTimeout } from '../../runtime/with-timeout.js';

/** Operator classes that were found in a package. */
export interface PackageClasses {
  readonly classes: readonly (PackageOperatorClass & { readonly ancestors?: readonly string[] })[];
  /** Everything was read: a class that is not among them is not in the package. */
  readonly isWhole: boolean;
}

/** What the engine's operators that delay descend from. */
const delay = 'com.datatorrent.api.Operator$DelayOperator';

/** As the engine on the cluster would check it. */
export function packageKnowledge({ classes, isWhole }: PackageClasses): DefinitionKnowledge {
  const known = new Map(classes.map((found) => [found.name, knownClass(found)]));
  return {
    classOf: (className) => known.get(className),
    unknownClass: (className) =>
      isWhole ? `there is no operator class ${JSON.stringify(className)} in the package` : undefined,
    attributes: engineAttributes,
  };
}

const knownClass = ({
  inputPorts,
  outputPorts,
  properties,
  ancestors,
}: PackageClasses['classes'][number]): KnownClass => ({
  inputs: inputPorts,
  outputs: outputPorts,
  properties: new Set(properties.flatMap(({ name, canSet }) => (canSet ? [name] : []))),
  ...(ancestors ? { delays: ancestors.includes(delay) } : {}),
});

/**
 * All that is wrong with a definition in a package. A driver that can check it knows best what it runs; one that names
 * classes of the package's jars is the engine's.
 */
export async function problemsInPackage(
  cluster: ClusterDriver,
  definition: ApplicationDefinition,
  { classes, content, millis }: { classes: PackageClasses; content: PackageContent; millis: number },
): Promise<readonly InputIssue[]> {
  const knowledge = packageKnowledge(classes);
  const { launcher } = cluster.resourceManager;
  const isEngines = definition.operators.some(({ class: name }) => knowledge.classOf(name));
  if (launcher?.check && !isEngines) {
    const request = { application: definition, packageContent: content };
    const check = launcher.check;
    return withTimeout(millis, `The driver "${cluster.name}"`, undefined, (signal) =>
      check(request, { signal }),
    );
  }
  const problems = createProblems();
  checkDefinition(definition, knowledge, problems);
  return problems.all;
}

/** Nothing of the package counts: SQL is the engine's own. */
export const problemsInSql = (
  { name, resourceManager: { launcher } }: ClusterDriver,
  application: SqlApplication,
): readonly InputIssue[] => launcher?.checkSql?.(application) ?? [{ path: 'kind', message: noSql(name) }];
