import { Logger } from '@aws-lambda-powertools/logger';

/** One logger for the whole function; its name and level come from the environment. */
export const logger = new Logger();
