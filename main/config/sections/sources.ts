import { z } from 'zod';
import { isNetwork } from '../network.ts';
import {
  bytes,
  count,
  entriesOf,
  listed,
  listedIfGiven,
  milliseconds,
  optional,
  section,
} from '../setting.ts';

export const sources = section('Source packages', {
  sourceUrls: {
    hosts: listedIfGiven(
      optional(
        'list',
        'AIRLINE_SOURCE_HOSTS',
        'Hosts that source URLs, cancel URLs and the git repositories of merge proposals may name, comma-separated, host or host:port. Unset: 127.0.0.1,localhost; with AIRLINE_AUTH=token none.',
      ),
    ),
    privateNetworks: listed(
      optional(
        'list',
        'AIRLINE_SOURCE_PRIVATE',
        'Networks of private addresses that names in AIRLINE_SOURCE_HOSTS may lead to, comma-separated, as address/bits. Unset: none. localhost, and addresses that AIRLINE_SOURCE_HOSTS itself lists, need no entry.',
        z
          .string()
          .refine(
            (value) => entriesOf(value).every(isNetwork),
            'is not a list of networks, such as 10.1.0.0/16,fd00:1::/32',
          ),
      ),
    ),
  },
  sources: {
    maxBytes: bytes(
      'AIRLINE_SOURCE_MAX_BYTES',
      4 * 2 ** 30,
      'Largest file of a source package, and of what is fetched of a git repository.',
    ),
    idleTimeoutMs: milliseconds(
      'AIRLINE_SOURCE_IDLE_MS',
      60_000,
      'A download that brings nothing for this long is given up.',
    ),
    fileMs: milliseconds(
      'AIRLINE_SOURCE_FILE_MS',
      1_200_000,
      'Longest time for one file while the sources are checked, even if it transfers steadily; and for each command that makes the source of a merge proposal.',
    ),
    memoryBytes: bytes(
      'AIRLINE_MERGE_MEMORY_BYTES',
      2 ** 30,
      'Memory that each command may take that makes the source of a merge proposal. Below what the worker may have.',
    ),
    mergesAtOnce: count(
      'AIRLINE_WORKER_MERGES',
      4,
      'Sources of merge proposals that a worker merges, unpacks or makes at once, by commands of which each may take that memory. Others that it has fetched wait for their turn, within AIRLINE_SOURCE_CHECK_MS.',
    ),
    gitDepth: count(
      'AIRLINE_GIT_DEPTH',
      1_000,
      'Commits that are fetched of each branch of a merge proposal. The branches must have one of them in common.',
    ),
  },
  signingKey: optional(
    'key id',
    'AIRLINE_SIGNING_KEY',
    "Key in the worker's keyring that signs unsigned sources, and those that are made of merge proposals. Unset: both are refused.",
  ),
  cancelUrlTimeoutMs: milliseconds(
    'AIRLINE_CANCEL_URL_TIMEOUT_MS',
    5_000,
    'Time for the cancel URL to answer. A URL that does not answer cancels nothing.',
  ),
});
