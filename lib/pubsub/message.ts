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

/** From a client, of which mostly only the bytes are passed on. A class, because one is made for each message. */
export class BytesMessage implements Message {
  private message: Message | undefined = undefined;

  constructor(private readonly bytes: Buffer) {}

  body(): Buffer {
    return this.bytes;
  }

  text(): string {
    return this.decoded.text();
  }

  value(): unknown {
    return this.decoded.value();
  }

  private get decoded(): Message {
    this.message ??= textMessage(this.bytes.toString());
    return this.message;
  }
}
