import type { ComponentChildren } from 'preact';
import type { IconName } from './icon-name.ts';

const RING = <circle cx="8" cy="8" r="6.25" />;

const SHAPES: Readonly<Record<IconName, ComponentChildren>> = {
  queued: (
    <>
      {RING}
      <path d="M8 4.75V8l2.25 1.5" />
    </>
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="6.25" opacity=".3" />
      <path class="turning" d="M8 1.75A6.25 6.25 0 0 1 14.25 8" />
    </>
  ),
  underway: (
    <>
      {RING}
      <path d="M8 4.5a3.5 3.5 0 0 1 0 7z" fill="currentColor" />
    </>
  ),
  done: (
    <>
      {RING}
      <path d="m5.25 8.25 2 2 3.5-4.25" />
    </>
  ),
  failed: (
    <>
      {RING}
      <path d="m5.75 5.75 4.5 4.5m0-4.5-4.5 4.5" />
    </>
  ),
  cancelled: (
    <>
      {RING}
      <path d="m3.75 12.25 8.5-8.5" />
    </>
  ),
  blocked: (
    <>
      {RING}
      <path d="M6.25 5.5v5m3.5-5v5" />
    </>
  ),
  unknown: (
    <>
      {RING}
      <path d="M6.25 6.25a1.75 1.75 0 1 1 2.6 1.5c-.6.35-.85.7-.85 1.25m0 2v.1" />
    </>
  ),
  warning: (
    <>
      <path d="M8 2 1.75 13.25h12.5z" />
      <path d="M8 6.5v3m0 1.75v.1" />
    </>
  ),
  tickets: (
    <path d="M1.75 4.25h12.5v2.5a1.25 1.25 0 0 0 0 2.5v2.5H1.75v-2.5a1.25 1.25 0 0 0 0-2.5zM10 4.5v7" />
  ),
  package: (
    <>
      <path d="m8 1.75 5.75 3v6.5L8 14.25l-5.75-3v-6.5z" />
      <path d="m2.5 5 5.5 2.75L13.5 5M8 7.75v6.25" />
    </>
  ),
  builds: (
    <>
      <path d="M2 4.25h12M2 8h12M2 11.75h7" />
      <path d="m11 11.25 1.25 1.25 2-2.5" />
    </>
  ),
  landing: <path d="M5.5 2 2 14h12L10.5 2M8 3v1.75M8 7.5v1.75M8 12v1.75" />,
  person: (
    <>
      <circle cx="8" cy="5" r="2.75" />
      <path d="M2.75 14c.5-3.1 2.4-4.75 5.25-4.75s4.75 1.65 5.25 4.75" />
    </>
  ),
  pulse: <path d="M1.5 8h3l2-5 3 10 2-5h3" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1m8 8 1 1M13 3l-1 1M4 12l-1 1" />
    </>
  ),
  moon: <path d="M13.25 9.75A5.75 5.75 0 0 1 6.25 2.75a5.75 5.75 0 1 0 7 7z" />,
  scheme: (
    <>
      {RING}
      <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor" />
    </>
  ),
  bell: <path d="M3 11.5h10L11.75 9.5V7a3.75 3.75 0 0 0-7.5 0v2.5zM6.75 13.5h2.5" />,
  help: (
    <>
      <rect x="1.25" y="3.75" width="13.5" height="8.5" rx="1.5" />
      <path d="M4 6.5h.1m2.6 0h.1m2.6 0h.1m2.5 0h.1M5 9.75h6" />
    </>
  ),
  up: <path d="m4 9.75 4-4 4 4" />,
  down: <path d="m4 6.25 4 4 4-4" />,
  left: <path d="m9.75 4-4 4 4 4" />,
  right: <path d="m6.25 4 4 4-4 4" />,
  download: <path d="M8 2v7.5M4.75 6.75 8 10l3.25-3.25M2.5 13.25h11" />,
  copy: (
    <>
      <rect x="5.25" y="5.25" width="8.5" height="8.5" rx="1.5" />
      <path d="M10.75 5V3.5A1.25 1.25 0 0 0 9.5 2.25h-6A1.25 1.25 0 0 0 2.25 3.5v6a1.25 1.25 0 0 0 1.25 1.25H5" />
    </>
  ),
  outward: <path d="M6.5 3.25H3v9.75h9.75V9.5M9 2.75h4.25V7M13 3 7.25 8.75" />,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  wrap: <path d="M2 4h12M2 8h9.5a2.25 2.25 0 0 1 0 4.5H8.5M2 12h3m5-1.25L8.25 12.5 10 14.25" />,
};

/** A small drawing beside a word; it says nothing by itself. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {SHAPES[name]}
    </svg>
  );
}

/** The sign of Airline. */
export function Emblem() {
  return (
    <svg class="emblem" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 13.5 22 3l-5.5 18-4.2-7.2z" fill="currentColor" />
      <path class="fold" d="m12.3 13.8 9.7-10.8L9.2 13z" />
    </svg>
  );
}
