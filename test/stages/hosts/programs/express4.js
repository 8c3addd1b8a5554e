import express from 'express4';
import { startExpress } from '../parts/express.js';

export const name = 'Express 4';

export const start = (how) => startExpress(express, how);
