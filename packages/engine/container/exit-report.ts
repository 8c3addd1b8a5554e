import type { OperatorLog } from '@headgate/operators';
import type { HubPublisher } from './hub-publisher.js';
import type { ContainerLog } from './log.js';
import type { Reports } from './reports.js';

/** How long the report may be on its way before the process ends all the same, milliseconds. */
const reportMillis = 2000;

/** Ends the process after a failure, of which the engine is told. What fails meanwhile is not told any more. */
export function createExitReport(
  log: ContainerLog,
  own: OperatorLog,
  { reports, hub }: { readonly reports: Pick<Reports, 'send'>; readonly hub: Pick<HubPublisher, 'settled'> },
): (thrown: unknown, operatorId?: string) => void {
  let dying = false;
  return (thrown, operatorId) => {
    if (dying) return;
    dying = true;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const logFileOffset = String(log.offset());
    own.error(`${operatorId === undefined ? 'The container' : `Operator ${operatorId}`} failed`, error);
    reports.send(
      {
        type: 'failed',
        ...(operatorId === undefined ? {} : { operatorId }),
        message: `${error.name}: ${error.message}`.slice(0, 4096),
        ...(error.stack === undefined ? {} : { stack: error.stack.slice(0, 16_384) }),
        logFileOffset,
      },
      () => void hub.settled().then(() => process.exit(1)),
    );
    setTimeout(() => process.exit(1), reportMillis);
  };
}
