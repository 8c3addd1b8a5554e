/** Has the browser keep what an address answers as a file: it is never whole in the page's memory. */
export function saveFrom(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
