/** The AWS account and region that the local cloud is in. fauxqs knows no other account. */
export const ACCOUNT_ID = '000000000000';
export const REGION = 'us-east-1';
