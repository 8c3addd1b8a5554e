import type { LaunchRequest } from 'headgate/driver-kit';
import type { ApplicationRecord } from '../store/record.js';
import { queueName } from '../views/cluster.js';
import type { LaunchPlan, LaunchRequested } from './launch-plan.js';

/** What is kept of an application that is launched. */
export function firstRecord(
  id: string,
  name: string,
  { request, operators, from }: LaunchRequested,
  { application, own }: LaunchPlan,
  startedTime: number,
): ApplicationRecord {
  return {
    id,
    user: request.user,
    name,
    queue: queueName,
    state: 'ACCEPTED',
    finalStatus: 'UNDEFINED',
    startedTime,
    finishedTime: 0,
    diagnostics: '',
    isSystemApp: request.isSystemApp ?? false,
    ...(request.packageSource ? { packageSource: packageSourceOf(request.packageSource) } : {}),
    ...(operators.packageCode === undefined ? {} : { packageCode: operators.packageCode }),
    application,
    ...(from?.isPlanChanged ? { isPlanChanged: true } : {}),
    partitionProperties: { ...own },
  };
}

function packageSourceOf(
  source: NonNullable<LaunchRequest['packageSource']>,
): NonNullable<ApplicationRecord['packageSource']> {
  const { configPackage, ...rest } = source;
  return { ...rest, ...(configPackage ? { configPackage } : {}) };
}
