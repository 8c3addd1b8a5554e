import { JsonText } from '../../formats/json-text.js';
import type { Principal } from '../../http/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { BadRequest, Conflict, Forbidden, NotFound } from '../../model/errors.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import { collection } from '../../storage/collection.js';
import type { AlertTemplateService } from '../alert-templates/service.js';
import type { AlertMails } from '../mail/service.js';
import { createAlertRegistry, type LiveAlert } from './alert-registry.js';
import type { TopicPattern } from './conditions/condition.js';
import { createConditionRunner } from './conditions/runner.js';
import { createCurrentTopics } from './current-topics.js';
import { type AlertRound, createAlertMonitor } from './monitor.js';
import { type AlertOptions, readAlertOptions } from './options.js';
import { ownerOf } from './owners.js';
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
import { onlyName } from './topic-names.js';
import { createTopicReadings, type TopicSource } from './topic-readings.js';
import { createValidate } from './validation.js';

/** Everybody sees and manages his own alerts, administrators all. */
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
  /** The newest first. */
  history(user: Principal): AlertHistoryItem[];
  /** What the user's conditions could read now, by topic. */
  topicData(user: Principal, signal: AbortSignal): Promise<Record<string, JsonText>>;
  validate(user: Principal, input: ScriptToValidate, signal: AbortSignal): Promise<ScriptValidation>;
  /** Those that are disabled too. */
  count(): number;
  /** Processes that run conditions, the spare one too. */
  processCount(): number;
  /** Reads what is kept, and begins to evaluate. */
  open(): Promise<void>;
  /** Idempotent. Status and history are gone, unless they are durable. */
  close(): Promise<void>;
}

export function createAlertService(deps: {
  readonly documents: DocumentStore;
  /** Asked for after the start. */
  readonly source: () => TopicSource;
  /** Applications that have not ended and whose topics `user` may read. */
  readonly appIds: (user: Principal) => Promise<readonly string[]>;
  readonly principalOf: (identity: Identity) => Promise<Principal>;
  readonly mails: AlertMails;
  readonly templates: Pick<AlertTemplateService, 'fill'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: AlertOptions | undefined;
  /** Told after each round of evaluation. */
  readonly onRound: (round: AlertRound) => void;
}): AlertService {
  const { clock, logger, mails, templates, appIds, principalOf } = deps;
  const { everyMillis, isDurable, scripts, limits } = readAlertOptions(deps.options);
  const kept = collection(deps.documents, 'alerts', StoredAlert);
  const source: TopicSource = {
    watch: (topic, receive) => deps.source().watch(topic, receive),
    isRead: (topic) => deps.source().isRead(topic),
    hasViews: (topic) => deps.source().hasViews(topic),
    latest: (...asked) => deps.source().latest(...asked),
    latestAt: (topic) => deps.source().latestAt(topic),
    mayRead: (user, topic) => deps.source().mayRead(user, topic),
  };
  const runner = createConditionRunner(scripts, logger);
  const { documents } = deps;
  const board = createAlertRegistry({
    clock,
    logger,
    mails,
    memory: isDurable ? createAlertStatusStore({ documents, logger }) : undefined,
    historyPerOwner: limits.historyPerOwner,
  });
  const readings = createTopicReadings(source, clock);
  const topicHistory = createTopicHistory(limits);
  const snapshots = createSnapshots({ source, readings, appIds, limits });
  const current = createCurrentTopics({ source, clock, appIds, limits });
  const monitor = createAlertMonitor({
    onRound: deps.onRound,
    board,
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
  const inTurn = keyedMutex();

  const isVisible = (user: Principal, { alert }: LiveAlert): boolean =>
    user.isAdmin || alert.owner.userName === user.userName;

  function visible(user: Principal, name: string): LiveAlert {
    const live = board.get(name);
    if (live && isVisible(user, live)) return live;
    throw new NotFound('alert', name);
  }

  async function topicsOf(condition: string): Promise<TopicPattern[]> {
    const checked = await runner.check(condition);
    if (checked.is === 'sound') return [...checked.topics];
    const { message, line, column } = checked;
    const where = line === undefined ? '' : `, line ${line}, column ${column}`;
    throw new BadRequest(`The condition can not be used${where}: ${message}`, { line, column });
  }

  /** What is known only as the condition runs is looked at then. */
  async function requireReadable(owner: Principal, topics: readonly TopicPattern[]): Promise<void> {
    for (const topic of topics.flatMap((pattern) => onlyName(pattern) ?? [])) {
      if (await source.mayRead(owner, topic)) continue;
      throw new Forbidden(
        `${owner.userName} may not read the topic ${topic}, or there is none of this name`,
        {
          topic,
        },
      );
    }
  }

  function requireRoom(owner: string): void {
    const all = board.all();
    if (all.filter(({ alert }) => alert.owner.userName === owner).length >= limits.perOwner) {
      throw new Conflict(`${owner} has ${limits.perOwner} alerts already; delete one first`);
    }
    if (all.length >= limits.total) {
      throw new Conflict(`There are ${limits.total} alerts already; one must be deleted first`);
    }
  }

  /** An administrator who replaces somebody's alert does not take it over, unless that one may nothing here any more. */
  async function ownerAfter(user: Principal, { owner }: StoredAlert): Promise<Principal> {
    if (owner.userName === user.userName) return user;
    try {
      return await principalOf(owner);
    } catch (error) {
      if (error instanceof Forbidden) return user;
      throw error;
    }
  }

  async function put(user: Principal, name: string, input: AlertInput): Promise<void> {
    const before = board.get(name);
    if (before && !isVisible(user, before)) {
      throw new Forbidden(`The alert ${JSON.stringify(name)} is somebody else's; choose another name`);
    }
    const owner = before ? await ownerAfter(user, before.alert) : user;
    if (!before) requireRoom(owner.userName);
    const topics = await topicsOf(input.condition);
    await requireReadable(owner, topics);
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
    board.save(alert);
  }

  return {
    list: (user, { inAlert }) =>
      board
        .all()
        .filter((live) => isVisible(user, live))
        .map(board.shown)
        .filter(({ alertStatus }) => inAlert === undefined || alertStatus.isInAlert === inAlert)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    get: (user, name) => board.shown(visible(user, name)),
    async put(user, name, input) {
      if (input.name !== undefined && input.name !== name) {
        throw new BadRequest(`The path says ${JSON.stringify(name)}, the body ${JSON.stringify(input.name)}`);
      }
      // All of them in turn: the limits hold for alerts that are being saved at the same time, too.
      await inTurn('alerts', () => put(user, name, input));
    },
    remove: (user, name) =>
      inTurn('alerts', async () => {
        visible(user, name);
        await kept.remove(name);
        // Its end lasts from here on, also over a crash.
        await board.remove(name);
      }),
    history: (user) => board.history.list(user.isAdmin ? undefined : user.userName),
    async topicData(user, signal) {
      const texts = await current(user, [['', '']], signal);
      return Object.fromEntries([...texts].map(([name, text]) => [name, new JsonText(text)]));
    },
    validate: createValidate({ runner, current, history: topicHistory, source, mails, templates, clock }),
    count: () => board.all().length,
    processCount: runner.processCount,
    async open() {
      await board.restore((await kept.list()).map(({ value }) => value));
      for (const problem of kept.problems())
        logger.error(
          { event: 'alerts.alert_unreadable', ...problem },
          'an alert that can not be read is left out',
        );
      monitor.start();
    },
    async close() {
      const closed = monitor.close();
      await runner.close();
      await closed;
      await board.close();
    },
  };
}
