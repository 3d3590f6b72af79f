/** The name that a match has for a player who was erased. */
export function erasedName(pseudonym: string): string {
  return `erased-${pseudonym}`;
}

/** Whether this is the name that a match has for a player who was erased. */
export function isErased(playerId: string): boolean {
  return /^erased-[0-9a-f-]{36}$/.test(playerId);
}
