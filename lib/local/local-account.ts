/** The AWS account and region of the local cloud. fauxqs supports no other account. */
export const ACCOUNT_ID = '000000000000';
export const REGION = 'us-east-1';
