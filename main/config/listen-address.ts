import { z } from 'zod';

/** Where a server listens: `host:port`, an IPv6 host in brackets, or the absolute path of a socket. */
export const LISTEN_ADDRESS = z
  .string()
  .regex(/^(?:\/.{1,100}|(?:\[[\da-f:]+\]|[^\s:/]+):\d{1,5})$/i, 'is neither host:port nor a path');
