import type { MailServer } from '../../interfaces/mailer.js';
import type { AlertChange, AlertTestMail, FieldRead } from '../../model/alerts.js';
import { type Fact, type MailText, written } from './page.js';
import { durationText, oneLine, paragraphs, timeText } from './wording.js';

/** The same in every mail of one gateway. */
export interface Letterhead {
  /** Before each subject. */
  readonly platform: string;
  /** Where the console is. */
  readonly link?: string;
}

const states = { triggered: 'in effect', cleared: 'out of effect', disabled: 'disabled' } as const;

const maxNameLength = 120;
const maxMessageLength = 4096;
const maxConditionLength = 2000;
const maxValueLength = 200;

/** Whom it goes to stands outside of it. */
type ToldChange = Pick<AlertChange, 'kind' | 'time' | 'inTime' | 'fields'> & {
  readonly alert: Omit<AlertChange['alert'], 'recipients'>;
};

/** `docs/decisions.md`, What a mail about an alert says. */
export function changeText(
  { kind, alert, time, inTime, fields }: ToldChange,
  { platform, link }: Letterhead,
): MailText {
  const heading = `Alert "${oneLine(alert.name, maxNameLength)}" ${states[kind]}`;
  const since = kind === 'triggered' ? undefined : inTime;
  return written({
    subject: `[${platform}] ${heading}`,
    heading,
    message: paragraphs(alert.description, maxMessageLength),
    facts: [
      { name: 'Time', value: timeText(time) },
      ...(since === undefined
        ? []
        : [
            { name: 'In effect since', value: timeText(since) },
            { name: 'Duration', value: durationText(time - since) },
          ]),
      condition(alert.condition),
      ...(kind === 'triggered' && alert.timeThresholdMillis > 0
        ? [{ name: 'Held for at least', value: durationText(alert.timeThresholdMillis) }]
        : []),
      { name: 'Owner', value: oneLine(alert.owner, maxNameLength) },
    ],
    values: fields.map(valueRead),
    ...(link === undefined ? {} : { link }),
  });
}

/** What somebody wants to see before an alert is saved. */
export function alertTestText(
  { description, condition: script, result, fields, userName }: AlertTestMail,
  time: number,
  { platform, link }: Letterhead,
): MailText {
  const heading = 'Test of an alert';
  return written({
    subject: `[${platform}] ${heading}`,
    heading,
    message: paragraphs(description, maxMessageLength),
    facts: [
      { name: 'Time', value: timeText(time) },
      condition(script),
      { name: 'Result', value: result ? 'true: it would be in effect' : 'false: it would not be in effect' },
      { name: 'Asked for by', value: oneLine(userName, maxNameLength) },
    ],
    values: fields.map(valueRead),
    ...(link === undefined ? {} : { link }),
  });
}

/** Sent whenever the settings of the mail server are put. */
export function settingsTestText(
  server: MailServer,
  userName: string,
  time: number,
  { platform, link }: Letterhead,
): MailText {
  const heading = 'The settings of the mail server work';
  return written({
    subject: `[${platform}] ${heading}`,
    heading,
    message: 'Mails of system alerts will come the same way.',
    facts: [
      { name: 'Time', value: timeText(time) },
      { name: 'Mail server', value: `${server.host}:${server.port}` },
      { name: 'Changed by', value: oneLine(userName, maxNameLength) },
    ],
    values: [],
    ...(link === undefined ? {} : { link }),
  });
}

const condition = (script: string): Fact => ({
  name: 'Condition',
  value: oneLine(script, maxConditionLength),
});

/** `cluster.metrics: cpuPercentage` reads badly; members are joined as a script would write them. */
const valueRead = ({ topic, path, value }: FieldRead): Fact => ({
  name: oneLine([topic, ...path.map(member)].join(''), maxValueLength),
  value: value === undefined ? 'nothing there' : oneLine(value, maxValueLength),
});

const member = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name)
    ? `.${name}`
    : /^\d+$/.test(name)
      ? `[${name}]`
      : `[${JSON.stringify(name)}]`;
