import { JsonText } from '../../formats/json-text.js';
import type { Principal } from '../../http/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { type Collection, collection } from '../../storage/collection.js';
import type { AlertTemplateService } from '../alert-templates/service.js';
import type { AlertMails } from '../mail/service.js';
import { createAlertEditor } from './alert-editor.js';
import { createAlertRegistry } from './alert-registry.js';
import { createConditionRunner } from './conditions/runner.js';
import { createCurrentTopics } from './current-topics.js';
import { createAlertMonitor } from './monitor.js';
import { type AlertOptions, readAlertOptions } from './options.js';
import { isVisible, requireVisible } from './owners.js';
import type { AlertRound } from './round-ticker.js';
import type {
  Alert,
  AlertFilter,
  AlertHistoryItem,
  AlertInput,
  ScriptToValidate,
  ScriptValidation,
} from './schema.js';
import { createSnapshots } from './snapshots.js';
import { createAlertStatusStore } from './status-store.js';
import { StoredAlert } from './stored.js';
import { createTopicHistory } from './topic-history.js';
import { createTopicReadings, type TopicSource } from './topic-readings.js';
import { createValidate } from './validation.js';

/** Everybody sees and manages their own alerts, administrators all. */
export interface AlertService {
  /** In the order of their names. */
  list(user: Principal, filter: AlertFilter): Alert[];
  get(user: Principal, name: string): Alert;
  /**
   * Creates or replaces. Rejects with `BadRequest` for a condition that is none, with `Forbidden` for somebody else's
   * alert and for a condition that reads what its owner may not, with `Conflict` at the limits.
   */
  put(user: Principal, name: string, input: AlertInput): Promise<void>;
  remove(user: Principal, name: string): Promise<void>;
  /** Lists activations that are over, the newest first. */
  history(user: Principal): AlertHistoryItem[];
  /** What the user's conditions could read now, by topic. */
  topicData(user: Principal, signal: AbortSignal): Promise<Record<string, JsonText>>;
  validate(user: Principal, input: ScriptToValidate, signal: AbortSignal): Promise<ScriptValidation>;
  /** So many there are, those that are disabled too. */
  count(): number;
  /** So many processes run conditions, the spare one too. */
  processCount(): number;
  /** Reads what is kept, and begins to evaluate. */
  open(): Promise<void>;
  /** Idempotent. Status and history are gone, unless they are durable. */
  close(): Promise<void>;
}

export function createAlertService(deps: {
  readonly documents: DocumentStore;
  readonly source: TopicSource;
  /** Applications that have not ended and whose topics `user` may read. */
  readonly appIds: (user: Principal) => Promise<readonly string[]>;
  readonly principalOf: (identity: Identity) => Principal;
  readonly mails: AlertMails;
  readonly templates: Pick<AlertTemplateService, 'fill'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: AlertOptions | undefined;
  /** Told after each round of evaluation. */
  readonly onRound: (round: AlertRound) => void;
}): AlertService {
  const { source, clock, logger, mails, templates, appIds, principalOf } = deps;
  const { everyMillis, isDurable, scripts, limits } = readAlertOptions(deps.options);
  const kept = collection(deps.documents, 'alerts', StoredAlert);
  const runner = createConditionRunner(scripts, logger);
  const { documents } = deps;
  const registry = createAlertRegistry({
    clock,
    logger,
    mails,
    statusStore: isDurable ? createAlertStatusStore({ documents, logger }) : undefined,
    historyPerOwner: limits.historyPerOwner,
  });
  const readings = createTopicReadings(source, clock);
  const topicHistory = createTopicHistory(limits);
  const snapshots = createSnapshots({ source, readings, appIds, limits });
  const current = createCurrentTopics({ source, clock, appIds, limits });
  const monitor = createAlertMonitor({
    onRound: deps.onRound,
    registry,
    readings,
    snapshots,
    history: topicHistory,
    runner,
    principalOf,
    clock,
    logger,
    everyMillis,
    millisPerOwner: limits.millisPerOwner,
  });
  const editor = createAlertEditor({ kept, registry, runner, source, principalOf, limits, clock });

  return {
    list: (user, { inAlert }) =>
      registry
        .all()
        .filter((live) => isVisible(user, live))
        .map(registry.shown)
        .filter(({ alertStatus }) => inAlert === undefined || alertStatus.isInAlert === inAlert)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    get: (user, name) => registry.shown(requireVisible(user, name, registry.get(name))),
    put: editor.put,
    remove: editor.remove,
    history: (user) => registry.history.list(user.isAdmin ? undefined : user.userName),
    async topicData(user, signal) {
      const texts = await current(user, [['', '']], signal);
      return Object.fromEntries([...texts].map(([name, text]) => [name, new JsonText(text)]));
    },
    validate: createValidate({ runner, current, history: topicHistory, source, mails, templates, clock }),
    count: () => registry.all().length,
    processCount: runner.processCount,
    async open() {
      await registry.restore(await readAlerts(kept, logger));
      monitor.start();
    },
    async close() {
      const closed = monitor.close();
      await runner.close();
      await closed;
      await registry.close();
    },
  };
}

async function readAlerts(kept: Collection<StoredAlert>, logger: Logger): Promise<readonly StoredAlert[]> {
  const alerts = (await kept.list()).map(({ value }) => value);
  for (const problem of kept.problems())
    logger.error(
      { event: 'alerts.alert_unreadable', ...problem },
      'an alert that can not be read is left out',
    );
  return alerts;
}
