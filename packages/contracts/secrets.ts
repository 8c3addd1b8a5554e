import assert from 'node:assert/strict';
import { checkedDrivers } from 'headgate/driver-answers';
import type { Secrets } from 'headgate/driver-kit';
import { given, skippable } from './skipping.js';
import type { Suite } from './suite.js';
import { refuseAnswer } from './using.js';

export interface SecretsUnderTest {
  /** Each call the same keys, as after a restart. */
  create(): Promise<Secrets> | Secrets;
  /** The same kind with another key. */
  createOther?(): Promise<Secrets> | Secrets;
}

const samples = ['x', 'pass word', 'пароль ✓ 😀', '{"json":"\\u0000"}', 'a'.repeat(100_000), ''];

/** Everything that `Secrets` promises, for authors of drivers: register it in any test runner. */
export async function secretsContract(suite: Suite, subject: SecretsUnderTest): Promise<void> {
  const test = (name: string, run: (secrets: Secrets) => Promise<void>) =>
    suite.test(
      `secrets: ${name}`,
      skippable(`secrets: ${name}`, async () => run(checked(await subject.create()))),
    );
  const checked = (secrets: Secrets) => checkedDrivers.secrets(secrets, refuseAnswer);

  await test('what was sealed comes back, also after a restart', async (secrets) => {
    const after = checked(await subject.create());
    for (const text of samples) {
      assert.equal(await after.unseal(await secrets.seal(text, 'a test'), 'a test'), text);
    }
  });

  await test('what is sealed does not show the text, nor that two texts are the same', async (secrets) => {
    const sealed = await secrets.seal('open sesame', 'a test');
    for (const form of [sealed, Buffer.from(sealed, 'base64').toString('latin1')]) {
      assert.ok(!form.includes('open sesame'));
    }
    assert.notEqual(await secrets.seal('open sesame', 'a test'), sealed);
  });

  await test('what was sealed for one purpose does not open for another', async (secrets) => {
    const sealed = await secrets.seal('open sesame', 'mail password');
    await assert.rejects(secrets.unseal(sealed, 'bind password'));
    await assert.rejects(secrets.unseal(sealed, ''));
  });

  await test('what was changed or cut does not open', async (secrets) => {
    const sealed = await secrets.seal('open sesame', 'a test');
    for (let at = 0; at < sealed.length; at += 5) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      await assert.rejects(
        secrets.unseal(sealed.slice(0, at) + other + sealed.slice(at + 1), 'a test'),
        `${at}`,
      );
      await assert.rejects(secrets.unseal(sealed.slice(0, at), 'a test'), `${at}`);
    }
    await assert.rejects(secrets.unseal('open sesame', 'a test'));
  });

  await test('another key does not open it', async (secrets) => {
    const createOther = given('createOther', subject.createOther);
    const sealed = await secrets.seal('open sesame', 'a test');
    await assert.rejects((await createOther()).unseal(sealed, 'a test'), 'another key opened it');
    assert.equal(await secrets.unseal(sealed, 'a test'), 'open sesame');
  });
}
