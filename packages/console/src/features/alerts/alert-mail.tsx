import { Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { Do } from '../../shell/do.js';
import { Failure } from '../../shell/failure.js';
import type { AlertFields } from './alert-fields.js';
import classes from './alerts.module.css';
import type { Verdict } from './use-verdict.js';
import { words } from './words.js';

/** Who is told what, and a mail to try it. */
export function AlertMail({
  fields,
  mail,
}: {
  readonly fields: AlertFields;
  /** As the gateway would send it. */
  readonly mail: Verdict['mail'];
}) {
  const may = useMay();
  const email = fields.email.trim();
  const test = useMutation({
    mutationFn: ({ condition, description }: AlertFields) =>
      client.validateScript({ body: { script: condition, email, description } }),
  });
  const { data, error, variables } = test;
  return (
    <Stack className="panel" gap="sm" component="section" aria-label={words.mail}>
      <Title order={2}>{words.mail}</Title>
      <Text size="sm" className={classes['text']} dir="auto">
        {words.mailTo}: {email === '' ? words.nobody : email}
      </Text>
      {mail ? (
        <figure className={classes['mail']} aria-label={words.mailShown}>
          <Text size="sm" fw={600} className={classes['text']} dir="auto">
            {mail.subject}
          </Text>
          <Text size="sm" className={classes['text']} dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
            {mail.text}
          </Text>
          <Text size="xs" className="soft" component="figcaption">
            {words.mailShown}
          </Text>
        </figure>
      ) : (
        <Text size="sm" className="soft">
          {words.mailLater}
        </Text>
      )}
      <Do
        may={both(
          may('validateScript'),
          unless(fields.condition.trim() === '', words.absent.condition),
          unless(email === '', words.absent.email),
        )}
        loading={test.isPending}
        onClick={() => test.mutate(fields)}
      >
        {words.test}
      </Do>
      <div aria-live="polite">
        {error && <Failure what={words.testFailed} error={error} />}
        {data &&
          (data.emailSent ? (
            <Text size="sm">{words.testSent(variables?.email ?? email)}</Text>
          ) : (
            <Text size="sm" data-state="failed" className={classes['text']} dir="auto">
              {words.testFailed}: {data.emailError ?? data.error ?? words.testInvalid}
            </Text>
          ))}
      </div>
    </Stack>
  );
}
