import {
  type ApplicationReport,
  decodePathSegment,
  type ForwardTarget,
  type Master,
} from 'headgate/driver-kit';
import { type Answer, type Asked, unknownPath } from './answers.js';
import { type ManagerFacts, managerAnswer } from './manager.js';
import { masterAnswer } from './master.js';
import { createUnixSocketServer } from './unix-socket-server.js';

/** The resource manager and the masters of the embedded engine, as those of a cluster are asked. */
export interface WebServices {
  manager(): Promise<ForwardTarget>;
  master(appId: string): Promise<ForwardTarget>;
  /** Idempotent. */
  close(): Promise<void>;
}

export function createWebServices(
  socketPath: string,
  engine: ManagerFacts & {
    /** Throws `NotFound`. */
    master(appId: string): Master;
  },
): WebServices {
  async function answer(path: string, asked: Omit<Asked, 'segments'>): Promise<Answer> {
    const [, appId, rest] = /^(?:\/apps\/([^/]+)\/ws\/v2\/stram|\/ws\/v1)\/(.*)$/s.exec(path) ?? [];
    if (rest === undefined) return unknownPath;
    const encoded = rest.replace(/\/$/, '').split('/');
    const segments = encoded.flatMap((segment) => decodePathSegment(segment) ?? []);
    if (segments.length < encoded.length) return unknownPath;
    if (appId === undefined) return managerAnswer(engine, { ...asked, segments });
    const report: ApplicationReport = engine.report(appId);
    return masterAnswer({ report, master: engine.master(appId) }, { ...asked, segments });
  }
  const server = createUnixSocketServer(socketPath, answer);
  return {
    manager: () => server.target('/ws/v1/'),
    master: (appId) => server.target(`/apps/${appId}/ws/v2/stram/`),
    close: server.close,
  };
}
