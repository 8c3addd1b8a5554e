import { escapeHtml } from './wording.js';

/** What a mail says, before it becomes text and page. All strings are cleaned, none is escaped. */
interface MailContent {
  /** One line. */
  readonly subject: string;
  readonly heading: string;
  /** With line breaks; may be empty. */
  readonly message: string;
  readonly facts: readonly Fact[];
  /** A table of its own: what the condition read. */
  readonly values: readonly Fact[];
  /** Of the console. */
  readonly link?: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The same content twice: for readers of text, and as a page. */
export const written = (content: MailContent): MailText => ({
  subject: content.subject,
  text: asText(content),
  html: asPage(content),
});

function asText({ heading, message, facts, values, link }: MailContent): string {
  const lines = (of: readonly Fact[]) => of.map(({ name, value }) => `${name}: ${value}`).join('\n');
  const parts = [
    heading,
    message,
    lines(facts),
    values.length > 0 ? `What the condition read:\n${lines(values)}` : '',
    link ?? '',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const cell = 'style="padding:2px 12px 2px 0;vertical-align:top;text-align:left;font-weight:normal"';
const mono = 'style="padding:2px 0;font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere"';

function asPage({ subject, heading, message, facts, values, link }: MailContent): string {
  const rows = (of: readonly Fact[]) =>
    of
      .map(
        ({ name, value }) =>
          `<tr><th ${cell}>${escapeHtml(name)}</th><td ${mono}>${escapeHtml(value)}</td></tr>\n`,
      )
      .join('');
  const table = (of: readonly Fact[]) => (of.length > 0 ? `<table>\n${rows(of)}</table>\n` : '');
  return [
    '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n',
    `<title>${escapeHtml(subject)}</title>\n</head>\n<body style="font-family:sans-serif">\n`,
    `<h2 style="font-size:1.1em">${escapeHtml(heading)}</h2>\n`,
    message === '' ? '' : `<p style="white-space:pre-wrap">${escapeHtml(message)}</p>\n`,
    table(facts),
    values.length > 0 ? `<h3 style="font-size:1em">What the condition read</h3>\n${table(values)}` : '',
    link === undefined ? '' : `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>\n`,
    '</body>\n</html>\n',
  ].join('');
}
