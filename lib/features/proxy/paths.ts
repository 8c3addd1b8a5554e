import { decodePathSegment } from '../../formats/percent.js';

/** A path behind `/proxy/master/v2/`. */
interface MasterPath {
  readonly appId: string;
  /** The application as the path names it: `applications/{id}`, or the id alone. */
  readonly mount: string;
  /** What the master is asked for, without a slash at its beginning. */
  readonly rest: string;
}

/** `path` is normal (`normalRest`). `undefined` when it names no application. */
export function masterPath(path: string): MasterPath | undefined {
  const [, mount = '', appId = '', , rest = ''] = /^((?:applications\/)?([^/]+))(\/(.*))?$/s.exec(path) ?? [];
  return appId === '' || appId === 'applications' ? undefined : { appId, mount, rest };
}

/** A path behind `/proxy/services/`. */
interface ServicePath {
  /** The service as the path names it, with its percent signs. */
  readonly mount: string;
  /** `undefined`: its percent signs mean nothing. */
  readonly name: string | undefined;
  /** What the service is asked for, without a slash at its beginning; `undefined`: not even the slash is there. */
  readonly rest: string | undefined;
}

/** `path` is normal (`normalRest`). */
export function servicePath(path: string): ServicePath {
  const slash = path.indexOf('/');
  const mount = slash < 0 ? path : path.slice(0, slash);
  return { mount, name: decodePathSegment(mount), rest: slash < 0 ? undefined : path.slice(slash + 1) };
}
