const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** A host as it stands in a URL: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether a host, as it stands in a URL, is this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}
