/** Seals texts that must not be read by whoever reads the storage: passwords of directories and mail servers. */
export interface Secrets {
  /**
   * Resolves text that only `unseal` with the same purpose opens, also after a restart. It takes any text, the empty one
   * included, and shows nothing of it: not as it is, not in base64, nor that two texts are the same. `purpose` says what it is
   * for and where it is kept (`config/smtp password`), and is bound to the result: what was sealed for one place means nothing
   * at another.
   */
  seal(text: string, purpose: string): Promise<string>;
  /**
   * Rejects with any error for what was sealed with another key, for another purpose, has changed since in a single character,
   * was cut, or never was sealed. The gateway turns it into a sentence that names the document.
   */
  unseal(sealed: string, purpose: string): Promise<string>;
}
