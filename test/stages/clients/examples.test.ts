import t from 'tap';
import { examples } from '../../../lib/features/discovery/examples.js';
import { listRoutes } from '../../../lib/http/table.js';
import { routes } from '../../../lib/routes.js';
import { tour } from './tour.js';

// The examples of the OpenAPI document against a tour of today through every operation. Values differ from run to run;
// what is sent, and the members that come back, do not.

t.setTimeout(280_000);

/** Topics have ids of applications in their names, which are others in each run. */
const withoutIds = (name: string) => name.replace(/application_\d+_\d+/, 'application');

const membersOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.keys(value).map(withoutIds).toSorted();
};

/** Of `getApplication`: it is there once an operator has told any, which may be before or after the call. */
const sometimes = 'metrics';

const outlineOf = (id: string, reply: unknown): unknown => {
  const members = membersOf(reply);
  return id === 'getApplication' && Array.isArray(members)
    ? members.filter((name) => name !== sometimes)
    : members;
};

t.test('the examples are what a gateway is sent and answers today', async (t) => {
  const recorded = await tour(t);
  const ids = listRoutes(routes).map(({ id }) => id);
  t.strictSame(
    ids.filter((id) => !recorded.has(id)),
    [],
    'the tour calls every operation',
  );
  const outlines = (of: (id: string) => (typeof examples)[string] | undefined) =>
    Object.fromEntries(
      ids.map((id) => {
        const { parameters = {}, body, reply } = of(id) ?? {};
        return [
          id,
          { parameters: Object.keys(parameters), body: membersOf(body), reply: outlineOf(id, reply) },
        ];
      }),
    );
  t.strictSame(
    outlines((id) => examples[id]),
    outlines((id) => recorded.get(id)),
    'else: npm run examples',
  );
});
