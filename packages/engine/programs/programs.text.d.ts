/** Names of files and what is in them, gzip as base64, made by `scripts/bundle.js` of the programs that `programs.ts` names. */
declare const programs: Readonly<Record<string, string>>;
export default programs;
