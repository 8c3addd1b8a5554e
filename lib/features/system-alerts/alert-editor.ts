import type { Principal } from '../../http/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import { BadRequest, Conflict, Forbidden } from '../../model/errors.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import type { Collection } from '../../storage/collection.js';
import type { AlertRegistry } from './alert-registry.js';
import { createConditionCheck } from './condition-check.js';
import type { ConditionRunner } from './conditions/condition.js';
import type { LiveAlert } from './live-alert.js';
import { isVisible, ownerOf, requireVisible } from './owners.js';
import type { AlertInput } from './schema.js';
import type { StoredAlert } from './stored.js';
import type { TopicSource } from './topic-readings.js';

/** Saves and removes alerts, one after the other. */
interface AlertEditor {
  /**
   * Creates or replaces. Rejects with `BadRequest` for a condition that is none, with `Forbidden` for somebody else's
   * alert and for a condition that reads what its owner may not, with `Conflict` at the limits.
   */
  put(user: Principal, name: string, input: AlertInput): Promise<void>;
  /** Rejects with `NotFound`. */
  remove(user: Principal, name: string): Promise<void>;
}

interface MaxAlerts {
  readonly perOwner: number;
  readonly total: number;
}

export function createAlertEditor(deps: {
  readonly kept: Collection<StoredAlert>;
  readonly registry: Pick<AlertRegistry, 'all' | 'get' | 'remove' | 'save'>;
  readonly runner: Pick<ConditionRunner, 'check'>;
  readonly source: Pick<TopicSource, 'mayRead'>;
  readonly principalOf: (identity: Identity) => Principal;
  readonly limits: MaxAlerts;
  readonly clock: Clock;
}): AlertEditor {
  const { kept, registry, principalOf, limits, clock } = deps;
  const check = createConditionCheck(deps.runner, deps.source);
  const inTurn = keyedMutex();

  /** An administrator who replaces somebody's alert does not take it over, unless that one may nothing here any more. */
  function ownerAfter(user: Principal, { owner }: StoredAlert): Principal {
    if (owner.userName === user.userName) return user;
    try {
      return principalOf(owner);
    } catch (error) {
      if (error instanceof Forbidden) return user;
      throw error;
    }
  }

  async function put(user: Principal, name: string, input: AlertInput): Promise<void> {
    const before = registry.get(name);
    if (before && !isVisible(user, before)) {
      throw new Forbidden(`The alert ${JSON.stringify(name)} is somebody else's; choose another name`);
    }
    const owner = before ? ownerAfter(user, before.alert) : user;
    if (!before) requireRoom(registry.all(), owner.userName, limits);
    const topics = await check(owner, input.condition);
    const { condition, email, description, timeThresholdMillis, disabled } = input;
    const alert: StoredAlert = {
      name,
      owner: ownerOf(owner),
      condition,
      topics: topics.map((pattern) => [...pattern]),
      email,
      description,
      timeThresholdMillis,
      disabled,
      savedAt: clock.now(),
    };
    await kept.put(name, alert);
    await registry.save(alert);
  }

  return {
    async put(user, name, input) {
      if (input.name !== undefined && input.name !== name) {
        throw new BadRequest(
          'NAME_MISMATCH',
          `The path says ${JSON.stringify(name)}, the body ${JSON.stringify(input.name)}`,
        );
      }
      // All of them in turn: the limits hold for alerts that are being saved at the same time, too.
      await inTurn('alerts', () => put(user, name, input));
    },
    remove: (user, name) =>
      inTurn('alerts', async () => {
        requireVisible(user, name, registry.get(name));
        await kept.remove(name);
        // Its end lasts from here on, also over a crash.
        await registry.remove(name);
      }),
  };
}

/** Throws `Conflict` when one more alert of this owner would be too many. */
function requireRoom(all: readonly LiveAlert[], owner: string, { perOwner, total }: MaxAlerts): void {
  if (all.filter(({ alert }) => alert.owner.userName === owner).length >= perOwner) {
    throw new Conflict('LIMIT_REACHED', `${owner} has ${perOwner} alerts already; delete one first`);
  }
  if (all.length >= total) {
    throw new Conflict('LIMIT_REACHED', `There are ${total} alerts already; one must be deleted first`);
  }
}
