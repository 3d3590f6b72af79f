import { type ApiGateway, listenForRequests } from './api-gateway.ts';
import { holdDataDir } from './data-dir.ts';

/** The port and the data directory of a local cloud, which no other local cloud can take in the meantime. */
export interface Place {
  readonly api: ApiGateway;
  stop(): Promise<void>;
}

/**
 * Takes the data directory and listens on the port. Requests wait until the API is opened.
 *
 * @param port 0 for any free port
 * @throws LocalCloudError when the port is in use, or another local cloud uses the directory
 */
export async function takePlace(port: number, dataDir: string | undefined): Promise<Place> {
  const data = dataDir === undefined ? undefined : holdDataDir(dataDir);
  try {
    const api = await listenForRequests(port);
    return {
      api,
      async stop() {
        await api.stop();
        data?.stop();
      },
    };
  } catch (error) {
    data?.stop();
    throw error;
  }
}
