// Of the machine's instructions, those that constructors are made of (JVM specification 6.5).

export const op = {
  bipush: 16,
  sipush: 17,
  ldc: 18,
  ldc2: 20,
  pop: 87,
  dup: 89,
  iadd: 96,
  idiv: 108,
  goto: 167,
  return: 177,
  getstatic: 178,
  putstatic: 179,
  getfield: 180,
  putfield: 181,
  invokevirtual: 182,
  invokestatic: 184,
  invokedynamic: 186,
  new: 187,
  newarray: 188,
  anewarray: 189,
  checkcast: 192,
};

/** Of an instruction, with its operands. */
export function lengthOf(code: number): number {
  if (code === op.bipush || code === op.ldc || code === op.newarray) return 2;
  if ((code >= 21 && code <= 25) || (code >= 54 && code <= 58)) return 2;
  if (code === 185 || code === op.invokedynamic) return 5;
  if (code === op.sipush || code === 19 || code === op.ldc2 || code >= op.getstatic) return 3;
  return 1;
}
