/** A UUID as `=` and its 16 bytes in base64url, 23 characters instead of 36. Other ids that begin with `=` get another `=`. */
export function packId(id: string): string {
  if (UUID.test(id)) return `=${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`;
  return id.startsWith('=') ? `=${id}` : id;
}

export function unpackId(packed: string): string {
  if (!packed.startsWith('=')) return packed;
  if (packed.startsWith('==')) return packed.slice(1);
  const hex = Buffer.from(packed.slice(1), 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
