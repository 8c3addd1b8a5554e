import { BadRequest } from 'headgate/driver-kit';
import type { RunOrder } from './jar-run.js';
import { type LaunchSettings, nameProperty } from './launch-properties.js';
import type { Launch } from './submission.js';

/** Since then a job may have options of its own. */
const configurable = { major: 1, minor: 17 };

/** What Flink of this version is asked for. Throws `BadRequest` for options that it would not hear of. */
export function orderOf(
  { entryClass, name, savepoint }: Pick<Launch, 'name' | 'savepoint'> & { readonly entryClass: string },
  { args, parallelism, allowNonRestoredState, configuration }: LaunchSettings,
  version: string,
): RunOrder {
  return {
    entryClass,
    programArgsList: args,
    ...(parallelism === undefined ? {} : { parallelism }),
    ...(savepoint === undefined ? {} : { savepointPath: savepoint }),
    ...(allowNonRestoredState ? { allowNonRestoredState } : {}),
    ...(takesConfiguration(version)
      ? { flinkConfiguration: { [nameProperty]: name, ...configuration } }
      : nothing(configuration, version)),
  };
}

/** A version that can not be read is a new one. */
function takesConfiguration(version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined || Number(major) > configurable.major) return true;
  return Number(major) === configurable.major && Number(minor) >= configurable.minor;
}

function nothing(configuration: Readonly<Record<string, string>>, version: string): Record<string, never> {
  const names = Object.keys(configuration);
  if (names.length === 0) return {};
  throw new BadRequest(
    'LAUNCH_PROPERTY_REFUSED',
    `Flink ${version} takes no options for a single job: leave out ${names.slice(0, 5).join(', ')}`,
    names.map((one) => ({ path: `body.${one}`, message: `is not taken by Flink ${version}` })),
  );
}
