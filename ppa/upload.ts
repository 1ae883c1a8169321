/** The server that takes uploads for the PPA. */
export type UploadServer = {
  host: string;
  port: number;
  /** A session that moves nothing for so long is given up. */
  idleTimeoutMs: number;
};
