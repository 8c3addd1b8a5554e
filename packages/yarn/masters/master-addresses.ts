import { type BackOff, createBackOff } from '@headgate/history';
import { type Clock, createAborts, type HttpClient, setNewest } from 'headgate/driver-kit';
import type { Sighting } from '../manager/reports.js';
import { discover, type MasterAddress } from './discovery.js';

/** Where the masters of applications are, as far as is known, and which of them are left alone for a while. */
interface MasterAddresses {
  of(sighting: Sighting): MasterPlace;
}

/** Where the master of one attempt is. */
export interface MasterPlace {
  /** Throws why it is left alone, as long as it is. */
  requireAskable(): void;
  /** Looked for when it is not known or in doubt. */
  address(signal: AbortSignal | undefined): Promise<MasterAddress>;
  /** This address may not hold any more. */
  doubt(address: MasterAddress): void;
  answered(): void;
  failed(error: Error): void;
}

interface Known {
  address: MasterAddress | undefined;
  /** It did not answer: it is looked for anew, and asked there again when nobody can tell where else. */
  isDoubtful: boolean;
  /** Shared by all who ask at the same time. */
  finding: Promise<MasterAddress> | undefined;
  readonly backOff: BackOff;
  attempt: string;
}

export function createMasterAddresses(deps: {
  readonly proxy: HttpClient;
  readonly manager: { readonly active: string };
  readonly clock: Clock;
  readonly limits: { readonly masters: number; readonly backOffMillis: number };
}): MasterAddresses {
  const { proxy, manager, clock, limits } = deps;
  const known = new Map<string, Known>();
  const aborts = createAborts();

  function knownOf({ report }: Sighting): Known {
    const found = known.get(report.id);
    // Another attempt is another process, at another port.
    const isSame = found?.attempt === report.currentAttemptId;
    const entry: Known =
      found && isSame
        ? found
        : {
            address: undefined,
            isDoubtful: false,
            finding: undefined,
            backOff: createBackOff(clock, limits.backOffMillis),
            attempt: report.currentAttemptId,
          };
    setNewest(known, report.id, entry, limits.masters);
    return entry;
  }

  async function addressOf(entry: Known, sighting: Sighting): Promise<MasterAddress> {
    if (entry.address && !entry.isDoubtful) return entry.address;
    // No signal: who hangs up first must not end it for the others. The connection has a timeout of its own.
    entry.finding ??= find(entry, sighting).finally(() => {
      entry.finding = undefined;
    });
    return entry.finding;
  }

  async function find(entry: Known, sighting: Sighting): Promise<MasterAddress> {
    try {
      entry.address = await discover(proxy, sighting, manager.active, undefined);
      entry.isDoubtful = false;
      return entry.address;
    } catch (error) {
      // A master lives on without its manager, where it was.
      if (entry.address) return entry.address;
      throw error;
    }
  }

  /** Who hangs up does not wait for what others still want. */
  async function abortable<T>(begin: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (!signal) return begin();
    signal.throwIfAborted();
    return new Promise<T>((resolve, reject) => {
      const forget = aborts.on(signal, () => reject(signal.reason));
      begin().then(resolve, reject).finally(forget);
    });
  }

  return {
    of(sighting) {
      const entry = knownOf(sighting);
      return {
        requireAskable() {
          const { holding } = entry.backOff;
          if (holding !== undefined) throw holding;
        },
        address: (signal) => abortable(() => addressOf(entry, sighting), signal),
        doubt(address) {
          if (entry.address === address) entry.isDoubtful = true;
        },
        answered: () => entry.backOff.worked(),
        failed(error) {
          entry.isDoubtful = true;
          entry.backOff.failed(error);
        },
      };
    },
  };
}
