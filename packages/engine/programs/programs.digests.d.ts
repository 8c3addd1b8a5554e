/** Of each file of `programs.text.js`: SHA-256 of its content, as hexadecimal digits. */
declare const digests: Readonly<Record<string, string>>;
export default digests;
