import type { LastEntries } from './topic.js';

/** What was published, in the forms that its receivers want; each is made once, when it is needed. */
export interface Message {
  /** For the wire: JSON text, or its UTF-8, whichever is there. */
  body(): Buffer | string;
  text(): string;
  value(): unknown;
  /** Of a list: what it names for the last time. */
  readonly lastEntries?: LastEntries | undefined;
}

/** From JSON text. */
export function textMessage(text: string): Message {
  let parsed: { readonly value: unknown } | undefined;
  return {
    body: () => text,
    text: () => text,
    value() {
      parsed ??= { value: JSON.parse(text) };
      return parsed.value;
    },
  };
}

export function valueMessage(value: unknown, lastEntries?: LastEntries): Message {
  let message: Message | undefined;
  const text = () => {
    message ??= textMessage(JSON.stringify(value));
    return message;
  };
  return { body: () => text().text(), text: () => text().text(), value: () => value, lastEntries };
}

/** From a client, of which mostly only the bytes are passed on. */
export function bytesMessage(bytes: Buffer): Message {
  let message: Message | undefined;
  const text = () => {
    message ??= textMessage(bytes.toString());
    return message;
  };
  return { body: () => bytes, text: () => text().text(), value: () => text().value() };
}
