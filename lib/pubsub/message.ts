/** What was published: as a value, as JSON text, or both. Each is made from the other once, when it is needed. */
export interface Message {
  text(): string;
  data(): unknown;
}

export const textMessage = (text: string): Message => {
  let parsed: { readonly data: unknown } | undefined;
  return {
    text: () => text,
    data() {
      parsed ??= { data: JSON.parse(text) };
      return parsed.data;
    },
  };
};

export const dataMessage = (data: unknown): Message => {
  let text: string | undefined;
  return {
    text() {
      text ??= JSON.stringify(data);
      return text;
    },
    data: () => data,
  };
};
