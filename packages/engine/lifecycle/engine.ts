import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterContext, PackageOperatorClass } from 'headgate/driver-kit';
import { applicationId } from '../model/ids.js';
import { builtInClass } from '../operators/built-in-classes.js';
import { knownOperators } from '../operators/known-operators.js';
import { openPackageCode, type PackageCode } from '../package-code/package-code.js';
import { type HostGc, watchHostGc } from '../processes/host-gc.js';
import { programFile, writePrograms } from '../programs/programs.js';
import type { LocalClusterSettings } from '../settings/options.js';
import type { KeptApplication } from '../store/application-file.js';
import { lockDirectory } from '../store/directory-lock.js';
import { makeSocketDirectory } from '../store/sockets.js';
import type { ApplicationStore } from '../store/store.js';

/** What there is from one open to the close. */
export interface Engine {
  readonly context: ClusterContext;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly packageCode: PackageCode;
  /** Operators that are there without any package. */
  builtIns(): Promise<readonly PackageOperatorClass[]>;
  /** Unique in the directory for good. */
  nextApplicationId(): string;
  /** Directory of the containers' sockets. */
  readonly sockets: string;
  readonly gc: HostGc;
  /** Applications of earlier engines. */
  readonly found: readonly KeptApplication[];
  close(): Promise<void>;
}

/** Rejects when an operator module can't be loaded, and when another engine uses the directory; nothing is left behind then. */
export async function openEngine(
  settings: LocalClusterSettings,
  store: ApplicationStore,
  context: ClusterContext,
): Promise<Engine> {
  const loadOperators = knownOperators(settings.modules);
  // What is wrong with the host's own a start tells.
  if (settings.modules.length > 0) await loadOperators();
  // The directory itself may be the host's, with other things in it.
  await mkdir(settings.directory, { recursive: true, mode: 0o700 });
  await mkdir(settings.access.folder, { recursive: true, mode: 0o700 });
  const unlock = await lockDirectory(settings.directory);
  const sockets = makeSocketDirectory(tmpdir());
  const letGo = async () => {
    await rm(sockets, { recursive: true, force: true });
    await unlock();
  };
  try {
    const now = context.clock.now();
    const startedAt = await store.begin(now, sockets);
    const found = await store.load(now, (appId, part, error) => {
      if (part === 'record')
        context.logger.error(
          { event: 'application.record_damaged', appId, err: error },
          'What was kept of an application is damaged; it is not listed',
        );
      else
        context.logger.error(
          { event: 'application.snapshot_damaged', appId, err: error },
          'How an application last looked is damaged; it is listed without its plan and containers',
        );
    });
    await writePrograms(settings.directory);
    const program = (name: Parameters<typeof programFile>[1]) => programFile(settings.directory, name);
    const packageCode = await openPackageCode(
      {
        ...settings,
        allowed: settings.packageCode,
        directory: join(settings.directory, 'packages'),
        programs: { examine: program('examine'), operators: program('operators'), zod: program('zod') },
        loadOperators,
      },
      found.map(({ record }) => record.packageCode),
    );
    const hostGc = watchHostGc();
    let sequence = 0;
    let builtIns: readonly PackageOperatorClass[] | undefined;
    return {
      context,
      startedAt,
      packageCode,
      async builtIns() {
        builtIns ??= [...(await loadOperators()).values()].map(builtInClass);
        return builtIns;
      },
      nextApplicationId: () => applicationId(startedAt, ++sequence),
      sockets,
      gc: hostGc.gc,
      found,
      async close() {
        hostGc.close();
        await letGo();
      },
    };
  } catch (error) {
    await letGo();
    throw error;
  }
}
