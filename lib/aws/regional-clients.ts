/** Creates a client for each region once. @param region undefined: the region of the function */
export function clientsByRegion<Client>(
  create: (region: string | undefined) => Client,
): (region: string | undefined) => Client {
  const clients = new Map<string | undefined, Client>();
  return (region) => {
    const known = clients.get(region) ?? create(region);
    clients.set(region, known);
    return known;
  };
}
