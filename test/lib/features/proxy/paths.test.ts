import t from 'tap';
import { masterPath, servicePath } from '../../../../lib/features/proxy/paths.js';

// What stands behind the prefixes of the proxies.

const masters: readonly [path: string, found: ReturnType<typeof masterPath>][] = [
  ['app_1', { appId: 'app_1', mount: 'app_1', rest: '' }],
  ['app_1/', { appId: 'app_1', mount: 'app_1', rest: '' }],
  ['app_1/ws/v2/stram/info', { appId: 'app_1', mount: 'app_1', rest: 'ws/v2/stram/info' }],
  ['applications/app_1', { appId: 'app_1', mount: 'applications/app_1', rest: '' }],
  ['applications/app_1/a//b/', { appId: 'app_1', mount: 'applications/app_1', rest: 'a//b/' }],
  ['app_1/applications/app_2', { appId: 'app_1', mount: 'app_1', rest: 'applications/app_2' }],
  ['', undefined],
  ['/app_1', undefined],
  ['applications', undefined],
  ['applications/', undefined],
  ['applications//app_1', undefined],
];

for (const [path, found] of masters) {
  t.test(`master: ${path}`, async (t) => t.strictSame(masterPath(path), found));
}

const services: readonly [path: string, found: ReturnType<typeof servicePath>][] = [
  ['web', { mount: 'web', name: 'web', rest: undefined }],
  ['web/', { mount: 'web', name: 'web', rest: '' }],
  ['web/a/b?c', { mount: 'web', name: 'web', rest: 'a/b?c' }],
  ['web//a', { mount: 'web', name: 'web', rest: '/a' }],
  ['my%20web/a%20b', { mount: 'my%20web', name: 'my web', rest: 'a%20b' }],
  ['%ff/a', { mount: '%ff', name: undefined, rest: 'a' }],
  ['', { mount: '', name: '', rest: undefined }],
];

for (const [path, found] of services) {
  t.test(`service: ${path}`, async (t) => t.strictSame(servicePath(path), found));
}
