/** Hands a file to the browser's downloads. */
export function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the download begins in a later turn.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
