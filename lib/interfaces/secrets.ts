/** Seals texts that must not be read by whoever reads the storage: passwords of directories and mail servers. */
export interface Secrets {
  /**
   * Resolves text that only `unseal` with the same purpose opens. `purpose` says what it is for and where it is kept
   * (`config/smtp password`), and is bound to the result: what was sealed for one place means nothing at another.
   */
  seal(text: string, purpose: string): Promise<string>;
  /**
   * Rejects with any error for what was sealed with another key, for another purpose, or has changed since. The gateway
   * turns it into a sentence that names the document.
   */
  unseal(sealed: string, purpose: string): Promise<string>;
}
