/** What was published, in the forms that its receivers want; each is made once, when it is needed. */
export interface Message {
  /** JSON text in UTF-8. */
  bytes(): Buffer;
  text(): string;
  value(): unknown;
}

/** From JSON text. */
export function textMessage(text: string): Message {
  let bytes: Buffer | undefined;
  let parsed: { readonly value: unknown } | undefined;
  return {
    bytes() {
      bytes ??= Buffer.from(text);
      return bytes;
    },
    text: () => text,
    value() {
      parsed ??= { value: JSON.parse(text) };
      return parsed.value;
    },
  };
}

export function valueMessage(value: unknown): Message {
  let message: Message | undefined;
  const text = () => {
    message ??= textMessage(JSON.stringify(value));
    return message;
  };
  return { bytes: () => text().bytes(), text: () => text().text(), value: () => value };
}

/** From a client, of which mostly only the bytes are passed on. */
export function bytesMessage(bytes: Buffer): Message {
  let message: Message | undefined;
  const text = () => {
    message ??= textMessage(bytes.toString());
    return message;
  };
  return { bytes: () => bytes, text: () => text().text(), value: () => text().value() };
}
