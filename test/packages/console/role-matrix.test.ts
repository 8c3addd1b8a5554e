import t from 'tap';
import { mappingOf, rowsOf } from '../../../packages/console/src/features/accounts/group-rows.js';
import {
  changedRoles,
  changesOf,
  type Draft,
  isGiven,
  lostByRoles,
  lostRights,
  type Role,
  toggled,
} from '../../../packages/console/src/features/accounts/matrix.js';

const roles: readonly Role[] = [
  { name: 'admin', permissions: ['MANAGE_USERS', 'MANAGE_ROLES', 'VIEW_LOGS'] },
  { name: 'keeper', permissions: ['MANAGE_USERS', 'MANAGE_ROLES'] },
  { name: 'viewer', permissions: ['VIEW_LOGS'] },
];

t.test('a cell that is turned round is a change, and turned back is none', async (t) => {
  const given = toggled(roles, {}, 'viewer', 'LAUNCH_APPS');
  t.strictSame(given, { viewer: { LAUNCH_APPS: true } });
  t.ok(isGiven(roles, given, 'viewer', 'LAUNCH_APPS'));
  t.strictSame(toggled(roles, given, 'viewer', 'LAUNCH_APPS'), {}, 'no trace of it is left');
  const taken = toggled(roles, given, 'viewer', 'VIEW_LOGS');
  t.strictSame(changesOf(roles, taken), [
    { role: 'viewer', permission: 'LAUNCH_APPS', isGiven: true },
    { role: 'viewer', permission: 'VIEW_LOGS', isGiven: false },
  ]);
  t.strictSame(changedRoles(roles, taken), [{ name: 'viewer', permissions: ['LAUNCH_APPS'] }]);
});

t.test(
  'what somebody else has done meanwhile is no change any more, and what they added stays',
  async (t) => {
    const draft: Draft = { viewer: { LAUNCH_APPS: true }, gone: { VIEW_LOGS: true } };
    const now: readonly Role[] = [{ name: 'viewer', permissions: ['VIEW_LOGS', 'LAUNCH_APPS'] }];
    t.strictSame(changesOf(now, draft), []);
    t.strictSame(changedRoles(now, draft), []);
    const added: readonly Role[] = [{ name: 'viewer', permissions: ['VIEW_LOGS', 'UPLOAD_APP_PACKAGES'] }];
    t.strictSame(changedRoles(added, draft), [
      { name: 'viewer', permissions: ['VIEW_LOGS', 'UPLOAD_APP_PACKAGES', 'LAUNCH_APPS'] },
    ]);
  },
);

t.test('rights to administer that the caller would lose', async (t) => {
  const draft: Draft = { keeper: { MANAGE_ROLES: false, VIEW_LOGS: true } };
  const rows: readonly [own: readonly string[], draft: Draft, lost: readonly string[]][] = [
    [['keeper'], draft, ['MANAGE_ROLES']],
    [['keeper', 'admin'], draft, []],
    [['viewer'], draft, []],
    [['keeper'], {}, []],
    [['keeper'], { viewer: { MANAGE_ROLES: false } }, []],
    [['keeper', 'viewer'], { ...draft, viewer: { MANAGE_ROLES: true } }, []],
  ];
  for (const [own, changed, lost] of rows)
    t.strictSame(lostRights(roles, changed, own), lost, `${own} ${JSON.stringify(changed)}`);
  t.strictSame(lostByRoles(roles, ['admin'], ['viewer']), ['MANAGE_ROLES', 'MANAGE_USERS']);
  t.strictSame(lostByRoles(roles, ['admin'], ['keeper']), []);
  t.strictSame(lostByRoles(roles, ['viewer'], []), []);
});

t.test('groups are read in both spellings, and lines without a name are not sent', async (t) => {
  const rows = rowsOf([
    { group: 'staff', roles: ['viewer'] },
    { group: 'ops', role: ['admin'] },
  ]);
  t.strictSame(mappingOf([...rows, { key: 'new', group: ' ', roles: ['viewer'] }]), {
    groupMapping: [
      { group: 'staff', roles: ['viewer'] },
      { group: 'ops', roles: ['admin'] },
    ],
  });
});
