import t from 'tap';
import { alertInput, hot, untilAlert } from '../../helpers/alerts.js';
import { newGateway } from '../../helpers/gateway.js';
import { as, people } from '../../helpers/people.js';
import { scriptProcesses } from '../../helpers/script-processes.js';

// The process that runs conditions is ended again and again by the system, as it is for want of memory, while somebody's
// conditions keep it busy and others save theirs. A valid alert once was answered 400 for it.

const saves = 150;
const mostMillis = 45_000;

t.test(
  'whatever ends the process, no valid alert is blamed',
  {
    skip: process.platform !== 'linux',
  },
  async (t) => {
    const { newClient, logs } = await newGateway(t, { auth: people, alerts: { everyMillis: 100 } });
    const heavy = newClient(as('eve', 'developer'));
    const ada = newClient(as('ada', 'developer'));
    for (let index = 0; index < 20; index++) {
      const condition = `let n = ${index}; for (let i = 0; i < 1e7; i++) n += i % 7; n < 0`;
      await heavy.putAlert({ params: { name: `heavy ${index}` }, body: alertInput(condition) });
    }
    const answers: Record<string, number> = {};
    let kills = 0;
    const until = performance.now() + mostMillis;
    for (let save = 0; save < saves && performance.now() < until; save++) {
      let isDone = false;
      const saved = ada
        .putAlert({ params: { name: `valid ${save % 10}` }, body: alertInput(hot(`test.room${save}`)) })
        .then(
          () => 'saved',
          (error: { status?: number }) => String(error.status),
        )
        .finally(() => {
          isDone = true;
        });
      // Half of them meet one kill at any moment, the others one after the other.
      for (let turns = 0; !isDone; turns++) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
        if (save % 2 === 0 && turns > 0) continue;
        for (const { kill } of scriptProcesses()) {
          kill('SIGKILL');
          kills++;
        }
      }
      const answer = await saved;
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
    t.comment(`${kills} kills, answers: ${JSON.stringify(answers)}`);
    t.ok(kills > 20);
    t.strictSame(
      Object.keys(answers).filter((answer) => answer !== 'saved' && answer !== '503'),
      [],
      'saved, or 503',
    );
    t.ok(answers['saved']);
    const { alerts } = await ada.listAlerts();
    for (const { alertStatus } of alerts) t.notMatch(alertStatus.message, /memory|save it again/);
    t.strictSame(
      logs.filter(({ message }) => message.startsWith('a condition of an alert ended')),
      [],
    );
    await ada.putAlert({ params: { name: 'after' }, body: alertInput(hot('test.after')) });
    await untilAlert(
      { client: ada },
      'after',
      { topic: 'test.after', temperature: 21 },
      (alert) => alert.alertStatus.isInAlert,
    );
  },
);
