import express from 'express';
import { startExpress } from '../parts/express.js';

export const name = 'Express 5';

export const start = (how) => startExpress(express, how);
