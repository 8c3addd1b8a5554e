import t from 'tap';
import { PackageServices } from '../../../../lib/features/app-packages/schema.js';
import { runningAs } from '../../../../lib/features/services/kinds/running-as.js';
import {
  planFromPackage,
  planWithoutPackage,
} from '../../../../lib/features/services/launches/launch-plan.js';
import { verdictOn } from '../../../../lib/features/services/supervision/verdict.js';

// Decisions about services that ask nobody.

t.test('what a look means for a service', async (t) => {
  const times = { now: 10_000, readyMillis: 5000 };
  const life = (id: string, state: 'starting' | 'running' | 'ended', startedTime = 9000) => ({
    id,
    state,
    startedTime,
  });
  const rows = [
    ['RUNNING', life('a', 'running'), 'alive'],
    ['RUNNING', life('a', 'starting', 0), 'alive'],
    ['RUNNING', undefined, 'ended: It was ended by somebody else'],
    ['RUNNING', life('b', 'running'), 'ended: It was ended by somebody else'],
    ['RUNNING', life('a', 'ended'), 'ended: It ended'],
    ['RUNNING', { ...life('a', 'ended'), reason: 'Killed' }, 'ended: Killed'],
    ['STARTING', life('a', 'running', 0), 'ready'],
    ['STARTING', life('a', 'starting', 5000), 'alive'],
    ['STARTING', life('a', 'starting', 4999), 'late: It did not get ready within 5 s'],
    ['STARTING', undefined, 'ended: It was ended by somebody else'],
    ['STOPPED', life('a', 'running'), 'irrelevant'],
    ['STOPPING', undefined, 'irrelevant'],
    ['REMOVING', undefined, 'irrelevant'],
    ['FAILED', life('a', 'ended'), 'irrelevant'],
    ['INSTALLING', undefined, 'irrelevant'],
  ] as const;
  for (const [state, seen, wanted] of rows) {
    const verdict = verdictOn({ state, lifeId: 'a' }, seen, times);
    const got = 'reason' in verdict ? `${verdict.is}: ${verdict.reason}` : verdict.is;
    t.equal(got, wanted, `${state}, seen ${seen ? `${seen.id} ${seen.state}` : 'nothing'}`);
  }
});

t.test('which application runs which service', async (t) => {
  const application = (id: string, user?: string, finalStatus: 'UNDEFINED' | 'FAILED' = 'UNDEFINED') => ({
    id,
    finalStatus,
    ...(user === undefined ? {} : { appPackageSource: { user, name: 'p', version: '1', appName: 'app' } }),
  });
  const lifeIds = new Map([
    ['one', 'app-1'],
    ['two', undefined],
  ]);
  const rows = [
    ['by its id', application('app-1'), 'one'],
    ['by its package, where nobody kept the id', application('app-2', 'service:two'), 'two'],
    ['of a service that is not there', application('app-3', 'service:three'), undefined],
    ["of a user's package", application('app-4', 'ann'), undefined],
    ['one that has ended', application('app-1', undefined, 'FAILED'), undefined],
  ] as const;
  for (const [what, report, wanted] of rows)
    t.strictSame([...runningAs([report], lifeIds).keys()], wanted === undefined ? [] : [wanted], what);
});

/** A package with the application `app`, that requires these. */
const packageOf = (requiredServices: readonly object[], services: readonly object[] = []) =>
  PackageServices.parse({ applications: [{ name: 'app', requiredServices }], services });
const container = (name: string, requiredServices: readonly string[] = []) => ({
  name,
  type: 'container',
  container: { run: 'true' },
  requiredServices,
});
const none = new Map<string, readonly string[]>();

t.test('what a launch needs of services', async (t) => {
  const declared = packageOf(
    [{ name: 'web', requiredBeforeLaunch: true }, { name: 'cache', transient: true }, { name: 'there' }],
    [container('web', ['db']), container('db'), container('cache', ['store', 'db']), container('store')],
  );
  const plan = planFromPackage('app', declared, new Map([['there', ['below']]]));
  t.strictSame(plan.names, ['db', 'web', 'store', 'cache', 'below', 'there'], 'what is needed comes first');
  t.strictSame(plan.early, ['web']);
  t.strictSame(plan.late, ['cache', 'there']);
  t.strictSame(plan.names.filter(plan.isTransient), ['store', 'cache'], 'not what something lasting needs');
  t.equal(plan.definitionOf('db').name, 'db');
  t.throws(() => plan.definitionOf('there'), { code: 'SERVICE_MISSING' });
});

t.test('a service that is there needs what it needs, whatever the package says', async (t) => {
  const declared = packageOf([{ name: 'web' }], [container('web', ['other'])]);
  t.strictSame(planFromPackage('app', declared, new Map([['web', ['db']]])).names, ['db', 'web']);
});

t.test('an application says more of a service than the list does', async (t) => {
  const declared = packageOf([{ name: 'web', description: 'of the application' }], [container('web')]);
  t.equal(planFromPackage('app', declared, none).definitionOf('web').description, 'of the application');
});

t.test('what can not be planned', async (t) => {
  const circle = packageOf([{ name: 'a' }], [container('a', ['b']), container('b', ['a'])]);
  t.throws(() => planFromPackage('app', circle, none), { code: 'SERVICE_CIRCLE' });
  t.throws(() => planWithoutPackage('app', ['a'], new Map([['a', ['a']]])), { code: 'SERVICE_CIRCLE' });
  const broken = packageOf([{ name: 'a' }], [{ name: 'a', type: 'odd' }]);
  t.throws(() => planFromPackage('app', broken, none), { code: 'PACKAGE_FILE_NOT_VALID' });
  t.strictSame(planFromPackage('other', broken, none).names, [], 'a mistake is none of other applications');
});

t.test('without a package nothing is installed, and nothing is waited for', async (t) => {
  const plan = planWithoutPackage('app', ['web'], new Map([['web', ['db']]]));
  t.strictSame([plan.names, plan.early, plan.late], [['db', 'web'], [], ['web']]);
  t.equal(plan.canInstall, false);
});
