import { text } from 'node:stream/consumers';
import {
  BadRequest,
  type DefinitionProblem,
  defaultJsonLimits,
  InvalidInput,
  parseJson,
  SqlApplication,
} from 'headgate/driver-kit';
import type { JobManagerClient } from '../rest/client.js';
import type { SqlGateway } from '../sql/session.js';
import type { KeptJars } from './kept-jars.js';
import { argsProperty, type LaunchSettings, nameProperty, refusedProperty } from './launch-properties.js';
import { sqlProblems } from './sql-check.js';
import { runSql } from './sql-run.js';
import { type Launch, programMissing, type Run } from './submission.js';

/** Applications in SQL. */
export interface SqlPrograms {
  check(application: SqlApplication): readonly DefinitionProblem[];
  /** Throws `BadRequest` where there is no SQL gateway, `InvalidInput` for what `check` finds. */
  require(application: SqlApplication): void;
  /** Of a launch whose file is kept. Throws `BadRequest` for arguments, which SQL does not take. */
  run(launch: Launch, settings: LaunchSettings): Run;
}

const noGateway =
  'An application in SQL is launched by a SQL gateway, and the driver for Flink knows none: set the option sqlGateway of flinkCluster to its base URL';

export function createSqlPrograms(deps: {
  readonly gateway: SqlGateway | undefined;
  readonly client: Pick<JobManagerClient, 'send'>;
  readonly jars: Pick<KeptJars, 'toSend'>;
  readonly runMillis: number;
}): SqlPrograms {
  const { gateway, client, jars, runMillis } = deps;

  const check = (application: SqlApplication) =>
    gateway ? sqlProblems(application) : [{ path: 'kind', message: noGateway }];

  function require(application: SqlApplication): void {
    if (!gateway) throw noGatewayError();
    const problems = sqlProblems(application);
    if (problems.length > 0) throw new InvalidInput(problems);
  }

  return {
    check,
    require,
    run(launch, settings) {
      if (settings.args.length > 0)
        throw refusedProperty(argsProperty, 'means nothing to an application in SQL');
      return async (jobId, signal) => {
        const file = await jars.toSend(launch.jar);
        if (!file || !gateway)
          return { is: 'refused', error: file ? noGatewayError() : programMissing(launch.name) };
        const kept = parseJson((await text(await file.open())).replace(/^\uFEFF/, ''), defaultJsonLimits);
        const { statements } = SqlApplication.parse(kept);
        const order = { statements, properties: sessionProperties(launch, settings), millis: runMillis };
        return runSql({ gateway, client }, jobId, order, signal);
      };
    },
  };
}

const noGatewayError = () => new BadRequest('APPLICATION_TYPE_NOT_SUPPORTED', noGateway);

/** Flink 1.20 gave two options other names; which one a version knows need not be known: it takes no notice of the other. */
export function sessionProperties(
  { name, savepoint }: Pick<Launch, 'name' | 'savepoint'>,
  { parallelism, allowNonRestoredState, configuration }: LaunchSettings,
): Record<string, string> {
  return {
    [nameProperty]: name,
    ...configuration,
    ...(parallelism === undefined ? {} : { 'parallelism.default': String(parallelism) }),
    ...(savepoint === undefined
      ? {}
      : { 'execution.state-recovery.path': savepoint, 'execution.savepoint.path': savepoint }),
    ...(allowNonRestoredState
      ? {
          'execution.state-recovery.ignore-unclaimed-state': 'true',
          'execution.savepoint.ignore-unclaimed-state': 'true',
        }
      : {}),
  };
}
