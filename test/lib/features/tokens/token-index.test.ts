import t from 'tap';
import { newSecret } from '../../../../lib/features/tokens/secret.js';
import { createTokenIndex } from '../../../../lib/features/tokens/token-index.js';

const hour = 3_600_000;

function index() {
  const clock = { time: 10 * hour + 1, now: () => clock.time, monotonic: () => clock.time };
  const tokens = createTokenIndex(clock, (error) => {
    throw error;
  });
  const ended: string[] = [];
  tokens.onEnd((id) => ended.push(id));
  const made = (userName: string, createdAt = 0) => {
    const { id, token: text, hash } = newSecret();
    const token = { id, userName, name: userName, createdAt, expiresAt: 20 * hour, hash };
    return { id, text, token };
  };
  const added = (userName: string, createdAt = 0) => {
    const one = made(userName, createdAt);
    tokens.add(one.token);
    tokens.written(one.id);
    return one;
  };
  return { clock, tokens, ended, made, added };
}

t.test('a token counts while it is on the disk and in time', async (t) => {
  const { clock, tokens, ended, made } = index();
  const { id, text, token } = made('ada');
  tokens.add(token);
  t.equal(tokens.verify(text), undefined, 'not yet written');
  t.strictSame([tokens.get(id), tokens.list(), tokens.allOf('ada')], [undefined, [], [token]]);
  tokens.written(id);
  t.strictSame(tokens.verify(text), { userName: 'ada', scheme: 'token', sessionId: `token:${id}` });
  t.equal(tokens.verify(text), tokens.verify(text), 'one object while it lives');
  t.equal(
    tokens.verify(`${text.slice(0, -1)}${text.endsWith('a') ? 'b' : 'a'}`),
    undefined,
    'another secret',
  );
  t.strictSame(tokens.expired(), []);
  clock.time = 20 * hour;
  t.equal(tokens.verify(text), undefined, 'its time is over');
  t.strictSame(
    tokens.expired().map((one) => one.id),
    [id],
  );
  t.strictSame(ended, [], 'until somebody forgets it');
  tokens.forget(id);
  tokens.forget(id);
  t.strictSame(ended, [`token:${id}`], 'told once');
});

t.test('one that never got on the disk ends without a word', async (t) => {
  const { tokens, ended, made } = index();
  const { id, token } = made('ada');
  tokens.add(token);
  tokens.withdraw(id);
  tokens.written(id);
  t.strictSame([tokens.allOf('ada'), ended], [[], []]);
});

t.test('the oldest first, of one user or of all', async (t) => {
  const { tokens, added } = index();
  for (const [userName, createdAt] of [
    ['ada', 3],
    ['eve', 2],
    ['ada', 1],
  ] as const)
    added(userName, createdAt);
  const told = (userName?: string) => tokens.list(userName).map(({ createdAt }) => createdAt);
  t.strictSame([told(), told('ada'), told('bob')], [[1, 2, 3], [1, 3], []]);
});

t.test('a use is to be written once an hour', async (t) => {
  const { clock, tokens, added } = index();
  const { text } = added('ada');
  t.strictSame(tokens.used(), []);
  tokens.verify(text);
  const [first] = tokens.used();
  t.equal(first?.lastUsedAt, 10 * hour);
  if (first) tokens.useWritten(first);
  tokens.verify(text);
  t.strictSame(tokens.used(), [], 'of the same hour');
  clock.time += hour;
  tokens.verify(text);
  const [second] = tokens.used();
  t.equal(second?.lastUsedAt, 11 * hour);
  clock.time += hour;
  tokens.verify(text);
  if (second) tokens.useWritten(second);
  t.equal(tokens.used()[0]?.lastUsedAt, 12 * hour, 'used again while it was written');
});
