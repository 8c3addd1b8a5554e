import * as z from 'zod';
import { PasswordText } from '../accounts/schema.js';

export const LoginInput = z
  .object({ userName: z.string().max(256), password: PasswordText })
  .meta({ id: 'LoginInput' });
export type LoginInput = z.output<typeof LoginInput>;
