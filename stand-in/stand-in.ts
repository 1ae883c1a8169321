import { mkdir } from 'node:fs/promises';
import { urlHost } from '../domain/access/url-host.ts';
import { createFileLookup } from './archive/archive-files.ts';
import { openArchiveState } from './archive/archive-state.ts';
import { openBuildFarm } from './builders/builder.ts';
import { createEntries } from './web/entries.ts';
import { startFtpServer } from './ftp/ftp-server.ts';
import { processCopies } from './archive/copies.ts';
import { fillArchives } from './archive/fill-archives.ts';
import { openIncoming } from './archive/incoming.ts';
import { layoutOf } from './archive/layout.ts';
import { readMachine } from '../sandbox/machine.ts';
import type { StandIn, StandInLimits, StandInOptions } from './options.ts';
import { processAccepted } from './archive/process-accepted.ts';
import { publishPending } from './archive/publisher.ts';
import { createResources } from './web/resources.ts';
import { openSbuildBuilder } from './builders/sbuild-builder.ts';
import { openScript } from './script/script.ts';
import { createScriptedBuilder } from './builders/scripted-builder.ts';
import { openAccounts } from './archive/accounts.ts';
import { openRepositoryKey } from './archive/signing-key.ts';
import { startPollingLoop } from '../timing/polling-loop.ts';
import { createWebService, listen } from './web/web-service.ts';

const LIMITS: StandInLimits = {
  ftpIdleMs: 5 * 60_000,
  uploadMaxBytes: 16 * 2 ** 30,
  buildMs: 12 * 3_600_000,
  chrootMs: 30 * 60_000,
  killAfterMs: 10_000,
  logMaxBytes: 2 ** 30,
};

/**
 * Starts a Launchpad on this machine: upload server, web service, builder and apt repository.
 *
 * @throws where a port is taken, the state cannot be read or the script is malformed
 */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { host, distributions, architectures, processIntervalMs, runAs, logger } = options;
  const limits = { ...LIMITS, ...options.limits };
  const layout = layoutOf(options.stateDir);
  // What has been opened, to be closed in reverse order, also where a later part does not start.
  const closers: (() => void | Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  try {
    await mkdir(layout.keysDir, { recursive: true });
    await mkdir(layout.incomingDir, { recursive: true });
    const script =
      options.scriptPath === undefined ? undefined : openScript(options.scriptPath, logger);
    const accounts = openAccounts(layout.keysDir, script);
    const state = openArchiveState(layout.root);
    closers.push(() => state.close());
    const key = await openRepositoryKey(layout.signingDir);

    const web = await listen(host, options.webPort);
    closers.push(() => web.stop());
    const webUrl = `http://${urlHost(host)}:${web.port}`;

    const builder = script
      ? createScriptedBuilder(script, { state, layout, logMaxBytes: limits.logMaxBytes })
      : await openSbuildBuilder({
          state,
          layout,
          cacheDir: options.cacheDir,
          machine: await readMachine(),
          runAs,
          webUrl,
          key,
          limits,
        });
    const farm = openBuildFarm({ state, layout, builder, builders: options.builders, logger });
    closers.push(() => farm.stop());

    const entries = createEntries({
      webUrl,
      signingKeyFingerprint: key.fingerprint,
      nominatedArchitecture: architectures[0],
      isHidden: (reference) => script?.isHidden(reference) ?? false,
    });
    const incoming = openIncoming({
      state,
      layout,
      distributions,
      architectures,
      accounts,
      script,
      logger,
      onAccepted: farm.dispatch,
    });
    // As cron does at Launchpad.
    const every = (name: string, poll: () => Promise<void>) =>
      startPollingLoop({
        intervalMs: processIntervalMs,
        poll,
        onError: (error) => logger.error({ err: error }, `${name} failed`),
      });
    const processing = every('processing of uploads', () => incoming.process());
    closers.push(() => processing.stop());
    const copying = every('copying', () =>
      processCopies({
        state,
        layout,
        distributions,
        accounts,
        script,
        logger,
        onCopied: farm.dispatch,
      }),
    );
    closers.push(() => copying.stop());
    const publishing = every('publisher', async () => {
      fillArchives(state, script);
      processAccepted(state);
      for (const { archive, series } of await publishPending({
        state,
        layout,
        key,
        architectures,
        script,
        logger,
      }))
        farm.retryDependencyWaits(archive, series);
    });
    closers.push(() => publishing.stop());

    const ftp = await startFtpServer({
      host,
      port: options.ftpPort,
      incomingDir: layout.incomingDir,
      idleMs: limits.ftpIdleMs,
      uploadMaxBytes: limits.uploadMaxBytes,
      takeFault: (command, argument) => script?.takeFtpFault(command, argument),
      logger,
    });
    closers.push(() => ftp.stop());
    // Last, when uploads are taken: a client that gets an answer may upload at once.
    web.serve(
      createWebService({
        webUrl,
        findResource: createResources({
          webUrl,
          state,
          farm,
          entries,
          distributions,
          architectures,
          accounts,
          script,
        }),
        files: createFileLookup(state, layout),
        publicKey: key.publicKey,
        signingKeyFingerprint: key.fingerprint,
        primaryKey: accounts.primaryKey,
        script,
        logger,
      }),
    );
    farm.dispatch();

    const ftpAddress = `${urlHost(host)}:${ftp.port}`;
    logger.info({ webUrl, ftpAddress, builder: script ? 'script' : 'sbuild' }, 'stand-in is ready');
    return { webUrl, ftpAddress, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
