/** A deployment of a folder of definitions. The folders are digests. */
export interface DeploymentNote {
  /** The same in every repetition of its request. */
  readonly requestId: string;
  readonly from: string;
  readonly to: string;
  /** Whether it took back the deployment before it. */
  readonly isReturn: boolean;
  /** When it began, milliseconds since the epoch. */
  readonly atMs: number;
}

/** The last deployment, which may have failed. */
export interface DeploymentNotes {
  last(): Promise<DeploymentNote | undefined>;
  note(deployment: DeploymentNote): Promise<void>;
}
