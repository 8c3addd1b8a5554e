import { both, type May, type OperationId, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { serviceUrl } from '../../gateway/proxies.js';
import { type AnswerOf, changed } from '../../gateway/queries.js';
import { failed, said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { words } from './words.js';

export type Service = AnswerOf<'getService'>;

const underWay: readonly string[] = ['INSTALLING', 'STOPPING', 'REMOVING'];
const up: readonly string[] = ['RUNNING', 'STARTING'];

/** What the caller may do to a service, as it stands. */
export function useServiceActions() {
  const may = useMay();
  return ({ state, proxy }: Service) => {
    const onIt = (id: OperationId, isAgainst: boolean, reason: string): May =>
      both(may(id), unless(underWay.includes(state), words.changing), unless(isAgainst, reason));
    return {
      start: onIt('startService', up.includes(state), words.running),
      stop: onIt('stopService', state === 'STOPPED', words.stopped),
      change: onIt('changeService', state !== 'STOPPED' && state !== 'FAILED', words.stopFirst),
      remove: onIt('deleteService', false, ''),
      open: both(
        unless(proxy === undefined, words.noProxy),
        unless(state !== 'RUNNING', words.notRunning),
        may('forwardServiceGet'),
      ),
    };
  };
}

const readAnew = () => changed('listServices', 'getService');

export async function start({ name }: Service): Promise<void> {
  try {
    await client.startService({ params: { name } });
    said(words.started(name));
  } catch (error) {
    failed(words.start, error);
  }
  await readAnew();
}

const dependents = ({ dependentApps }: Service): readonly string[] =>
  dependentApps.map(({ appName }) => words.needsIt(appName));

export function askToStop(service: Service): void {
  const { name } = service;
  confirm({
    title: words.stopTitle(name),
    text: words.stopText,
    effects: dependents(service),
    verb: words.stop,
    async act() {
      const { message } = await client.stopService({ params: { name } });
      said(message ?? words.stopping(name));
      await readAnew();
    },
  });
}

export function askToDelete(service: Service, done?: () => void): void {
  const { name } = service;
  confirm({
    title: words.deleteTitle(name),
    text: words.deleteText,
    effects: dependents(service),
    verb: words.delete,
    isDangerous: true,
    typed: name,
    async act() {
      const { message } = await client.deleteService({ params: { name } });
      said(message ?? words.deleted(name));
      done?.();
      await changed('listServices');
    },
  });
}

export function openPage({ name, proxy }: Service): void {
  window.open(serviceUrl(proxy?.name ?? name), '_blank', 'noopener,noreferrer');
}
