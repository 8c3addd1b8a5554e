import * as rooms from './rooms.js';

/** The whole REST surface. A namespace, so that the types of each room are declared once, in the room. */
export const routes: typeof rooms = rooms;
