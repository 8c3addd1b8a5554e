/** More subtasks than Flink lets a vertex have: 32,768. */
const stride = 100_000;

/**
 * The id of a subtask, in digits as the API wants it: the place of its vertex in the job, which stays, from 1 on, and then five digits
 * of the subtask. `200003` is the fourth subtask of the second vertex.
 */
export const operatorIdOf = (vertexIndex: number, subtask: number): string =>
  String((vertexIndex + 1) * stride + subtask);

/** `undefined` for what is no such id. */
export function placeOf(
  operatorId: string,
): { readonly vertexIndex: number; readonly subtask: number } | undefined {
  if (!/^[1-9]\d{5,8}$/.test(operatorId)) return undefined;
  const number = Number(operatorId);
  return { vertexIndex: Math.floor(number / stride) - 1, subtask: number % stride };
}
