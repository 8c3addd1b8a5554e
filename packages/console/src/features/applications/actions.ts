import { both, type May, type OperationId, unless, useMay, useOffers } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { settings } from '../../gateway/settings.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { isOverIn } from '../../shell/states.js';
import { words } from './words.js';

interface ActedOn {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly canWrite?: boolean;
  readonly runningContainers: number;
}

interface ApplicationActions {
  readonly shutDown: May;
  readonly kill: May;
  readonly restart: May;
  /** Whether a shutdown may drain it. */
  readonly drains: boolean;
}

/** What the caller may do to an application, as it stands. */
export function useApplicationActions(): (app: ActedOn) => ApplicationActions {
  const may = useMay();
  const drains = useOffers()('master.drainer');
  return ({ state, canWrite }) => {
    const onIt = (id: OperationId, isAgainst: boolean, reason: string): May =>
      both(may(id), unless(canWrite === false, words.readOnly), unless(isAgainst, reason));
    return {
      shutDown: onIt('shutdownApplication', isOverIn(state), words.hasEnded),
      kill: onIt('killApplication', isOverIn(state), words.hasEnded),
      restart: onIt('restartApplication', !isOverIn(state), words.notEnded),
      drains,
    };
  };
}

const containersOf = ({ runningContainers }: ActedOn): readonly string[] =>
  runningContainers > 0 ? [words.containers(runningContainers)] : [];

export function askToShutDown(app: ActedOn, { drains }: Pick<ApplicationActions, 'drains'>): void {
  confirm({
    title: words.shutDownTitle(app.name),
    text: words.shutDownText,
    effects: containersOf(app),
    verb: words.shutDown,
    ...(settings.environment?.isProduction ? { typed: app.name } : {}),
    ...(drains ? { choice: words.drain } : {}),
    async act(isDrained) {
      await client.shutdownApplication({
        params: { appid: app.id },
        ...(isDrained ? { query: { drain: true } } : {}),
      });
      said(words.shuttingDown(app.name));
      await changed('listApplications', 'getApplication');
    },
  });
}

export function askToKill(app: ActedOn): void {
  confirm({
    title: words.killTitle(app.name),
    text: words.killText,
    effects: containersOf(app),
    verb: words.kill,
    isDangerous: true,
    typed: app.name,
    async act() {
      await client.killApplication({ params: { appid: app.id } });
      said(words.killing(app.name));
      await changed('listApplications', 'getApplication');
    },
  });
}

export function askToRestart(app: ActedOn): void {
  confirm({
    title: words.restartTitle(app.name),
    text: words.restartText,
    verb: words.restart,
    async act() {
      const { appId } = await client.restartApplication({ params: { appid: app.id }, body: {} });
      said(words.restarted(appId));
      await changed('listApplications', 'getApplication');
    },
  });
}
