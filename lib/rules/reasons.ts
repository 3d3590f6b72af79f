/** Why two tickets of which a player avoids a player of the other may not be in one match. Players are not told it. */
export const AVOIDED = 'one of their players avoids one of the others';

/** Why two tickets that break a rule together may not be in one match. */
export const EXCLUDED = 'rules of the queue exclude them';
