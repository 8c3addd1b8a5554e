// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones.
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/u;

/** Where the first character stands that no XML file can hold, not even as a reference; -1 when there is none. */
export const forbiddenInXml = (text: string): number => text.search(forbidden);

/** Whether an XML file can hold it. */
export const isXmlText = (text: string): boolean => forbiddenInXml(text) < 0;
