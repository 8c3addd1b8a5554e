import t from 'tap';
import { accessByRight, permissionsByDefault } from '../../../../lib/features/applications/access.js';
import { metricsOf } from '../../../../lib/features/applications/detail.js';
import { asksForActive, matchesFilter } from '../../../../lib/features/applications/filter.js';
import { firstCause, isError, rootCauseOf } from '../../../../lib/features/applications/root-cause.js';
import type { Principal } from '../../../../lib/http/principal.js';
import {
  type Access,
  accessByShare,
  defaultPermissions,
  type Permissions,
  stronger,
} from '../../../../lib/model/acl.js';
import type { AppSummary } from '../../../../lib/model/applications.js';
import type { Permission } from '../../../../lib/model/permissions.js';

const user = (userName: string, roles: string[] = [], ...permissions: Permission[]): Principal => ({
  userName,
  roles,
  permissions: new Set(permissions),
  isAdmin: roles.includes('admin'),
  identity: { userName },
});
const grant = (part: 'readOnly' | 'readWrite', to: Partial<Permissions['readOnly']>): Permissions => {
  const nobody = { roles: [], users: [], everyone: false };
  return { readOnly: nobody, readWrite: nobody, [part]: { ...nobody, ...to } };
};
const private_ = grant('readOnly', {});

t.test('access to an application', async (t) => {
  const table: [who: string, user: Principal, permissions: Permissions, app: Access, systemApp: Access][] = [
    ['owner', user('ada'), private_, 'write', 'write'],
    ['other', user('eve'), private_, 'none', 'none'],
    ['nobody', user(''), grant('readWrite', { everyone: true }), 'none', 'none'],
    ['shared reader', user('eve'), grant('readOnly', { users: ['eve'] }), 'read', 'read'],
    ['shared writer', user('eve'), grant('readWrite', { users: ['eve'] }), 'write', 'write'],
    ['reader by role', user('eve', ['team']), grant('readOnly', { roles: ['team'] }), 'read', 'read'],
    ['writer by role', user('eve', ['team']), grant('readWrite', { roles: ['team'] }), 'write', 'write'],
    ['everyone reads', user('eve'), grant('readOnly', { everyone: true }), 'read', 'read'],
    ['another role', user('eve', ['crew']), grant('readOnly', { roles: ['team'] }), 'none', 'none'],
    ['viewer', user('eve', [], 'VIEW_OTHER_USERS_APPS'), private_, 'read', 'none'],
    ['manager', user('eve', [], 'MANAGE_OTHER_USERS_APPS'), private_, 'write', 'none'],
    ['system viewer', user('eve', [], 'VIEW_SYSTEM_APPS'), private_, 'none', 'read'],
    ['system manager', user('eve', [], 'MANAGE_SYSTEM_APPS'), private_, 'none', 'write'],
    ['admin', user('root', ['admin']), private_, 'write', 'write'],
    [
      'viewer who shares writing',
      user('eve', [], 'VIEW_OTHER_USERS_APPS'),
      grant('readWrite', { users: ['eve'] }),
      'write',
      'write',
    ],
  ];
  const accessTo = (caller: Principal, permissions: Permissions, isSystemApp: boolean) =>
    stronger(accessByRight(caller, { user: 'ada', isSystemApp }), accessByShare(caller, permissions));
  for (const [who, caller, permissions, app, systemApp] of table) {
    t.equal(accessTo(caller, permissions, false), app, who);
    t.equal(accessTo(caller, permissions, true), systemApp, `${who}, application of the platform`);
  }
});

t.test('by default operators read, but nothing of the platform', async (t) => {
  t.strictSame(permissionsByDefault({ user: 'ada' }), defaultPermissions);
  t.equal(accessByShare(user('o', ['operator']), permissionsByDefault({ user: 'ada' })), 'read');
  const system = permissionsByDefault({ user: 'ada', isSystemApp: true });
  t.equal(accessByShare(user('o', ['operator']), system), 'none');
});

t.test('filters of the list', async (t) => {
  const app: AppSummary = {
    id: 'application_1_1',
    name: 'Words',
    queue: 'default',
    state: 'RUNNING',
    finalStatus: 'UNDEFINED',
    startedTime: 1,
    finishedTime: 0,
    elapsedTime: 1,
    diagnostics: '',
    trackingUrl: '',
    user: 'ada',
  };
  for (const [filter, fits] of [
    [{}, true],
    [{ states: 'RUNNING' }, true],
    [{ states: 'ACCEPTED,RUNNING' }, true],
    [{ states: '', name: '', user: '' }, true],
    [{ states: 'running' }, false],
    [{ states: 'NO_SUCH' }, false],
    [{ states: 'FINISHED' }, false],
    [{ name: 'Words', user: 'ada' }, true],
    [{ name: 'Word' }, false],
    [{ user: 'eve' }, false],
  ] as const) {
    t.equal(matchesFilter(app, filter), fits, JSON.stringify(filter));
  }
});

t.test('a filter on active states alone spares the cluster its history', async (t) => {
  for (const [states, active] of [
    ['RUNNING', true],
    ['SUBMITTED,ACCEPTED,RUNNING', true],
    ['RUNNING,KILLED', false],
    ['FINISHED', false],
    ['', false],
  ] as const) {
    t.equal(asksForActive({ states }), active, states);
  }
  t.equal(asksForActive({}), false);
});

t.test('a root cause says what the cluster, the diagnostics and the last errors say', async (t) => {
  const error = {
    id: '7',
    timestamp: 1_700_000_000_000,
    type: 'OperatorError',
    data: { operatorName: 'parse', operatorId: '2', errorMessage: 'SyntaxError at line 1' },
  };
  const cause = rootCauseOf({ id: 'a', diagnostics: 'gave up after 5 attempts' }, [error]);
  t.match(cause, { title: 'FC_OPERATOR_ERROR', type: 'markdown' });
  for (const part of [
    'gave up after 5 attempts',
    '` parse `',
    'SyntaxError at line 1',
    '2023-11-14T22:13:20',
  ])
    t.match(cause.content, part);

  const failure = { code: 'OUT_OF_MEMORY', message: 'heap is full', containerId: 'c_3', log: ['last words'] };
  const known = rootCauseOf({ id: 'a', diagnostics: '', failure }, []);
  t.equal(known.title, 'FC_OUT_OF_MEMORY');
  for (const part of ['heap is full', '` c_3 `', 'last words']) t.match(known.content, part);

  t.strictSame(rootCauseOf({ id: 'a', diagnostics: '' }, []), {
    title: 'FC_UNKNOWN',
    type: 'markdown',
    content: 'Nothing is known of the cause.',
  });
});

t.test('the cause is the first error of the last series, not the last symptom', async (t) => {
  const event = (timestamp: number, type: string, data: Record<string, string>) => ({
    id: String(timestamp),
    timestamp,
    type,
    data,
  });
  const error = (timestamp: number, containerId: string, errorMessage: string, more = {}) =>
    event(timestamp, 'OperatorError', {
      containerId,
      operatorName: `op-${containerId}`,
      errorMessage,
      ...more,
    });
  const events = [
    error(1_000, 'c_1', 'long over'),
    error(200_000, 'c_2', 'the replay buffer is full', { logLevel: 'WARN' }),
    event(201_000, 'StopContainer', { containerId: 'c_3', exitStatus: '1', reason: 'it ended' }),
    event(201_001, 'StartContainer', { containerId: 'c_9' }),
    error(201_002, 'c_3', 'Error: the beginning\n    at Parse.process'),
    error(210_000, 'c_4', 'no more tuples'),
    event(211_000, 'StopContainer', { containerId: 'c_4', exitStatus: '1' }),
  ];
  t.match(firstCause(events), {
    code: 'OPERATOR_ERROR',
    message: 'Error: the beginning',
    containerId: 'c_3',
    operatorName: 'op-c_3',
    at: 201_002,
    stackTrace: /Parse\.process/,
  });
  const { title, content } = rootCauseOf({ id: 'a', diagnostics: '' }, events);
  t.equal(title, 'FC_OPERATOR_ERROR');
  t.match(content, /^## Cause\n\n```\nError: the beginning\n```/);
  t.match(firstCause(events.slice(2, 4)), { code: 'STOP_CONTAINER', message: 'it ended' });
  t.equal(firstCause(events.slice(1, 2)), undefined, 'a warning ends nothing');
});

t.test('texts of others draw nothing into a root cause, and are bounded', async (t) => {
  const { content } = rootCauseOf({ id: 'a', diagnostics: 'x\n```\n# Not a heading\n````\n' }, []);
  t.ok(content.includes('`````\nx\n```\n# Not a heading'), 'the fence is longer than any inside');
  const long = rootCauseOf({ id: 'a', diagnostics: `${'a'.repeat(1e6)}the end` }, []);
  t.ok(long.content.length < 20_000);
  t.match(long.content, /the end/);
});

t.test('a container that ended well is no error', async (t) => {
  const stop = (exitStatus: unknown) =>
    isError({ id: '1', timestamp: 0, type: 'StopContainer', data: { exitStatus } });
  t.equal(stop('0'), false);
  t.equal(stop(undefined), false);
  t.equal(stop('137'), true);
  t.equal(isError({ id: '1', timestamp: 0, type: 'StartContainer', data: {} }), false);
});

t.test('metrics are turned from operator first to metric first', async (t) => {
  t.strictSame(metricsOf({ parse: { errors: 3, shape: 'json' }, count: { errors: 0, shape: [1] } }), [
    { name: 'errors', type: 'number', values: { parse: 3, count: 0 } },
    { name: 'shape', type: 'mixed', values: { parse: 'json', count: [1] } },
  ]);
});
