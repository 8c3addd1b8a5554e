/** Rejects when the answer takes longer than `ms`. What came at once costs no timer. */
export async function inTime<T>(ms: number, answer: Promise<T> | T): Promise<T> {
  if (!(answer instanceof Promise)) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`There was no answer within ${ms} ms`)), ms).unref();
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
