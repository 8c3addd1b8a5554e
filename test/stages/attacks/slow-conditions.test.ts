import t from 'tap';
import { alertInput, hot, isActive, untilAlert } from '../../helpers/alerts.js';
import { newGateway } from '../../helpers/gateway.js';
import { as, people } from '../../helpers/people.js';
import { scriptProcesses } from '../../helpers/script-processes.js';
import { until } from '../../helpers/waiting.js';

// One owner has 200 conditions that take 240 ms each, and everybody's alerts once waited for them: 48 s of processor time
// in each round. What counts is what the process has run until another owner's alert is active, which no busy machine changes.

const count = 200;
const eachMillis = 240;
/** Two rounds, each with the budget of the slow owner and the condition that goes beyond it, and then as much again. */
const mostMillis = 2 * 2 * (250 + eachMillis);

t.test(
  'slow conditions of one owner delay nobody else',
  {
    skip: process.platform !== 'linux',
  },
  async (t) => {
    const { newClient, logs } = await newGateway(t, {
      auth: people,
      // By the clock: on a busy machine they would be stopped, and suspended in the end.
      alerts: { everyMillis: 100, scripts: { limitMillis: 10_000 } },
    });
    const eve = newClient(as('eve', 'developer'));
    const bob = newClient(as('bob', 'developer'));
    const ran = () => scriptProcesses().reduce((sum, one) => sum + one.ran, 0);

    const slow = (turns: number, mark: string) =>
      `let n = 0; for (let i = 0; i < ${turns}; i++) n += i % 7; "${mark}" === "" || n > 0`;
    await eve.validateScript({ body: { script: slow(1e8, 'try') } });
    const before = ran();
    await eve.validateScript({ body: { script: slow(1e8, 'again') } });
    const turns = Math.round((1e8 * eachMillis) / (ran() - before));
    t.comment(`${turns} turns take ${eachMillis} ms`);
    for (let index = 0; index < count; index++)
      await eve.putAlert({ params: { name: `slow ${index}` }, body: alertInput(slow(turns, `${index}`)) });
    await until(
      () => eve.listAlerts({ query: { inAlert: true } }),
      ({ alerts }) => alerts.length > 0,
    );

    const figures: number[] = [];
    for (let time = 0; time < 3; time++) {
      const name = `quick ${time}`;
      const topic = `test.quick${time}`;
      await bob.putAlert({ params: { name }, body: alertInput(hot(topic)) });
      const ranBefore = ran();
      await untilAlert({ client: bob }, name, { topic, temperature: 21 }, isActive);
      figures.push(ran() - ranBefore);
    }
    t.comment(
      `processor time until an alert of another owner is active: ${figures.map(Math.round).join(', ')} ms`,
    );
    for (const figure of figures) t.ok(figure < mostMillis, `${Math.round(figure)} ms`);

    // All of them have their turn, one after the other.
    const { alerts } = await until(
      () => eve.listAlerts(),
      ({ alerts }) => alerts.filter(isActive).length >= 12,
    );
    t.ok(alerts.some(({ alertStatus }) => /waits for its turn/.test(alertStatus.message)));
    t.equal(logs.filter(({ message }) => message.startsWith('conditions of an owner take more')).length, 1);
  },
);
