import { Logger } from '@aws-lambda-powertools/logger';

/** The logger of the function. Its name and level come from the environment. */
export const logger = new Logger();
